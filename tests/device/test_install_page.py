"""The installer's page in a real Chromium: a click, a second visitor, the real page after it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser import DESKTOP, PHONE, STEP, keep, needs_browser, opened
from tests.device.little_index import alone, index, program, wheel
from tests.device.test_first_start import NOWHERE, started

pytestmark = needs_browser

MODEL = {
    "CUA_API_TYPE": "openai",
    "CUA_BASE_URL": "http://127.0.0.1:8999/v1",
    "CUA_MODEL_NAME": "scripted",
}

OPEN = ("--access", "first-visitor")


def test_one_click_leads_to_the_assistant(browser: Browser, tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    faults: list[str] = []
    with (
        index(body, halting=True) as packages,
        started(place, MODEL | packages.environ, "--demo", *OPEN) as start,
    ):
        page = opened(browser, start.origin, DESKTOP, faults)
        button = page.get_by_role("button", name="Install Dependencies")
        expect(button).to_be_enabled(timeout=STEP)
        watcher = opened(browser, start.origin, PHONE, faults)
        expect(watcher.get_by_text("Another page was here first")).to_be_visible(timeout=STEP)
        expect(watcher.get_by_role("button", name="Install Dependencies")).to_be_disabled()
        keep(page, "install")
        button.click()
        expect(watcher.get_by_role("progressbar")).to_be_visible(timeout=STEP)
        expect(page.get_by_text("Downloading")).to_be_visible(timeout=STEP)
        keep(page, "install-running")
        keep(watcher, "install-running-phone")
        watcher.context.close()
        packages.halt.set()
        expect(page.get_by_role("button", name="I understand")).to_be_visible(timeout=STEP)
        # a page learns by a 404 that another program answers by now
        assert [each for each in faults if "404" not in each] == []
        page.context.close()


def test_a_fault_and_its_cure_are_shown(browser: Browser, tmp_path: Path) -> None:
    faults: list[str] = []
    place = program(tmp_path, wheel())
    with started(place, MODEL | alone(NOWHERE), "--demo", *OPEN) as start:
        page = opened(browser, start.origin, PHONE, faults)
        page.get_by_role("button", name="Install Dependencies").click()
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=STEP)
        expect(page.get_by_role("button", name="Try again")).to_be_enabled()
        keep(page, "install-fault-phone")
        assert faults == []
        page.context.close()


def test_a_service_that_ended_is_said_and_the_next_one_heard(
    browser: Browser, tmp_path: Path
) -> None:
    body = wheel()
    place = program(tmp_path, body)
    with index(body, halting=True) as first, index(body, halting=True) as second:
        with started(place, MODEL | first.environ, "--demo", *OPEN) as start:
            page = opened(browser, start.origin, PHONE, [])
            page.get_by_role("button", name="Install Dependencies").click()
            lines = page.locator("#lines")
            expect(lines).to_contain_text("Downloading", timeout=STEP)
            start.process.terminate()
            expect(page.get_by_role("alert")).to_contain_text("does not answer", timeout=STEP)
            keep(page, "install-silent-phone")
        port = start.origin.rpartition(":")[2]
        with started(place, MODEL | second.environ, "--demo", *OPEN, "--port", port):
            expect(lines).to_contain_text(second.environ["PIP_INDEX_URL"], timeout=STEP)
            expect(lines).not_to_contain_text(first.environ["PIP_INDEX_URL"])
            expect(page.get_by_role("alert")).to_be_hidden()
            page.context.close()
