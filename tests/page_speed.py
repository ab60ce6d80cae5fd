"""How the page does on a cheap phone with a slow line: `python -m tests.page_speed`.

Chromium at a phone's size, its processor four times as slow, the line 400 kbit/s with 400 ms of
delay. The figures are of this machine; the load on it is part of them.
"""

from __future__ import annotations

import sys
from statistics import median

from playwright.sync_api import CDPSession, Page, expect

from tests.browser import PHONE, chromium
from tests.stage import Stage, answered, ended, looked, stage

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
SCROLL = """() => new Promise((done) => {
  const room = document.getElementById('panel-chat'), gaps = [];
  let before = performance.now(), left = 300;
  const move = (now) => {
    gaps.push(now - before);
    before = now;
    room.scrollBy(0, -120);
    if (left--) requestAnimationFrame(move); else done(gaps);
  };
  requestAnimationFrame(move);
})"""


def main() -> None:
    with stage() as live, chromium() as browser:
        context = browser.new_context(
            viewport={"width": PHONE[0], "height": PHONE[1]}, is_mobile=True, has_touch=True
        )
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", SLOW)
        rows = _opening(page, live)
        devtools.send("Network.emulateNetworkConditions", FAST)  # days of steps come in seconds
        rows += _long_task(page, devtools, live)
    for name, value in rows:
        sys.stdout.write(f"| {name} | {value} |\n")


def _opening(page: Page, live: Stage) -> list[tuple[str, str]]:
    page.goto(live.url)
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    expect(page.locator("#caption")).to_contain_text("Live", timeout=60_000)
    usable = page.evaluate("() => performance.now()")
    paint = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    sizes: list[int] = page.evaluate(
        """() => [...performance.getEntriesByType('navigation'),
            ...performance.getEntriesByType('resource')].map((each) => each.encodedBodySize)"""
    )
    return [
        ("first paint", f"{paint / 1000:.1f} s"),
        ("until the live picture is there", f"{usable / 1000:.1f} s"),
        ("bytes until then", f"{sum(sizes) / 1024:.0f} KB"),
    ]


def _long_task(page: Page, devtools: CDPSession, live: Stage) -> list[tuple[str, str]]:
    live.begin(rounds=2000)
    _work(live, 1, 500)
    expect(page.locator(".number", has_text="500")).to_be_visible(timeout=60_000)
    page.wait_for_timeout(3000)  # no task goes through 500 steps in a second
    gaps = sorted(page.evaluate(SCROLL))
    early = _heap(devtools)
    _work(live, 501, 2000)
    page.get_by_role("button", name="Newest").tap()
    expect(page.locator(".number", has_text="2000")).to_be_visible(timeout=120_000)
    return [
        ("scrolling through 500 steps, a frame", f"{median(gaps):.0f} ms"),
        ("... 95 of 100 frames within", f"{gaps[int(len(gaps) * 0.95)]:.0f} ms"),
        ("memory of scripts after 500 and 2,000 steps", f"{early:.1f}, {_heap(devtools):.1f} MB"),
        ("step cards in the document then", str(page.locator("article.step").count())),
    ]


def _work(live: Stage, first: int, last: int) -> None:
    live.tell(*(f for n in range(first, last + 1) for f in (*looked(n), *answered(n), *ended(n))))


def _heap(devtools: CDPSession) -> float:
    devtools.send("Performance.enable")
    devtools.send("HeapProfiler.collectGarbage")
    found = devtools.send("Performance.getMetrics")["metrics"]
    used: float = next(each["value"] for each in found if each["name"] == "JSHeapUsedSize")
    return used / 2**20


if __name__ == "__main__":
    main()
