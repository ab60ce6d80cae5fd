"""Text typed into the computer from the page: asked about first, then typed, or stopped."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.support.browser import PHONE, keep, needs_browser, opened, press_until_gone
from tests.support.devices import interpret
from tests.support.page_checks import THUMB, axe
from tests.support.scripted_service import Stage, stage

pytestmark = needs_browser


def typed(live: Stage) -> str:
    return interpret([("keyboard", each) for each in live.reports("keyboard")]).text


TYPE_AGAIN_AT_ONCE = """() => {
  const button = document.querySelector('.paste [type=submit]');
  new MutationObserver((_, observer) => {
    if (button.disabled) return;
    observer.disconnect();
    button.dataset.again = '';
    button.click();
  }).observe(button, { attributes: true });
}"""


def test_a_text_is_asked_about_typed_and_stopped(browser: Browser) -> None:
    with stage("take_over=true") as live:
        page = opened(browser, live.url, PHONE, [])
        page.get_by_role("button", name="Paste").click()
        dialog = page.get_by_role("dialog", name="Paste as keystrokes")
        text, alert = dialog.get_by_role("textbox"), dialog.get_by_role("alert")
        text.fill("rm -rf /srv/ï\n")
        dialog.get_by_label("Hide text").check()
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Paste").click()
        expect(text).to_have_value("rm -rf /srv/ï\n")
        expect(text).to_contain_class("is-hidden")
        dialog.get_by_role("button", name="Type").click()
        expect(alert.filter(has_text="'ï' (U+00EF)")).to_be_visible()
        press_until_gone(dialog.get_by_role("button", name="Skip and type"))
        expect(alert.filter(has_text="This deletes files for good.")).to_be_visible()
        assert [*axe(page), *page.evaluate(THUMB)] == []
        assert typed(live) == ""
        press_until_gone(dialog.get_by_role("button", name="Type anyway"))
        expect(dialog).to_be_hidden()
        assert typed(live) == "rm -rf /srv/\n"
        expect(page.locator("#composer-note")).to_have_text("Typed 13 characters.")
        keep(page, "phone-pasted")
        page.get_by_role("button", name="Take over").click()
        expect(page.locator("#composer-note")).to_be_hidden()
        page.get_by_role("button", name="Hand back").click()

        page.get_by_role("button", name="Paste").click()
        expect(text).to_have_value("")  # it was typed
        expect(text).not_to_contain_class("is-hidden")
        text.fill("x" * 5000)
        dialog.get_by_role("button", name="Type").click()
        expect(dialog.locator(".meter")).to_contain_text("of 5000 characters")
        page.evaluate(TYPE_AGAIN_AT_ONCE)
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog.locator("[type=submit]")).to_have_attribute("data-again", "")
        expect(dialog.locator(".meter")).to_have_text(re.compile(r"^\d{3} of [34]\d{3}"))
        dialog.get_by_role("button", name="Stop", exact=True).click()
        cut_off = alert.filter(has_text=re.compile(r"^\d+ of \d+ characters typed\."))
        expect(cut_off).to_be_visible()
        expect(dialog.locator("#composer-note")).to_have_text("All keys are released.")
        left, arrived = len(text.input_value()), len(typed(live))
        assert 0 < arrived < 5000
        assert 5000 - left - arrived in (0, 1, 2), "of each interruption one may not have arrived"
        keep(page, "phone-paste-stopped")
        box = dialog.get_by_role("button", name="Cancel").bounding_box()
        assert box
        assert box["height"] < 50, "not as high as Stop with what it says"
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Paste").click()
        expect(cut_off).to_have_count(0)
        expect(page.locator("#state")).to_contain_text("Ready")
        expect(text).to_have_value("x" * left)
        text.fill("y" * 5000)
        dialog.get_by_role("button", name="Type").click()
        dialog.get_by_role("button", name="Stop", exact=True).click()  # also after a stop
        expect(cut_off).to_be_visible()
        page.context.close()
