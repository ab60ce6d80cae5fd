"""The card that asks before a risky action, in a real Chromium: what it shows, and both answers."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser import DESKTOP, PHONE, STEP, keep, needs_browser, opened
from tests.stage import Stage

pytestmark = needs_browser


def test_a_no_with_its_reason(browser: Browser, live: Stage) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, DESKTOP, faults)
    page.locator("#box").fill('type "rm -rf  build"')
    page.get_by_role("button", name="Send").click()
    card = page.get_by_role("alertdialog")
    expect(card).to_be_visible(timeout=STEP)
    expect(card).to_contain_text("It deletes files for good.")
    expect(card.locator(".keys")).to_have_text("rm -rf· build")
    expect(page.locator("#state")).to_contain_text("Needs your yes")
    expect(page.get_by_role("button", name="Stop")).to_be_enabled()
    keep(page, "approval-desktop")
    card.get_by_role("textbox").fill("Not that folder.")
    page.wait_for_timeout(500)  # at first it takes no click
    card.get_by_role("button", name="Refuse").click()
    expect(card).to_be_hidden()
    expect(page.locator("#chat")).to_contain_text("Not that folder.", timeout=STEP)
    assert faults == []
    page.context.close()


def test_with_a_finger_a_yes_has_to_be_held(browser: Browser, live: Stage) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    page.locator("#box").fill("press ALT+F4")
    page.get_by_role("button", name="Send").click()
    card = page.get_by_role("alertdialog")
    expect(card).to_be_visible(timeout=STEP)
    keep(page, "approval-phone")
    allow = card.get_by_role("button", name="Hold to allow once")
    page.wait_for_timeout(500)
    allow.tap()
    expect(card).to_be_visible()
    allow.dispatch_event("pointerdown")
    expect(card).to_be_hidden(timeout=STEP)
    expect(page.locator("#chat")).to_contain_text("Allowed by you, once.")
    assert faults == []
    page.context.close()
