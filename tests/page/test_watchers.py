"""Two people at two browsers: one holds the session, the other sees it, stops it and takes over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from cua.web.auth.access import MAX_FAILURES
from tests.support.browser import DESKTOP, PHONE, STEP, chromium, keep, needs_browser, opened
from tests.support.page_checks import WIDE
from tests.support.page_views import service
from tests.support.scripted_service import looked, stage

pytestmark = needs_browser
BROKEN_WORDS = """(node) => {
  const words = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
  while (words.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(words.currentNode);
    const lines = new Set([...range.getClientRects()].map(({ top }) => top));
    if (lines.size > 1) found.push(String(range));
  }
  return found;
}"""
ASKED = {
    "id": 1,
    "digest": "d",
    "step": 1,
    "frame": 1,
    "words": "Press Alt+F4",
    "rule": "closes",
    "why": "Alt+F4 closes the program, or shuts down from the desktop.",
    "seconds": 100,
    "width": 1280,
    "height": 720,
    "action": {"kind": "keypress", "keys": ["ALT", "F4"], "count": 1},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_the_second_person_watches_stops_and_takes_over(browser: Browser) -> None:
    with stage("exclusive=true", "take_over=true") as live:
        faults: list[str] = []
        first = opened(browser, live.url, DESKTOP, faults)
        expect(first.locator("#caption")).to_contain_text("Live")
        other = opened(browser, live.url, PHONE, faults)
        other.get_by_role("button", name="View only").click()
        expect(other.locator("#caption")).to_contain_text("Live")
        live.begin("Find the printer")
        live.tell(*looked(1), ("approval", ASKED))
        for page in (first, other):
            expect(page.locator("#approval")).to_contain_text("Alt+F4 closes the program")
        expect(first.locator("#allow")).to_be_visible()
        expect(other.locator("#approval")).to_contain_text("The person in control decides.")
        expect(other.locator("#composer")).to_contain_text("View only.")
        keep(other, "phone-watching")
        for name in ("allow", "refuse", "send", "pause", "reset", "box", "tab-settings"):
            expect(other.locator(f"#{name}")).to_be_hidden()
        other.get_by_role("button", name="Stop").click()
        for page in (first, other):
            expect(page.locator("#state")).to_contain_text("Stopped")
        other.get_by_role("button", name="Take control here").click()
        expect(first.locator("#refused-reason")).to_contain_text("took control")
        expect(other.locator("#send")).to_be_visible()
        ways = first.locator("#refused .buttons button").filter(visible=True)
        expect(ways).to_have_text(["View only", "Take control here"])
        assert faults == []
        first.set_viewport_size({"width": 640, "height": 150})
        first.mouse.move(320, 75)
        first.mouse.wheel(0, 500)
        again = first.get_by_role("button", name="Take control here")
        expect(again).to_be_in_viewport(ratio=1)
        first.route(live.url, lambda route: route.abort())
        again.click()
        expect(first.locator("#guest-note")).to_contain_text("No response from the service.")
        for page in (first, other):
            page.context.close()


def test_a_second_phone_watches_and_takes_over_after_one_code(
    browser: Browser, tmp_path: Path
) -> None:
    def paired(url: str) -> Page:
        phone = opened(browser, url, PHONE, faults)
        expect(phone.locator("#code")).to_be_visible(timeout=STEP)
        command = phone.locator("#pair code")
        expect(command).to_have_text(f"python cua_webapp.py pair --port {urlsplit(url).port}")
        expect(command).to_have_css("display", "block")
        for width in (*range(320, 480, 8), 820, 1440):
            phone.set_viewport_size({"width": width, "height": PHONE[1]})
            assert command.evaluate(BROKEN_WORDS) == [], width
            assert phone.evaluate(WIDE) == [], width
        phone.set_viewport_size({"width": 820, "height": 1180})
        keep(phone, "pairing-820")
        phone.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        above, below = (phone.locator(each).bounding_box() for each in ("#code", "#refused-reason"))
        assert above
        assert below
        assert above["y"] < below["y"]
        keep(phone, "phone-pairing")
        [file] = tmp_path.glob("code.*")
        phone.locator("#code").fill(file.read_text().split()[0])
        phone.locator("#code").press("Enter")
        return phone

    faults: list[str] = []
    options = ("--auth", "1", "--host", "127.0.0.1")
    with service(*options, RUNTIME_DIRECTORY=str(tmp_path)) as url:
        first = paired(url)
        first.locator("#understood").click()
        expect(first.locator("#notice")).to_be_hidden()
        other = paired(url)
        ways = other.locator("#refused .buttons button").filter(visible=True)
        expect(ways).to_have_text(["View only", "Take control here"])
        run, halt = other.locator("#refused-run"), other.locator("#guest-stop")
        expect(run).to_have_text("Nothing is running.")
        expect(halt).to_be_hidden()
        first.locator("#box").fill("wait 60 s")
        first.locator("#send").click()
        expect(first.locator("#state")).to_contain_text("Running")
        other.reload()
        expect(run).to_have_text("A task is running.")
        wide = other.locator("#refused > div").evaluate("card => card.offsetWidth")
        keep(other, "phone-not-in-control")
        halt.click()
        expect(first.locator("#state")).to_contain_text("Stopped")
        expect(run).to_have_text("Nothing is running.")
        expect(halt).to_be_hidden()
        other.get_by_role("button", name="View only").click()
        expect(other.locator("#composer")).to_contain_text("View only.")
        other.get_by_role("button", name="Take control here").click()
        expect(first.locator("#refused-reason")).to_contain_text("took control")
        expect(first.locator("#refused-run")).to_have_text("Nothing is running.")
        assert first.locator("#refused > div").evaluate("card => card.offsetWidth") == wide
        expect(other.locator("#send")).to_be_visible()
        for page in (first, other):
            page.context.close()
    assert faults == []


def test_who_guesses_codes_too_often_is_told_to_wait_before_the_login(
    browser: Browser, tmp_path: Path
) -> None:
    faults: list[str] = []
    with service("--auth", "1", "--host", "127.0.0.1", RUNTIME_DIRECTORY=str(tmp_path)) as url:
        page = opened(browser, url, PHONE, faults)
        expect(page.locator("#code")).to_be_visible(timeout=STEP)
        for title in ("请先登录", "Log in first"):
            page.locator("#language").click()
            expect(page.get_by_role("heading", name=title)).to_be_visible()
            expect(page).to_have_title(title)
        for _ in range(MAX_FAILURES + 1):
            expect(page.locator("#code")).to_be_visible(timeout=STEP)
            page.locator("#code").fill("000000")
            with page.expect_navigation():
                page.locator("#code").press("Enter")
        expect(page.locator("#refused")).to_contain_text("Too many attempts")
        expect(page.get_by_role("heading", name="Log in first")).to_be_visible()
        expect(page.get_by_role("button", name="Check again")).to_be_visible()
        expect(page.locator("#pair")).to_be_hidden()
        page.context.close()
    assert faults == []
