"""What the page gives a screen reader to say, in a real Chromium; `tests.proofs.reader` listens."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.support.browser import DESKTOP, PHONE, needs_browser, opened
from tests.support.page_views import ASKED
from tests.support.scripted_service import Stage, answered, ended, looked, stage

pytestmark = needs_browser
LISTEN = """() => {
  window.told = [];
  for (const node of document.querySelectorAll('[aria-live]'))
    new MutationObserver((changes) => {
      for (const {addedNodes} of changes)
        window.told.push(...[...addedNodes].map((each) => `${node.ariaLive}: ${each.textContent}`));
    }).observe(node, {childList: true, subtree: true, characterData: true});
}"""


def listening(browser: Browser, live: Stage) -> Page:
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator(".empty")).to_be_visible()
    page.evaluate(LISTEN)
    return page


def told(page: Page, last: str) -> list[str]:
    """All that was told since the last call, as soon as `last` is."""
    page.wait_for_function("last => window.told.some((each) => each.includes(last))", arg=last)
    found: list[str] = page.evaluate("window.told.splice(0)")
    return found


def test_a_step_is_one_sentence_and_of_steps_that_outrun_the_voice_the_newest_is_told(
    browser: Browser, live: Stage
) -> None:
    """What streams or ticks is not told."""
    page = listening(browser, live)
    live.begin()
    live.tell(*looked(1))
    live.send_transient("draft", text="I see a")
    live.send_transient("draft", text="I see a printer")
    expect(page.locator(".draft")).to_have_text("I see a printer")
    thought = "The dialog has come. I see the printer and click it."
    live.tell(*answered(1, thought=thought), *ended(1), *looked(2))  # in one go
    said = "polite: Step 1: Click. I see the printer and click it."
    assert told(page, "Step 1") == ["polite: Running", said]
    actions: list[dict[str, Any]] = [
        {"kind": "type", "text": "hello"},
        {"kind": "wait", "seconds": 1},
    ]
    live.tell(*answered(2, actions=actions, thought=""))
    assert told(page, "Step 2") == ["polite: Step 2: Type “hello”, Wait 1 s. "]
    live.send_transient("typed", step=2, count=3)
    wrong = {"step": 2, "ok": False, "outcome": "Not carried out.", "seconds": 1.0}
    live.tell(("step", wrong), ("done", {"text": "Printed."}))
    assert told(page, "Done") == [
        "polite: Step 2 not done: Not carried out.",
        "polite: Done. Printed.",
    ]
    live.begin()
    for number in range(1, 7):
        live.step(number, thought="I see it and " + "click and " * 8)
    steps = [each for each in told(page, "Step 6") if "Step" in each]
    assert len(steps) <= 3
    page.context.close()


def test_a_picture_that_goes_away_a_correction_that_waits_and_each_question_are_told(
    browser: Browser, live: Stage
) -> None:
    """A question at once, and again when it comes again."""
    page = listening(browser, live)
    expect(page.locator("#caption")).to_contain_text("Live")
    live.begin()
    live.tell(("said", {"text": "the other one", "queued": True}))
    assert "polite: Goes with the next step" in told(page, "Goes with")
    gone = {"state": "no_signal", "sentence": "", "width": 1280, "height": 720}
    live.tell(("screen", gone))
    assert "polite: No signal" in told(page, "No signal")
    live.tell(("screen", {**gone, "state": "live"}))
    assert "polite: Live" in told(page, "Live")
    for _ in range(2):
        asked: list[Any] = [("question", {"text": "Which?"}), ("status", {"status": "asking"})]
        live.tell(*((kind, {"reason": "", **data}) for kind, data in asked))
        assert "assertive: The agent asks: Which?" in told(page, "Which?")
        live.tell(("said", {"text": "the left", "queued": False}))
        live.tell(("status", {"status": "running", "reason": ""}))
    refused = {"step": 1, "ok": False, "outcome": "Refused.", "seconds": 1.0}
    asks = ("question", {"text": "Refused. What should I do?"})
    live.tell(*looked(1), *answered(1), ("step", refused), asks)
    assert "not done" not in " ".join(told(page, "What should I do?"))
    live.tell(("failed", {"text": "The model server is gone."}))
    assert told(page, "gone")[-1] == "assertive: Failed. The model server is gone."
    page.context.close()


def test_the_message_box_takes_the_focus_only_where_no_keyboard_comes_up(
    browser: Browser, live: Stage
) -> None:
    for size in (DESKTOP, PHONE):
        page = opened(browser, live.url, size, [])
        page.locator("#box").focus()
        live.begin()
        live.tell(*looked(2), *answered(2), ASKED)
        expect(page.get_by_role("dialog")).to_be_focused()
        live.tell(("answered", {"id": 1, "answer": "refused"}))
        page.wait_for_timeout(500)
        after_refusal = page.locator("#box:focus").count()
        page.locator("#box").blur()
        live.tell(("question", {"text": "Which?"}), ("status", {"status": "asking", "reason": ""}))
        expect(page.get_by_text("Which?", exact=True)).to_be_visible()
        page.wait_for_timeout(500)
        at_question = page.locator("#box:focus").count()
        assert [after_refusal, at_question] == [size == DESKTOP] * 2
        page.context.close()


def test_what_is_asked_before_a_risky_action_is_heard_whole_and_once(
    browser: Browser, live: Stage
) -> None:
    page = listening(browser, live)
    page.locator("#box").focus()
    live.begin()
    typing = {"kind": "type", "text": "rm -rf  build"}
    step = answered(2, actions=[typing])
    live.tell(*looked(2), *step, ("approval", {**ASKED[1], "action": typing}))
    card = page.get_by_role("dialog")
    expect(card).to_be_focused()  # itself: Orca may be silent about what takes the focus in it
    expect(card).to_have_accessible_name(
        re.compile(r"Allow this action\?.*shuts down.*rm -rf␣ build")
    )
    expect(card).to_have_accessible_description("")  # Orca would read it after the name, again
    assert "seconds" not in card.aria_snapshot()
    assert " s" not in card.locator("h2").inner_text()
    page.wait_for_timeout(1000)  # the step would have been told by now, over the card
    assert not page.evaluate("window.told.filter((each) => each.includes('Step'))")
    live.tell(("answered", {"id": 1, "answer": "refused"}))
    expect(page.locator("#box")).to_be_focused()
    page.context.close()


def test_the_safety_notice_is_read_out_with_its_dialog(browser: Browser) -> None:
    with stage("notice_acknowledged=false") as live:
        page = opened(browser, live.url, DESKTOP, [])
        notice = page.get_by_role("dialog", name="Before you start")
        expect(notice).to_have_accessible_name(re.compile("real computer.*misled.*Esc twice"))
        expect(notice).to_have_accessible_description(
            ""
        )  # Orca would read it after the name, again
        expect(notice).to_be_focused()  # itself: Orca may be silent about its button
        page.keyboard.press("Tab")
        expect(page.locator("#understood")).to_be_focused()
        page.context.close()
        phone = opened(browser, live.url, PHONE, [])
        expect(phone.locator("#notice")).to_contain_text("Press Stop")
        expect(phone.get_by_text("Esc twice")).to_be_hidden()
        phone.context.close()


def test_a_button_that_changes_its_name_says_so_and_what_was_cleared_is_told(
    browser: Browser, live: Stage
) -> None:
    """Steps are headings; what a search finds is told when the typing rests."""
    page = listening(browser, live)
    live.begin()
    assert told(page, "Running") == ["polite: Running"]
    live.step(7, thought="Here it is.")
    step = page.get_by_role("heading", name="Step 7", level=3)
    expect(step).to_be_visible()
    assert (
        step.get_attribute("aria-label") is None
    )  # Orca reads what a heading holds, not its label
    expect(page.locator("#chat h2")).to_have_text(
        re.compile(r":\d\d Find the printer")
    )  # Orca glues
    expect(page.locator(".step .thought")).to_have_text("Here it is.")
    told(page, "Step 7")
    page.locator("#reset").press("Enter")
    assert told(page, "End") == ["polite: End task and clear?"]
    page.locator("#reset").press("Enter")
    told(page, "Chat cleared.")
    expect(page.locator("#reset")).to_be_focused()  # it rested meanwhile, which takes the focus
    page.get_by_role("button", name="Hide screen").click()
    expect(page.get_by_role("button", name="Show screen")).to_be_visible()
    live.begin("Close the window")
    page.get_by_role("tab", name="Log").click()
    expect(page.locator("#log li").last).to_be_visible()
    told(page, "Running")
    page.locator("#log-search").press_sequentially("close the window")
    assert page.locator("#log-note").text_content() == "1 result"  # a count that is old is false
    assert told(page, "result") == ["polite: 1 result"]
    page.context.close()


def test_who_takes_over_by_the_keyboard_gets_a_field_which_lets_every_key_through(
    browser: Browser,
) -> None:
    with stage("take_over=true") as live:
        page = listening(browser, live)
        expect(page.locator("#caption")).to_contain_text("Live")
        expect(page.locator("#take")).to_be_visible()
        page.locator("#take").press("Enter")
        field = page.get_by_role("textbox", name="Ctrl+Alt+Home goes to")
        expect(field).to_be_focused()
        page.keyboard.press("Control+Alt+Home")
        expect(page.get_by_role("button", name="Hand back")).to_be_focused()
        page.keyboard.press("Enter")
        assert told(page, "Take over") == ["polite: Take over"]
        page.context.close()


def test_the_focus_comes_back_from_a_picture_and_a_replay_and_stays_in_the_settings(
    browser: Browser, live: Stage
) -> None:
    """The next step of a replay is told."""
    page = listening(browser, live)
    live.begin()
    live.tell(*looked(1))
    picture = page.get_by_role("button", name="Screenshot of step 1")
    picture.press("Enter")
    expect(page.locator("#lightbox")).to_be_visible()
    live.tell(*answered(1))
    expect(page.locator("article.step .thought")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(picture).to_be_focused()
    live.tell(*ended(1))
    live.step(2)
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Find the printer").click()
    page.get_by_role("button", name="Next step").press("Enter")
    status = page.get_by_role("status").filter(has_text="Step 2 · Click")
    expect(status).to_be_attached()
    page.get_by_role("button", name="All tasks").press("Enter")
    expect(page.get_by_role("button", name="Find the printer")).to_be_focused()
    page.get_by_role("tab", name="Settings").click()
    page.get_by_role("button", name="Model", exact=True).press("Enter")
    expect(page.get_by_role("group", name="Model")).to_be_focused()
    page.locator("#set-max_rounds").fill("21")
    page.locator("#set-max_rounds").press("Enter")
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(page.locator("#set-max_rounds")).to_be_focused()  # drawn anew, it would have lost it
    page.context.close()
