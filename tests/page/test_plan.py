"""Plan first: a plan is edited and approved on a card, and followed as a checklist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cua.messages import Message
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, LYING, PHONE, keep, needs_browser, opened
from tests.support.page_checks import LOST, THUMB, WIDE, axe
from tests.support.scripted_service import Stage, stage

pytestmark = needs_browser
PLAN = {"text": "1. Open it\n2. Save it\n3. Close it"}
SCRIPT = [
    PLAN,
    PLAN,
    {"text": "Plan: 2\nkeyboard TAB"},
    {"text": "sleep 2"},
    {"text": "Done"},
]
SEND_WITH_PLAN = """async () => {
  const { call } = await import('/static/core/connection.js');
  await call('/api/send', { text: 'press "F1"', plan: true });
}"""
"""As where the switch was pressed before the settings came, which hide it."""
SCROLL = """() => setInterval(
  () => document.querySelector('#panel-chat').dispatchEvent(new Event('scroll')), 1)"""
COUNT_GAPS = """() => {
  window.gaps = 0;
  new MutationObserver(() => (gaps += document.querySelector('#chat .plan') ? 0 : 1)).observe(
    document.querySelector('#chat'), { childList: true, subtree: true });
}"""


def test_a_plan_is_edited_approved_and_followed(browser: Browser, tmp_path: Path) -> None:
    faults: list[str] = []
    server = OpenAIServer(SCRIPT)
    with in_a_thread(server) as model:
        connection = (f'base_url="{model}/v1"', 'model_name="m"', 'dialect="kvm"')
        with stage('api_type="openai"', *connection) as live:
            page = opened(browser, live.url, PHONE, faults)
            page.get_by_role("textbox", name="Message").fill("save it")
            page.get_by_label("Plan first").check()
            for width, height in (DESKTOP, PHONE):
                page.set_viewport_size({"width": width, "height": height})
                box = page.locator("#box").bounding_box()
                assert box
                assert box["width"] > 300, "there is room to write beside the switch"
            page.get_by_role("button", name="Send").click()
            items = page.get_by_role("textbox", name="of the plan")
            expect(items).to_have_count(3)
            keep(page, "phone-plan")
            written = items.first.bounding_box()
            assert written
            assert written["width"] > 250, "its buttons stand below what is edited"
            expect(page.locator("#state")).to_have_text(re.compile(r"^Check the plan\S+ tok$"))
            assert [*axe(page), *page.evaluate(WIDE), *page.evaluate(THUMB)] == []
            assert page.evaluate(LOST) == []
            page.get_by_role("button", name="Remove step 3").click()
            items.first.fill("Open it first")
            page.get_by_role("textbox", name="Message").fill("close it")
            page.get_by_role("button", name="Send").click()
            expect(items).to_have_count(3)
            parts = [each.get("text") for each in server.calls[1].json()["messages"][1]["content"]]
            assert "The person says: close it" in parts
            assert "The plan so far:\n1. Open it first\n2. Save it" in parts
            keep(page, "phone-plan-after-a-hint")
            page.get_by_role("button", name="Move step 3 up").click()
            expect(page.get_by_role("button", name="Move step 2 up")).to_be_focused()
            page.get_by_role("button", name="Remove step 1").click()
            items.last.fill("Save it twice")
            page.get_by_role("button", name="Add step").click()
            page.keyboard.type("Look")
            page.get_by_role("button", name="Start", exact=True).click()
            line = page.locator("#plan-line")
            expect(line).to_contain_text("Plan: 2 of 3")
            told = server.calls[2].json()["messages"][1]["content"][0]["text"]
            assert "1. Close it\n2. Save it twice\n3. Look" in told
            expect(line.locator(".icon-more")).to_be_in_viewport(ratio=1)  # it is seen to open
            line.locator("summary").click()
            keep(page, "phone-plan-followed")
            expect(line.get_by_text("Save it twice").filter(visible=True)).to_have_count(1)
            expect(line.locator("[aria-current=step]")).to_have_text("Save it twice")
            expect(page.locator("#state")).to_contain_text("Done")
            expect(line).to_be_hidden()
            rows = page.locator("#chat .plan").last.locator("li")
            expect(rows.last).to_have_text("Look · not reported")
            expect(rows).to_have_class(
                ["is-done", "is-done", "is-idle"]
            )  # it did not name the last
            expect(page.locator("#chat [aria-current=step]")).to_have_count(0)
            with page.expect_download() as exported:
                page.get_by_role("button", name="Export").click()
            exported.value.save_as(tmp_path / "task.html")
            told = (tmp_path / "task.html").read_text()
            assert "2. Save it twice" in told
            assert "The agent asks you" not in told, "it is the plan"
            page.reload()
            expect(page.locator("#plan-first")).to_be_checked()
            expect(rows).to_have_class(["is-done", "is-done", "is-idle"])
            live.begin()
            live.tell(("status", {"status": "failed", "reason": ""}))
            switch, anew = page.get_by_label("Plan first"), page.locator("#new-task")
            for pressed in (False, True):  # a hint, then a new task
                page.locator("#box").fill("")
                expect(anew).to_have_attribute("aria-pressed", str(pressed).lower())
                expect(switch).to_be_visible(visible=pressed)
                page.locator("#box").fill("open it")
                expect(switch).to_be_visible(visible=pressed)
                anew.click()
            anew.click()
            keep(page, "phone-plan-of-a-new-task")
            assert [*axe(page), *page.evaluate(WIDE), *page.evaluate(THUMB)] == []
            page.route("**/api/send", lambda route: route.fulfill(json={}))
            with page.expect_request("**/api/send") as sent:
                page.get_by_role("button", name="Send").click()
            assert sent.value.post_data_json == {"text": "open it", "plan": True, "anew": True}
            page.reload()
            page.locator("#box").fill("look again")
            expect(switch).to_be_hidden()
            page.locator("#box").fill("")
            live.tell(("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
            expect(page.locator("#state")).to_have_text("Done")  # an earlier card has it too
            page.route("**/api/send", lambda route: route.fulfill(json={}))
            with page.expect_request("**/api/send") as sent:
                page.get_by_role("button", name="Run again").last.click()
            again = {"text": "Find the printer", "anew": True}
            assert sent.value.post_data_json == again, "the switch is hidden"
    assert faults == []
    page.context.close()


def test_what_one_page_edits_in_a_plan_every_page_shows_also_after_a_reload(
    browser: Browser,
) -> None:
    with in_a_thread(OpenAIServer([PLAN])) as model:
        connection = (f'base_url="{model}/v1"', 'model_name="m"', 'dialect="kvm"')
        with stage('api_type="openai"', *connection) as live:
            page, other = (opened(browser, live.url, size, []) for size in (PHONE, DESKTOP))
            page.evaluate(SEND_WITH_PLAN)
            items, others = (
                each.get_by_role("textbox", name="of the plan") for each in (page, other)
            )
            expect(others).to_have_count(3)
            items.nth(1).press("Home")
            items.nth(1).press_sequentially("Print and s")
            items.nth(1).press("Delete")
            expect(others.nth(1)).to_have_value("Print and save it")
            other.get_by_role("button", name="Remove step 1").click()
            other.get_by_role("button", name="Add step").click()
            other.keyboard.type("Look")
            expect(items.nth(2)).to_have_value("Look")
            items.nth(1).press_sequentially("!")
            other.get_by_role("button", name="Remove step 3").click()
            expect(items).to_have_count(2)
            other.get_by_role("button", name="Move step 2 up").click()
            expect(items.first).to_have_value("Close it!")
            page.keyboard.type("?")  # the cursor has moved with its text
            expect(others.first).to_have_value("Close it!?")
            keep(page, "phone-plan-of-two-pages")
            page.reload()
            expect(items).to_have_count(2)
            expect(items.last).to_have_value("Print and save it")
            page.route("**/api/plan", lambda route: route.fulfill(json={}))
            with page.expect_request("**/api/plan") as sent:
                page.get_by_role("button", name="Start", exact=True).click()
            assert (sent.value.post_data_json or {})["items"] == ["Close it!?", "Print and save it"]
    page.context.close()
    other.context.close()


@pytest.mark.parametrize(
    ("size", "floats"),
    [((PHONE[0], 560), True), ((PHONE[0], 430), False), (LYING, True)],
    ids=["the row floats", "its place is the end", "it floats on a phone on its side"],
)
def test_no_button_of_a_plan_covers_what_is_edited(
    browser: Browser, live: Stage, size: tuple[int, int], *, floats: bool
) -> None:
    page = opened(browser, live.url, size, [])
    live.begin()
    plan = {"items": [f"Open window {n}, then read all of it" for n in range(6)], "approved": False}
    live.tell(("plan", plan), ("question", {"text": "Check it."}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    items = page.get_by_role("textbox", name="of the plan")
    items.first.focus()
    row = page.locator(".plan-editor .buttons")
    start = expect(row.get_by_role("button", name="Start", exact=True))
    if floats:
        start.to_be_in_viewport(ratio=1)
    else:
        start.not_to_be_in_viewport()
    faded = "node => getComputedStyle(node, '::before').height"
    assert row.evaluate(faded) == "8px", "what scrolls on under it is not cut hard"
    for number in range(1, 6):
        for _ in range(3 if number == 1 else 4):  # past its other buttons; the first has no "up"
            page.keyboard.press("Tab")
        expect(items.nth(number)).to_be_focused()
        item, buttons = items.nth(number).bounding_box(), row.bounding_box()
        assert item
        assert buttons
        assert item["y"] + item["height"] <= buttons["y"]
    keep(page, f"phone-plan-edited-{size[1]}")
    page.context.close()


def test_an_edit_that_cannot_be_saved_stays_and_is_sent_when_the_service_is_back(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    live.tell(("plan", {"items": ["One", "Two"], "approved": False}))
    live.tell(("question", {"text": "Check it."}), ("status", {"status": "asking", "reason": ""}))
    page.route("**/api/plan-edits", lambda route: route.fulfill(json=0))
    items = page.get_by_role("textbox", name="of the plan")
    with page.expect_request("**/api/plan-edits") as sent:
        items.first.fill("One by me")
    told = sent.value.post_data_json or {}
    live.tell(("plan_edited", {"items": told["items"], "proposal": told["proposal"]}))
    page.unroute("**/api/plan-edits")
    page.context.set_offline(True)
    expect(page.locator("#state")).to_contain_text("Reconnecting")
    items.last.fill("Two by me")
    page.get_by_role("button", name="Add step").click()
    page.keyboard.type("Three")
    error = page.locator(".plan-editor .error")
    expect(error).to_be_visible()
    expect(items.last).to_be_focused()
    page.route("**/api/plan-edits", lambda route: route.fulfill(json=9999))  # not told yet
    with page.expect_request("**/api/plan-edits") as sent:
        page.context.set_offline(False)
    assert (sent.value.post_data_json or {})["items"] == ["One by me", "Two by me", "Three"]
    expect(error).to_be_hidden()
    for number in range(4, 21):
        page.get_by_role("button", name="Add step").click()
        expect(items).to_have_count(number)
    expect(page.get_by_role("button", name="Add step")).to_be_disabled()
    page.context.close()


def test_the_local_operator_is_not_offered_to_plan(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    page.evaluate("localStorage.setItem('cua-plan-first', 'true')")
    page.reload()
    expect(page.get_by_label("Plan first")).to_be_disabled()
    send = page.get_by_role("button", name="Send")
    before = send.bounding_box()
    page.get_by_role("textbox", name="Message").fill("look around")
    expect(page.get_by_text("Plan first")).to_be_hidden()
    keep(page, "phone-plan-not-offered")
    assert send.bounding_box() == before
    with page.expect_request("**/api/send") as sent:
        send.click()
    assert sent.value.post_data_json == {"text": "look around"}
    page.get_by_role("button", name="Reset").dblclick()
    expect(page.locator(".empty")).to_be_visible()
    page.context.close()


def test_a_plan_waits_until_it_is_started_or_over(browser: Browser, live: Stage) -> None:
    """Also one that a scrolling list draws before the page has. Without a step, *Start* would be
    the same as *Start without a plan*. Once another task has begun, its card can only be read.
    """
    asks = ("question", {"text": "Check it."}), ("status", {"status": "asking", "reason": ""})
    page = opened(browser, live.url, PHONE, [])
    page.evaluate(SCROLL)
    live.begin()
    expect(page.locator("#chat .is-task")).to_be_visible()
    live.tell(("plan", {"items": [], "approved": False}), *asks)
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_disabled()
    expect(page.get_by_placeholder("Change the plan…")).to_be_visible()
    page.get_by_role("button", name="Add step").click()
    keep(page, "phone-plan-without-a-step")
    expect(start).to_be_disabled()
    page.keyboard.type("Look")
    expect(start).to_be_enabled()
    page.get_by_role("button", name="Remove step 1").click()
    expect(start).to_be_disabled()
    for items in (["Look"], ["Open it", "Save it"]):
        live.begin()
        expect(start).to_have_count(0)
        expect(page.get_by_role("textbox", name="of the plan")).to_have_count(0)
        live.tell(("plan", {"items": items, "approved": False}), *asks)
        expect(page.get_by_role("textbox", name="of the plan")).to_have_count(len(items))
    expect(page.locator("#monitor")).to_be_hidden()
    for shown in (True, False):
        page.locator("#fold").click()
        expect(page.locator("#monitor")).to_be_visible(visible=shown)
    page.set_viewport_size({"width": LYING[0], "height": LYING[1]})
    expect(page.locator("#monitor")).to_be_visible()
    second = page.get_by_role("textbox", name="of the plan").last.bounding_box()
    buttons = page.locator(".plan-editor .buttons").bounding_box()
    assert second
    assert buttons
    assert second["y"] + 30 < buttons["y"], "its words are read"
    keep(page, "lying-plan-after-another")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    keep(page, "phone-plan-after-another")
    page.route("**/api/plan", lambda route: route.fulfill(json={}))
    with page.expect_request("**/api/plan") as sent:
        start.click()
    told = sent.value.post_data_json or {}
    assert told["items"] == ["Open it", "Save it"]
    assert told["proposal"] > 0
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#monitor")).to_be_visible()
    page.context.close()


def test_a_mark_in_the_plan_is_drawn_at_once(browser: Browser, live: Stage) -> None:
    """A card that is empty for a moment leaves the list short of its end. Until the plan has come,
    the page says how long it waits, as of a step.
    """
    plan = {"items": ["Open it", "Save it"], "approved": False}
    page = opened(browser, live.url, PHONE, [])
    expect(page.locator("#caption")).to_contain_text("Live")
    live.begin()
    writing = ("log", {"level": "info", "text": Message("plan.writing"), "aloud": True})
    live.tell(writing)
    note = page.locator("#chat .is-note").last
    expect(note.locator(".phase")).to_have_text(re.compile(r"^Thinking 0:0\d$"))
    live.send_transient("silence", seconds=5.0, left=25.0)
    expect(note).to_contain_text("No data from the model server since")
    expect(page.locator("#glance")).to_contain_text("No data since")
    keep(page, "phone-plan-silence")
    live.tell(("retry", {"seconds": 9.0}))
    expect(note).to_contain_text(re.compile(r"Model server busy\s*retry in \d s"))
    live.tell(("said", {"text": "twice", "queued": True}))
    live.tell(("plan", plan), ("question", {"text": "Check the plan."}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(note).to_have_css("height", "0px")  # it is written
    hint = page.locator("#chat .is-said small")
    expect(hint).to_have_text("Goes with the next step")
    live.tell(("status", {"status": "running", "reason": ""}), writing)
    expect(hint).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))  # its request has the hint
    live.tell(("plan", plan), ("question", {"text": "Check the plan."}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    live.tell(("plan", {**plan, "approved": True}), ("status", {"status": "running", "reason": ""}))
    expect(page.locator("#chat .plan .is-running")).to_have_text("Open it")
    line = page.locator("#plan-line")
    page.set_viewport_size({"width": PHONE[0], "height": 420})
    expect(line).to_be_visible()
    page.evaluate("document.querySelector('#composer-error').hidden = false")
    expect(line).to_be_hidden()  # what is sent needs the room
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.evaluate(COUNT_GAPS)
    live.tell(("plan_item", {"step": 3, "item": 2}))
    expect(page.locator("#chat .plan .is-running")).to_have_text("Save it")
    assert page.evaluate("gaps") == 0
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#chat .plan [aria-current] .icon-stopped")).to_be_visible()
    live.tell(("status", {"status": "running", "reason": ""}))
    live.tell(("done", {"text": "", "refused": True}), ("status", {"status": "done", "reason": ""}))
    last = page.locator("#chat .plan").last
    expect(last.locator("li")).to_have_class(["is-done", "is-partly"])
    page.context.close()


def test_the_local_operator_says_that_it_does_not_plan(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    expect(page.locator("#caption")).to_contain_text("Live")  # it holds the session
    page.evaluate(SEND_WITH_PLAN)
    expect(page.locator("#chat")).to_contain_text("The Local operator does not plan")
    page.context.close()
