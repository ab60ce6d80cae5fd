"""The card that asks before a risky action, in a real Chromium: what it shows, and both answers."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import (
    DESKTOP,
    DRAWN,
    LYING,
    PHONE,
    STEP,
    TABLET,
    ZOOMED,
    fingers,
    keep,
    needs_browser,
    opened,
    press_until_gone,
)
from tests.support.page_checks import axe
from tests.support.page_views import ASKED
from tests.support.scripted_service import CLICK, Stage, answered, looked

pytestmark = needs_browser
LINE_PX = 32
"""No label is higher in the enlarged picture."""
TEXT_ABOVE = 120 / 1280
"""How far above its buttons a dialog's text may stand, as a share of the screen's width."""
TYPING = {"kind": "type", "text": "rm -rf build"}
PUT_UNDER = """([x, y]) => Object.assign(document.querySelector('#send').style,
  {position: 'fixed', left: `${x - 40}px`, top: `${y - 20}px`, zIndex: 9})"""
"""Where *Send* stands depends on the length of the question that it comes after."""


def test_a_no_with_its_reason_and_a_second_click_that_presses_nothing_else(
    browser: Browser, live: Stage
) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, DESKTOP, faults)
    page.locator("#box").fill('type "rm -rf  build"')
    page.get_by_role("button", name="Send").click()
    card = page.get_by_role("dialog")
    expect(card).to_be_visible(timeout=STEP)
    expect(card).to_contain_text("This deletes files for good.")
    expect(card.locator(".keys")).to_have_text("rm -rf␣ build")
    expect(card.get_by_title("Space")).to_have_text("␣")
    expect(page.locator("#state")).to_contain_text("Needs approval")
    expect(page.locator("article.step .phase")).to_have_text("Waiting for your approval")
    expect(page.locator("article.step .phase .icon")).to_have_count(0)
    expect(page.locator("article.step [aria-current=step]")).to_contain_text("rm -rf")
    expect(page.get_by_role("button", name="Stop")).to_be_enabled()
    keep(page, "approval-desktop")
    card.get_by_role("textbox").fill("Not that folder.")
    refuse = card.get_by_role("button", name="Refuse")
    box = refuse.bounding_box()
    assert box
    page.evaluate("document.querySelector('#box').value = 'half a'")
    press_until_gone(refuse)
    page.evaluate(PUT_UNDER, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    page.evaluate("addEventListener('click', ({target}) => window.pressed = target.id)")
    for count, pressed in ((2, None), (1, "send")):  # the second of two clicks; one of its own
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        assert page.evaluate("window.pressed") == pressed
    expect(page.locator("#chat")).to_contain_text("“Not that folder”.", timeout=STEP)
    assert faults == []
    page.context.close()


def test_with_a_finger_a_yes_has_to_be_held_and_the_end_of_the_hold_presses_nothing_else(
    browser: Browser, live: Stage
) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    finger = fingers(page)
    page.locator("#box").fill("press ALT+F4")
    page.get_by_role("button", name="Send").click()
    card = page.get_by_role("dialog")
    expect(card).to_be_visible(timeout=STEP)
    keep(page, "approval-phone")
    allow = card.locator("#allow")
    expect(allow).to_have_text("Hold to allow once")
    page.wait_for_timeout(500)
    wide = allow.evaluate("button => button.offsetWidth")
    allow.tap()
    expect(allow).to_have_text("Keep holding…")
    assert allow.evaluate("button => button.offsetWidth") == wide
    keep(page, "approval-phone-tapped")
    expect(allow).to_have_text("Hold to allow once")
    page.evaluate("document.querySelector('#box').value = 'half a'")
    page.evaluate("addEventListener('click', ({target}) => window.pressed = target.outerHTML)")
    box = allow.bounding_box()
    assert box
    at = (box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    finger("touchStart", at)
    expect(card).to_be_hidden(timeout=STEP)
    page.evaluate(PUT_UNDER, at)
    finger("touchEnd")
    page.wait_for_timeout(500)
    assert page.evaluate("window.pressed") is None
    expect(page.locator("#box")).to_have_value("half a")
    expect(page.locator("#chat")).to_contain_text("You allowed this once.")
    page.get_by_role("button", name="Reset").tap()
    assert "reset" in page.evaluate("window.pressed"), "the next touch counts"
    assert faults == []
    page.context.close()


def test_nothing_hides_a_question_nor_anything_in_it(browser: Browser, live: Stage) -> None:
    """A picture at full size, the full screen, a closed drawer; signs that are not seen."""
    page = opened(browser, live.url, LYING, [])
    live.begin()
    live.step(1)
    live.tell(*looked(2))
    page.locator("article.step .shot button").first.click()
    expect(page.locator("#lightbox")).to_be_visible()
    text = "echo hi \u202e; fr- mr\u200b #" + "\n" * 180 + "the end"
    typing = {"kind": "type", "text": text}
    live.tell((ASKED[0], {**ASKED[1], "action": typing}))
    expect(page.locator("#lightbox")).to_be_hidden()
    card = page.get_by_role("dialog")
    expect(card.locator(".keys")).to_contain_text("hi ⟨U+202E⟩; fr- mr⟨U+200B⟩ #⏎")
    expect(card).to_contain_text("207 characters, 181 lines")
    card.get_by_role("textbox").fill("why?")
    page.locator("#language").click()
    expect(card).to_contain_text("允许此操作吗")
    expect(card.get_by_role("textbox")).to_have_value("why?")
    page.locator("#language").click()

    live.tell(("answered", {"answer": "allowed"}))
    page.locator("#drawer").click()
    expect(page.locator("#chat")).to_be_hidden()
    page.locator("#full").click()
    expect(page.locator(":fullscreen")).to_have_count(1)
    live.tell(("question", {"text": "Which?"}), ("status", {"status": "asking", "reason": ""}))
    expect(page.locator(":fullscreen")).to_have_count(0)
    expect(page.get_by_text("Which?", exact=True)).to_be_in_viewport()
    page.context.close()


def test_the_picture_is_of_the_moment_of_the_question_and_keys_leave_the_live_one_large(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    live.begin()
    live.tell(*looked(1), *answered(1))
    after = "After the click on “Search”."
    with page.expect_response("**/api/frames/*") as of_step:
        page.locator("article.step .shot button").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    step = of_step.value.url
    with page.expect_response(lambda each: "/api/frames/" in each.url and each.url != step):
        live.tell((ASKED[0], {**ASKED[1], "action": CLICK, "digest": "c"}))
    expect(page.locator("#approval .shot img")).to_be_visible()
    live.tell((ASKED[0], {**ASKED[1], "action": TYPING, "after": after}))
    expect(page.get_by_role("dialog")).to_contain_text(after)
    expect(page.locator("#approval .shot")).to_have_count(0)
    keys, screen = page.locator("#approval .keys"), page.locator("#monitor")
    for width, height in (DESKTOP, TABLET, PHONE, LYING):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        assert keys.evaluate("keys => keys.scrollHeight <= keys.clientHeight")
        expect(keys).to_be_in_viewport(ratio=1)
        expect(screen).to_be_in_viewport(ratio=1)
        keep(page, f"approval-after-click-{width}")
    page.context.close()


def test_where_there_is_little_room_the_whole_text_is_passed_on_the_way_to_the_answers(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, LYING, [])
    live.begin()
    line = "rm -rf /x\n"
    texts = (line.strip(), "echo 1\n" * 3 + line, "echo 1\n" * 30 + line)
    keys = page.locator("#approval .keys")
    sizes = itertools.product(((390, 420), ZOOMED, LYING), texts)
    for number, ((width, height), text) in enumerate(sizes, 1):
        page.set_viewport_size({"width": width, "height": height})
        typing = {"kind": "type", "text": text}
        asked = {**ASKED[1], "id": number, "digest": str(number), "action": typing}
        live.tell(*looked(number), *answered(number)[:-1], ("approval", asked))
        expect(keys).to_have_text(text.replace("\n", "⏎\n"))
        page.evaluate(DRAWN)
        expect(page.locator("#approval-title")).to_be_in_viewport(ratio=1)
        assert keys.evaluate("keys => keys.scrollHeight <= keys.clientHeight"), "nothing is cut"
        keep(page, f"approval-{width}-text-{number}")
        if text == texts[-1]:
            expect(page.locator("#allow")).not_to_be_in_viewport()
            page.locator("#allow").scroll_into_view_if_needed()
        if text != texts[1]:
            expect(page.locator("#allow")).to_be_in_viewport(ratio=0.75)
        low, high = keys.bounding_box(), page.locator("#approval .final").bounding_box()
        assert low
        assert high
        assert low["y"] + low["height"] <= high["y"]
        keep(page, f"approval-{width}-text-{number}-end")
        live.tell(("answered", {"answer": "allowed"}))
    page.context.close()


@pytest.mark.parametrize("sizes", [[TABLET, PHONE], [DESKTOP]], ids=["touch", "mouse"])
def test_a_reason_can_be_written_without_looking_for_its_field(
    browser: Browser, live: Stage, sizes: list[tuple[int, int]]
) -> None:
    page = opened(browser, live.url, sizes[0], [])
    live.begin()
    typing = {"kind": "type", "text": "rm -rf build\n" * 9}
    clicking: dict[str, Any] = {"action": {**CLICK, "count": 2}, "brief": "Click “Delete”"}
    cases: list[dict[str, Any]] = [{}, {"action": typing}, clicking]
    for number, more in enumerate(cases, 1):
        asked = {**ASKED[1], "id": number, "digest": str(number), **more}
        live.tell(*looked(number), *answered(number)[:-1], ("approval", asked))
        expect(page.locator("#approval .keys")).to_have_count(int(number == 2))
        expect(page.locator("#approval input")).to_have_value("")
        page.locator("#approval input").fill("Not that one.")
        page.reload()
        expect(page.locator("#approval input")).to_have_value("Not that one.")
        for size in sizes:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate(DRAWN)
            field, answers = page.locator("#approval input"), page.locator("#approval .answers")
            expect(field).to_be_in_viewport(ratio=1)
            low, high = field.bounding_box(), answers.bounding_box()
            assert low
            assert high
            assert low["y"] + low["height"] < high["y"]
            keep(page, f"approval-{size[0]}-{number}")
            if size == TABLET:
                assert axe(page) == []
            if size == PHONE and number == 2:
                field.focus()
                page.set_viewport_size({"width": 390, "height": 430})  # its keyboard is out
                expect(page.locator("body[data-writing]")).to_have_count(1)
                expect(page.locator("#approval .keys")).to_be_in_viewport(ratio=1)
                keys, low = page.locator("#approval .keys").bounding_box(), field.bounding_box()
                assert keys
                assert low
                assert keys["y"] + keys["height"] <= low["y"], "what would be typed is read"
                keep(page, "approval-390-keyboard")
            if more is clicking:
                expect(page.locator("#approval-what")).to_have_text("Click “Delete”")
                expect(page.locator("[aria-current=step]")).to_have_text("Click “Delete”")
                if size == DESKTOP:
                    expect(page.locator(".strip p").last).to_have_text("3 Click “Delete”")
                crop, whole = page.locator("#approval .is-close"), page.locator("#approval .whole")
                wide, mark = whole.bounding_box(), page.locator("#approval .mark").bounding_box()
                room = crop.bounding_box()
                assert room
                assert wide
                assert mark
                assert wide["width"] == pytest.approx(3 * room["width"], abs=1)
                above = mark["y"] - room["y"]
                assert above == pytest.approx(room["height"] * 0.7, abs=2)
                assert above / wide["width"] > TEXT_ABOVE
                assert mark["y"] + LINE_PX < low["y"], "nothing covers the target"
                badge = page.locator("#approval .mark b").bounding_box()
                assert badge
                assert room["y"] < badge["y"]
                assert badge["y"] + badge["height"] < mark["y"] - LINE_PX / 2, "it hides no label"
                page.wait_for_timeout(500)  # just after it came, no click counts
                crop.click()
                expect(page.locator("#lightbox header p")).to_have_text("Step 2 · Click “Delete”")
                page.keyboard.press("Escape")
                expect(page.locator("#approval .whole")).to_be_focused()
        live.tell(("answered", {"answer": "allowed"}))
    page.route("**/api/frames/**", lambda route: route.fulfill(status=404))
    live.tell(*looked(4), *answered(4), ("approval", {**ASKED[1], "action": CLICK, "digest": "4"}))
    expect(page.locator("#approval .shot")).to_have_text("Screenshot deleted.")
    expect(page.locator("#approval img")).to_have_count(0)
    live.tell(("task", {"text": "report", "max_rounds": 20, "procedure": "report"}))
    live.tell(*looked(9), *answered(9, scripted=True), ("approval", {**ASKED[1], "id": 9}))
    expect(page.locator("#approval .answers")).to_be_visible()
    expect(field).to_have_count(0)  # a procedure does not read it
    page.context.close()


def test_the_whole_reason_stands_over_the_answers_where_there_is_little_room(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, LYING, [])
    live.begin()
    why = "It closes the program with all that is not saved, or shuts the computer down, and more."
    tasks = [{"id": n, "text": f"print page {n}"} for n in range(1, 4)]
    live.tell(("queue", {"tasks": tasks, "held": ""}))
    asked = ("approval", {**ASKED[1], "why": why, "action": CLICK})
    live.tell(*looked(1), *answered(1), asked)
    for size in (ZOOMED, LYING):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(DRAWN)
        if size == LYING:
            expect(page.locator("#approval .is-close")).to_be_in_viewport(ratio=0.9)
        reason, answers = page.locator("#approval-why"), page.locator("#approval .answers")
        expect(reason).to_be_in_viewport(ratio=1)
        expect(answers).to_be_in_viewport(ratio=1)
        low, high = reason.bounding_box(), answers.bounding_box()
        assert low
        assert high
        assert low["y"] + low["height"] <= high["y"]
        page.get_by_role("textbox", name="Reason").focus()
        field = page.locator("#approval input").bounding_box()
        assert field
        assert field["y"] + field["height"] <= high["y"]
        keep(page, f"approval-{size[0]}-reason")
    page.get_by_role("textbox", name="Reason").fill("not this one")
    live.tell(("status", {"status": "stopped", "reason": "Not approved."}))
    expect(page.locator("#approval")).to_be_hidden()
    live.tell(("status", {"status": "running", "reason": ""}), asked)
    expect(page.get_by_role("textbox", name="Reason")).to_have_value("not this one")
    page.get_by_role("textbox", name="Reason").focus()
    page.set_viewport_size({"width": 844, "height": 190})  # its keyboard is out
    for button in ("#refuse", "#allow", "#stop"):
        expect(page.locator(button)).to_be_in_viewport(ratio=1)
        page.locator(button).click(trial=True)
    page.context.close()
