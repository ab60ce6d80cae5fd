"""How the page does on a cheap phone with a slow line: `python -m tests.bench.page_speed`.

Chromium at a phone's size, its processor four times as slow, the line 400 kbit/s with 400 ms of
delay. The figures are of this machine; the load on it is part of them.
"""

from __future__ import annotations

import sys

from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.bench.scrolling import FLUNG, PLAIN, PULLED, Scrolled, beside, scrolled
from tests.support.browser import PHONE, chromium
from tests.support.scripted_service import Stage, answered, ended, looked, stage

QUARTER = {"rate": 4}
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


def main() -> None:
    with stage("fps=5") as live, chromium() as browser:
        context = browser.new_context(
            viewport={"width": PHONE[0], "height": PHONE[1]}, is_mobile=True, has_touch=True
        )
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", QUARTER)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", SLOW)
        rows = _opening(page, live)
        devtools.send("Network.emulateNetworkConditions", FAST)  # days of steps come in seconds
        plain = _plain(browser, page)
        rows += _long_task(browser, page, devtools, live, plain)
    for name, value in rows:
        sys.stdout.write(f"| {name} | {value} |\n")


def _plain(browser: Browser, ours: Page) -> dict[int, Scrolled]:
    """The same on a page with nothing but text: the ratio to it is what holds elsewhere."""
    page = ours.context.new_page()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", QUARTER)
    page.evaluate(PLAIN)
    found = {by: scrolled(browser, page, "plain", by) for by in (FLUNG, PULLED)}
    page.close()
    ours.bring_to_front()
    return found


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


def _long_task(
    browser: Browser, page: Page, devtools: CDPSession, live: Stage, plain: dict[int, Scrolled]
) -> list[tuple[str, str]]:
    live.begin(rounds=2000)
    _work(live, 1, 500)
    expect(page.locator(".number", has_text="500")).to_be_visible(timeout=60_000)
    page.wait_for_timeout(3000)  # no task goes through 500 steps in a second
    seen = {by: scrolled(browser, page, "panel-chat", by) for by in (FLUNG, PULLED)}
    early = _heap(devtools)
    _work(live, 501, 2000)
    page.get_by_role("button", name="Jump to latest").tap()
    expect(page.locator(".number", has_text="2000")).to_be_visible(timeout=120_000)
    return [
        ("a frame of scrolling: median; 95 of 100; its work", "500 steps | plain text | times"),
        (f"... {FLUNG} pixels a frame", beside(seen[FLUNG], plain[FLUNG])),
        (f"... {PULLED} pixels a frame", beside(seen[PULLED], plain[PULLED])),
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
