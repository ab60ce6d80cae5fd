"""What must have its place on the page at every size: in a real Chromium."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cua.agent.step_results import USER_SPOKE
from cua.messages import Message, sentences
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    SIZES,
    TABLET,
    ZOOMED,
    fingers,
    keep,
    needs_browser,
    opened,
    turn_to,
    turn_to_group,
)
from tests.support.page_checks import LOST
from tests.support.page_views import ASKED
from tests.support.scripted_service import CLICK, Stage, answered, ended, looked, stage

pytestmark = needs_browser
SMALL = (360, 640)
ONE_ROW_PX = 80
GREY = "rgb(236, 238, 243)"
CUT = """node => {
  const pen = document.createElement('canvas').getContext('2d');
  const style = getComputedStyle(node);
  pen.font = style.font;
  const room = node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(node.placeholder).width > room;
}"""
"""Whether a field's placeholder is wider than the field."""
ROOM_AFTER = """node => {
  const words = document.createRange();
  words.selectNode(node.firstChild);
  return node.getBoundingClientRect().right - words.getBoundingClientRect().right;
}"""
"""Between the end of an element's words and its own."""


def box(page: Page, where: str) -> dict[str, Any]:
    found = page.locator(where).bounding_box()
    assert found, where
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


def middle(node: Locator) -> float:
    found = node.bounding_box()
    assert found
    return found["y"] + found["height"] / 2


def test_the_header_never_runs_under_the_tabs(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    live.begin(rounds=200)
    live.step(118, cost=12.34, tokens_in=1_200_000)
    live.tell(*looked(119), *answered(119), ASKED)
    expect(page.locator("#state .is-approval")).to_be_visible()
    for width in (1280, 1199, 1024, 900):
        page.set_viewport_size({"width": width, "height": 800})
        short = "119 / 200" if width < 1200 else "Step 119 of 200"
        expect(page.locator("#state")).to_contain_text(short)
        keep(page, f"header-{width}")
        assert box(page, "#state > :nth-child(3)")["right"] <= box(page, "#tab-chat")["x"]
        cut = "node => [...node.children].some((each) => each.scrollWidth > each.clientWidth + 1)"
        assert not page.locator("#state").evaluate(cut)
    clock = page.locator("#state .clock")
    assert clock.get_attribute("data-since") is None  # it stands
    live.tell(("answered", {"id": 1, "answer": "Refused."}))
    expect(page.locator("#state .clock[data-since]")).to_be_visible()
    live.tell(("status", {"status": "paused", "reason": ""}))
    live.tell(("status", {"status": "running", "reason": "", "max_rounds": 198}), *looked(120))
    expect(page.locator("#state")).to_contain_text("120 / 200")
    live.tell(("status", {"status": "paused", "reason": ""}))  # during the reply
    live.tell(("status", {"status": "running", "reason": "", "max_rounds": 198}), *looked(121))
    expect(page.locator("#state")).to_contain_text("121 / 200")  # it got no reply
    live.tell(*answered(121), ("status", {"status": "asking", "reason": ""}))
    live.tell(("status", {"status": "running", "reason": "", "max_rounds": 200}), *looked(122))
    expect(page.locator("#state")).to_contain_text("122 / 203")  # the budget begins anew
    expect(page.locator("#send")).to_be_visible()
    assert box(page, "#box")["right"] <= box(page, "#send")["x"] + 1
    page.context.close()


def test_neither_another_language_nor_a_state_moves_a_part_of_the_header(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    for width, height in (*SIZES.values(), ZOOMED, SMALL):
        page.set_viewport_size({"width": width, "height": height})
        before = [box(page, each) for each in ("#language", "#bell")]
        for language in ("zh-CN", "en"):
            page.locator("#language").click()
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert [box(page, each) for each in ("#language", "#bell")] == before
    for size in (PHONE, DESKTOP):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        no_state_moves_a_part_of_the_header(page, live)
        live.tell(("status", {"status": "idle", "reason": ""}), ("reset", {}))
    page.context.close()


def no_state_moves_a_part_of_the_header(page: Page, live: Stage) -> None:
    def places() -> list[tuple[float, float]]:
        parts = (".brand img", "#language", "#bell", "#state .chip")
        return [(found["x"], found["y"]) for found in (box(page, each) for each in parts)]

    expect(page.locator("#state")).to_contain_text("Ready")
    before = places()
    live.begin()
    live.step(1)
    expect(page.locator("#state")).to_contain_text("Running")
    assert places() == before
    live.tell(*looked(2), *answered(2), ASKED)
    expect(page.locator("#state .is-approval")).to_be_visible()
    assert places() == before
    for status in ("paused", "stopped"):
        live.tell(("status", {"status": status, "reason": ""}))
        expect(page.locator(f"#state .is-{status}")).to_be_visible()
        assert places() == before


def test_what_it_has_cost_stands_in_the_header_of_every_shape(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin(rounds=30)
    live.step(13, cost=0.0148)
    cost = page.locator("#state :text('0.0148')")
    for language in ("en", "zh-CN"):
        expect(page.locator("html")).to_have_attribute("lang", language)
        for wide, high in (PHONE, LYING, ZOOMED, TABLET, DESKTOP, (900, 800)):
            page.set_viewport_size({"width": wide, "height": high})
            expect(cost).to_be_in_viewport(ratio=1)
        page.locator("#language").click()
    page.context.close()


def test_a_small_phone_has_all_controls_and_while_it_asks_one_place_for_words(
    browser: Browser, live: Stage
) -> None:
    """Its header has two rows."""
    page = opened(browser, live.url, SMALL, [])
    live.begin()
    live.step(1)
    live.tell(ASKED)
    expect(page.locator("#state .is-approval")).to_be_visible()
    assert box(page, "#top")["height"] < 110
    expect(page.locator("#allow")).to_be_in_viewport(ratio=1)
    for gone in ("#box", "#send", "#reset"):
        expect(page.locator(gone)).to_be_hidden()
    assert box(page, "#allow span")["height"] < 30
    live.tell(("answered", {"id": 1, "answer": "Refused."}))
    expect(page.locator("#approval")).to_be_hidden()
    expect(page.locator("#full")).to_be_in_viewport(ratio=1)
    assert box(page, "#send")["right"] <= SMALL[0] - 8
    page.locator("#box").fill("x")
    expect(page.locator("#queue-add")).to_be_visible()
    assert not page.locator("#box").evaluate(CUT)
    page.locator("#box").focus()
    expect(page.locator("#full")).to_be_hidden()
    keep(page, "small-phone")
    page.set_viewport_size({"width": 360, "height": 380})  # its keyboard is out
    for name in ("box", "send", "stop"):
        expect(page.locator(f"#{name}")).to_be_in_viewport(ratio=1)
    live.tell((ASKED[0], {**ASKED[1], "id": 2}))
    expect(page.locator("#approval")).to_be_visible()
    page.route("**/api/refuse", lambda _: None)  # a slow answer
    page.wait_for_timeout(500)
    page.locator("#refuse").click()
    expect(page.locator("#approval")).to_have_attribute("aria-busy", "true")
    page.context.close()


def test_stop_and_its_neighbours_keep_their_places(browser: Browser, live: Stage) -> None:
    """Whatever the state, and in one order in every shape."""
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator("#state")).to_contain_text("Ready")
    page.locator("#send").hover()
    expect(page.locator("#send")).to_have_css("filter", "none")  # a grey one would dissolve
    names = ("reset", "pause", "stop")

    def places() -> list[tuple[float, float]]:
        found = [box(page, f"#{name}") for name in names]
        return [(each["x"], each["right"]) for each in found]

    page.locator("#box").fill("a text that is long enough for lines that depend on the width " * 2)
    for width, height in (*SIZES.values(), ZOOMED, SMALL):
        page.set_viewport_size({"width": width, "height": height})
        whole = "() => box.scrollHeight <= parseFloat(box.style.height)"
        page.wait_for_function(whole)  # its text
        live.tell(("status", {"status": "idle", "reason": ""}))
        expect(page.locator("#pause")).to_have_text("Pause")
        before = places()
        assert before == sorted(before)
        assert all(left[1] < right[0] for left, right in itertools.pairwise(before))
        assert before[-1][1] <= width
        assert box(page, "#pause")["height"] == box(page, "#stop")["height"]
        entry, send = box(page, ".entry"), box(page, "#send")
        assert entry["x"] < send["x"] < send["right"] < entry["right"]
        assert entry["bottom"] < box(page, "#stop")["y"]
        for status in ("running", "stopped"):
            live.tell(("status", {"status": status, "reason": ""}))
            expect(page.locator("body")).to_have_attribute("data-status", status)
            assert places() == before
        cut = page.locator("#pause").evaluate("node => node.scrollWidth - node.clientWidth")
        assert cut <= 0
    page.context.close()


def test_stop_and_send_are_grey_with_nothing_to_do_and_a_phone_shows_all_of_the_empty_box(
    browser: Browser, live: Stage
) -> None:
    """Stop stands in a form too, while something runs."""
    page = opened(browser, live.url, PHONE, [])
    page.route("**/api/procedures", lambda route: route.fulfill(json=["report"]))
    expect(page.locator("#state")).to_contain_text("Ready")
    stop, send = page.locator("#stop"), page.locator("#send")
    for button in (stop, send):
        expect(button).to_have_css("background-color", GREY)
        expect(button).to_be_enabled()
    pause, high = box(page, "#pause"), box(page, "#stop")["height"]
    page.locator("#box").fill("Ping {host}")
    expect(send).not_to_have_css("background-color", GREY)
    send.click()
    expect(page.locator("dialog #form-title")).to_be_visible()
    expect(stop).to_be_hidden()
    live.begin()
    expect(page.locator("dialog #stop")).to_be_visible()
    expect(stop).to_be_enabled()
    assert box(page, "#stop")["height"] == high
    assert box(page, "#pause") == pause
    page.keyboard.press("Escape")
    expect(stop).to_have_css("background-color", "rgb(184, 36, 44)")
    assert box(page, "#pause") == pause
    page.locator("#box").fill("")
    for procedure in (False, True):
        live.tell(("task", {"text": "report", "max_rounds": 20, "procedure": procedure}))
        for status in ("asking", "stopped", "failed", "paused", "running"):
            live.tell(("status", {"status": status, "reason": ""}))
            expect(page.locator("body")).to_have_attribute("data-status", status)
            expect(page.locator("#procedures")).to_be_in_viewport(ratio=1)
            expect(page.locator("#queue-add")).to_be_hidden()  # there is no text to queue
            assert not page.locator("#box").evaluate(CUT), status
            expect(send).to_have_css("background-color", GREY)
    live.tell(("status", {"status": "done", "reason": ""}))
    expect(page.locator("#procedures")).to_be_visible()
    assert box(page, "#box")["width"] > 300
    page.context.close()


def test_taking_over_on_its_side_shows_picture_and_keys(browser: Browser) -> None:
    with stage("take_over=true") as live:
        page = opened(browser, live.url, LYING, [])
        live.begin()
        live.tell(("status", {"status": "paused", "reason": ""}))
        expect(page.locator("#pause")).to_have_text("Resume")
        page.get_by_role("button", name="Take over").click()
        expect(page.locator(".keybar button").first).to_be_in_viewport(ratio=1)
        expect(page.locator("#stop")).to_have_css("background-color", GREY)
        expect(page.locator("#canvas")).to_be_in_viewport(ratio=1)
        assert box(page, "#canvas")["width"] > 400
        assert box(page, ".keybar")["right"] <= box(page, "#pause")["x"]
        live.tell(("session_started", {"model": "a model of a long name", "demo": True}))
        expect(page.locator("#demo")).not_to_be_empty()
        expect(page.locator("#demo")).to_be_hidden()  # the keys need the row
        assert page.evaluate(LOST) == []
        page.locator(".keybar button").first.tap()
        assert page.evaluate("document.scrollingElement.scrollHeight") == LYING[1]
        keep(page, "lying-manual-control")
        live.tell(("queue", {"tasks": [{"id": n, "text": "x"} for n in (1, 2)], "held": ""}))
        for size in (ZOOMED, LYING):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.get_by_role("button", name="Show chat").click()
            expect(page.locator("#panel-chat")).to_be_visible()
            expect(page.locator(".queue h3")).to_have_text("2 queued tasks", use_inner_text=True)
            expect(page.locator(".queue li")).to_have_count(2)
            expect(page.locator(".queue ol")).to_be_hidden()  # the chat needs the room
            expect(page.locator("#monitor")).to_have_css("background-color", "rgba(0, 0, 0, 0)")
            for part in ("#canvas", "#take", ".keybar button >> nth=0"):
                expect(page.locator(part)).to_be_in_viewport(ratio=1)
            keep(page, f"lying-manual-control-beside-the-chat-{size[0]}")
            page.get_by_role("button", name="Hide chat").click()
        page.locator("#take").tap()
        expect(page.locator("#panel-chat")).to_be_visible()
        expect(page.locator(".queue ol")).to_be_visible()
        expect(page.locator("#demo")).to_be_visible()
        expect(page.locator("#restart")).to_be_enabled()
        live.begin()
        expect(page.locator("#restart")).to_be_disabled()
        expect(page.locator("#restart[title$='pause the task first']")).to_be_visible()
        page.context.close()


def test_on_its_side_there_is_room_for_each_part_and_stop_stays_in_its_corner(
    browser: Browser, live: Stage
) -> None:
    """A step has its words beside its picture, a question its reason, settings the page."""
    page = opened(browser, live.url, LYING, [])
    live.begin()
    live.step(1)
    expect(page.locator("article.step .figures summary")).to_be_in_viewport(ratio=1)
    assert box(page, "article.step .shot")["right"] <= box(page, "article.step .content")["x"] + 1
    keep(page, "lying-step")
    corner, before = box(page, "#stop"), box(page, "#canvas")
    tab = page.locator("#tab-chat")
    marked = tab.evaluate("node => getComputedStyle(node).boxShadow")
    page.get_by_role("button", name="Hide chat").click()
    expect(page.locator("#panel-chat")).to_be_hidden()
    expect(tab).not_to_have_css("box-shadow", marked)
    expect(page.locator("#stop")).to_be_in_viewport(ratio=1)
    keep(page, "lying-drawer")
    picture, rail = box(page, "#monitor"), box(page, "#drawer")
    assert box(page, "#canvas")["width"] > before["width"]
    assert picture["bottom"] > LYING[1] - 16
    assert picture["right"] <= rail["x"]
    for edge in ("right", "bottom"):
        assert abs(box(page, "#stop")[edge] - corner[edge]) < 2
    page.locator("#drawer").click()
    expect(page.locator("#panel-chat")).to_be_visible()
    page.get_by_role("button", name="Hide chat").click()
    page.get_by_role("tab", name="Log").click()
    expect(page.locator("#log")).to_be_visible()
    turn_to(page, "Chat")
    live.tell(*looked(2))
    typing = {"kind": "type", "text": "rm -rf build"}
    live.tell((ASKED[0], {**ASKED[1], "action": typing}))
    for part in (".keys", ".why", "#allow"):
        expect(page.locator(f"#approval {part}")).to_be_in_viewport(ratio=1)
    live.tell(("answered", {"id": 1, "answer": "Refused."}))
    turn_to(page, "Settings")
    expect(page.locator("#set-api_type")).to_be_visible()
    assert box(page, "#panel-settings")["width"] == LYING[0]
    assert box(page, "#stop") == corner
    assert box(page, ".submit [type='submit']")["y"] == corner["y"]
    keep(page, "lying-settings")
    page.context.close()


def test_a_picture_that_fills_the_screen_lies(browser: Browser, live: Stage) -> None:
    """This Chromium turns no screen itself: it refuses, or notes what it is asked for."""
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    filled = page.locator(":fullscreen")
    page.locator("#full").tap()
    expect(filled).to_have_count(1)
    page.wait_for_timeout(200)
    page.locator("#full").tap()
    expect(filled).to_have_count(0)
    page.evaluate("ScreenOrientation.prototype.lock = async (way) => { window.held = way; }")
    page.locator("#full").tap()
    expect(filled).to_have_count(1)
    page.wait_for_function("window.held === 'landscape'")
    page.wait_for_timeout(200)
    page.locator("#full").tap()
    expect(filled).to_have_count(0)
    page.get_by_role("button", name="Hide screen").tap()
    expect(page.locator("#monitor")).to_be_hidden()
    page.locator("#full").tap()
    expect(filled).to_have_count(1)
    expect(page.locator("#canvas")).to_be_in_viewport(ratio=1)
    expect(page.locator("#fold")).to_have_text("Hide")
    assert faults == []
    page.context.close()


def test_screen_and_panel_have_one_split_that_is_dragged_and_remembered(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    line = page.get_by_role("separator", name="Width of the screen")
    assert box(page, "#watch")["width"] == 0.6 * DESKTOP[0]
    line.focus()
    page.keyboard.press("ArrowLeft")
    expect(line).to_have_attribute("aria-valuenow", "58")
    middle = box(page, "#split")
    page.mouse.move(middle["x"] + 8, 300)
    page.mouse.down()
    page.mouse.move(640, 300, steps=3)
    page.mouse.up()
    expect(line).to_have_attribute("aria-valuenow", "50")
    page.reload()
    for name in ("History", "Log", "Settings", "Chat"):
        turn_to(page, name)
        assert box(page, "#watch")["width"] == 640, name
        assert box(page, "#tab-chat")["x"] == box(page, "#work")["x"], name
        expect(page.locator("#canvas")).to_be_in_viewport(ratio=1)
    line.dblclick()
    assert box(page, "#watch")["width"] == 768
    send = fingers(page)
    send("touchStart", (768, 300))
    send("touchMove", (1270, 300))
    send("touchEnd")
    assert box(page, "#work")["width"] == 368
    assert box(page, "#tab-settings")["right"] <= DESKTOP[0]
    line.focus()
    page.keyboard.press("Home")
    assert box(page, "#watch")["width"] == 520
    for control in ("#caption", "#full", "#fold", "#state .chip"):
        expect(page.locator(control)).to_be_in_viewport(ratio=1)
    page.keyboard.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", "43")
    page.get_by_role("button", name="Hide screen").click()
    assert box(page, "#work")["width"] == DESKTOP[0]
    assert box(page, "#watch")["height"] < 60
    page.emulate_media(forced_colors="active")
    assert page.locator("#tab-chat").evaluate("node => getComputedStyle(node).borderWidth") == "2px"
    expect(page.locator("#pause:disabled")).to_have_css("opacity", "1")
    page.context.close()


def test_a_long_question_is_read_from_its_start_and_what_is_tapped_stays_under_the_finger(
    browser: Browser, live: Stage
) -> None:
    """Which leaves the message box."""
    page = opened(browser, live.url, SMALL, [])
    live.begin()
    for number in range(1, 4):
        live.step(number)
    question = "Which printer shall I use? " + "The left one is out of paper. " * 30
    live.tell(("question", {"text": question}), ("status", {"status": "asking", "reason": ""}))
    expect(page.locator(".is-question h3")).to_be_in_viewport(ratio=1)
    expect(page.locator("#latest")).to_be_hidden()
    keep(page, "small-long-question")
    page.set_viewport_size({"width": LYING[0], "height": LYING[1]})
    held = "A disk image is being sent to the KVM. Wait until it is there."
    live.tell(("queue", {"tasks": [{"id": 1, "text": "Print"}], "held": held}))
    expect(page.locator("#queue h3")).to_have_text("1 queued task Print", use_inner_text=True)
    expect(page.locator("#queue-continue")).to_have_text("Skip to next task")
    expect(page.locator("#queue ol")).to_be_hidden()
    assert page.locator("#queue").evaluate("node => node.offsetHeight") < ONE_ROW_PX
    assert box(page, ".is-question")["y"] + ONE_ROW_PX < box(page, "#composer")["y"]
    page.set_viewport_size({"width": 844, "height": 220})
    expect(page.locator("#queue")).to_be_hidden()
    expect(page.locator("#new-task")).to_be_visible()
    keep(page, "lying-keyboard-asking")
    send, pause = (page.locator(name).bounding_box() for name in ("#send", "#pause"))
    assert send
    assert pause
    assert send["y"] + send["height"] <= pause["y"]
    page.locator("#box").focus()
    page.set_viewport_size({"width": 360, "height": 400})  # its keyboard is out
    expect(page.locator("#watch")).to_be_hidden()
    for width, height in ((390, 385), (412, 400), (360, 325)):  # wider than high
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("#box")).to_be_in_viewport(ratio=1)
        page.locator("#send").click(trial=True)
    page.set_viewport_size({"width": 844, "height": 190})
    for button in ("#send", "#stop"):
        expect(page.locator(button)).to_be_in_viewport(ratio=1)
        page.locator(button).click(trial=True)
    page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    live.tell(("status", {"status": "idle", "reason": ""}), ("reset", {}))
    example = page.locator(".empty button").first
    expect(example).to_be_visible()
    for press in (example.tap, example.click):
        page.locator("#box").fill("")
        page.locator("#box").focus()
        expect(page.locator("figcaption")).to_be_hidden()
        press()
        expect(page.locator("#box")).to_have_value(example.inner_text())
    page.locator("#box").fill("half a")
    example.tap()
    expect(page.locator("#composer-error")).to_have_text("Send or clear what you typed first.")
    expect(page.locator("#box")).to_have_value("half a")
    page.locator("#box").blur()
    expect(page.locator("figcaption")).to_be_visible()
    page.context.close()


def test_how_the_picture_is_stands_in_one_line_beside_its_buttons(browser: Browser) -> None:
    """In both languages; a small phone has the full screen too, beside the controls."""
    with stage("take_over=true") as live:
        page = opened(browser, live.url, PHONE, [])
        expect(page.locator("#caption")).to_contain_text("Live")  # before the test changes it
        screen = {"state": "lost", "sentence": "", "width": 1280, "height": 720}
        live.tell(("screen", screen))
        expect(page.locator("#caption")).to_have_text("Stream lost · 1280×720")
        for width, height in (PHONE, SMALL, LYING):
            page.set_viewport_size({"width": width, "height": height})
            words, button = box(page, "#caption b"), box(page, "#kvm")
            assert words["height"] < 30
            assert abs(words["y"] - box(page, "#caption .dot")["y"]) < 12
            assert words["right"] <= button["x"]
        page.set_viewport_size({"width": 640, "height": 400})  # a desk at 200 %
        cut = page.locator("#caption").evaluate("node => node.scrollWidth - node.clientWidth")
        assert cut <= 0
        live.tell(("screen", {**screen, "state": "live"}))
        page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
        for live_word in ("Live", "实时"):
            expect(page.locator("#caption")).to_contain_text(live_word)
            for control in ("#full", "#take", "#fold"):
                expect(page.locator(control)).to_be_in_viewport(ratio=1)
            page.locator("#take").tap()
            expect(page.locator("#control-bar")).to_be_visible()
            assert box(page, "#caption b")["right"] <= box(page, "#full")["x"]
            page.locator("#take").tap()
            expect(page.locator("#control-bar")).to_be_hidden()
            page.locator("#language").tap()
        page.context.close()


def test_one_group_of_settings_is_shown_at_a_time_and_of_it_at_most_twelve_at_first(
    browser: Browser, live: Stage
) -> None:
    live.begin()
    for size in (SMALL, DESKTOP):
        page = opened(browser, live.url, size, [])
        expect(page.locator("#pause")).to_be_enabled()
        places = [box(page, "#stop"), box(page, "#pause")]
        turn_to(page, "Settings")
        turn_to_group(page, "Limits and cost")
        assert [box(page, "#stop"), box(page, "#pause")] == places
        assert not page.locator("#settings-search").evaluate(CUT)
        minutes = page.locator("[name=max_minutes]")
        expect(minutes).to_be_in_viewport(ratio=1)
        expect(page.locator("#group-model")).to_be_hidden()
        keep(page, f"{size[0]}-settings-group")
        minutes.fill("3")
        bar = page.locator("#settings .submit")
        note, discard = bar.get_by_role("status"), bar.get_by_role("button", name="Discard")
        expect(note).to_have_text("1 unsaved change")
        assert middle(discard) == middle(note)
        assert middle(bar.get_by_role("button", name="Submit")) == middle(page.locator("#stop"))
        if size == DESKTOP:
            expect(page.locator(".rail .is-edited")).to_have_text("Limits and cost")
            assert box(page, "#settings .submit")["height"] < ONE_ROW_PX
        turn_to_group(page, "Safety")
        discard.click()
        expect(bar.get_by_role("button", name="Submit")).to_be_disabled()
        expect(minutes).to_have_value("0")
        expect(note).to_be_focused()
        expect(discard).to_be_hidden()
        assert box(page, "#settings .submit")["height"] < ONE_ROW_PX
        for link in page.locator(".rail button:visible").all():  # there is none on a phone
            link.click()
            shown = [each for each in page.locator("#settings .field").all() if each.is_visible()]
            assert 0 < len(shown) <= 12
        page.context.close()


def test_marks_go_with_the_next_look_a_question_and_a_takeover_and_a_step_fills_in_place(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    live.begin()
    live.tell(*looked(1), *answered(1))
    mark, arrow = page.locator("#pointer .mark"), page.locator("#pointer .arrow")
    step = page.locator("article.step").last
    assert page.locator(".is-task .label").evaluate(ROOM_AFTER) == pytest.approx(0, abs=0.5)
    expect(mark).to_have_css("opacity", "1")
    live.tell(*ended(1))
    expect(mark).to_have_css("opacity", "0.5")
    expect(arrow).to_be_visible()
    live.tell(("phase", {"step": 2, "phase": "settling"}))
    expect(step).to_contain_text("Waiting for the screen")
    expect(page.locator("#pointer > *")).to_have_count(0)
    expect(page.locator(".strip .frame")).to_have_count(2)
    page.evaluate("""() => new PerformanceObserver((list) => {
      window.shifts = (window.shifts ?? []).concat(list.getEntries().map((each) => each.value));
    }).observe({type: 'layout-shift'})""")
    high = box(page, "article.step:last-child")["height"]
    live.tell(*looked(2), *answered(2))
    expect(step.locator("img[src]")).to_be_visible()
    thought = "article.step:last-child .thought"
    left = box(page, thought)["x"]
    live.tell(*ended(2))
    expect(step.locator(".phase")).to_have_count(0)
    assert box(page, thought)["x"] == left
    page.wait_for_timeout(300)
    assert sum(page.evaluate("window.shifts ?? []")) < 0.002
    assert box(page, "article.step:last-child")["height"] == pytest.approx(high, abs=0.5)
    live.tell(*looked(3), *answered(3))
    expect(mark).to_have_count(1)
    live.tell(ASKED)
    expect(page.locator("#approval")).to_be_visible()
    expect(page.locator("#pointer > *")).to_have_count(0)
    live.tell(("answered", {"id": 1, "answer": "allowed"}))
    expect(arrow).to_be_visible()
    live.tell(("status", {"status": "paused", "reason": ""}))  # as a takeover does
    expect(page.locator("#pointer > *")).to_have_count(0)
    page.context.close()


def test_an_end_is_told_once(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    live.begin()
    live.step(1, thought="I press `Ctrl+S`, which **saves** all that was written. Then I `look`.")
    first = page.locator("article.step").first
    expect(first.locator(".thought")).to_have_text(
        "I press Ctrl+S, which saves all that was written."
    )
    expect(first.locator("code")).to_have_text(["Ctrl+S", "look"])
    expect(first.locator(".thought b")).to_have_text("saves")
    done = {"kind": "done", "words": "Done: the task is done"}
    spoke = {"step": 2, "ok": True, "outcome_kind": "user_spoke", "seconds": 2.0}
    live.tell(*looked(2), *answered(2, actions=[done]))
    live.tell(("step", {**spoke, "outcome": USER_SPOKE.message}))
    later = page.locator("article.step").last
    expect(later.locator("footer")).to_have_text(USER_SPOKE.message)
    expect(later).not_to_contain_class("is-failed")
    live.step(3, actions=[done])
    live.tell(("done", {"text": "Printed."}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator(".is-done").last).to_contain_text("Printed.")
    expect(page.locator("article.step .actions li")).to_have_count(2)
    details = page.locator("article.step .figures")
    details.first.locator("summary").click()
    expect(details.first.get_by_text("· thinking ")).to_be_visible()
    expect(page.locator("#chat")).not_to_contain_text("Carried out.")
    expect(page.locator("article.step .thought")).to_have_count(3)
    live.begin()
    gives_up, why = {"kind": "fail", "words": "Give up"}, "I see no printer."
    live.step(1, actions=[gives_up], thought=why)
    failed = sentences(Message("session.impossible"), why)
    live.tell(("failed", {"text": failed}), ("status", {"status": "failed", "reason": failed}))
    expect(page.locator(".is-failed").last).to_contain_text(failed)
    expect(page.locator("#chat").get_by_text(why)).to_have_count(1)
    live.begin()
    live.step(1, actions=[done], thought="It **printed** two pages of `a.pdf`.")
    live.tell(("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator("#chat").get_by_text("two pages of")).to_have_count(1)
    card = page.locator(".is-done").last
    expect(card).to_contain_text("It printed two pages of a.pdf.")
    expect(card.locator("code")).to_have_text("a.pdf")
    numbers = page.locator("#chat > :not(.is-told) .number")  # a card for each counted step
    expect(numbers).to_have_text(["1", "2", "3", "1", "1"])
    clock = page.locator("#state .clock").inner_text()
    expect(card.locator("h3")).to_contain_text(f"1 step · {clock}")
    keep(page, "desktop-end")
    rows = "all => new Set(all.map((each) => each.offsetTop)).size"
    assert card.locator(".ways button").evaluate_all(rows) == 1
    wide = "all => new Set(all.map((each) => each.offsetWidth)).size"
    assert card.locator(".answer, .answer p").evaluate_all(wide) == 1, (
        "only its first line gives way"
    )
    card.get_by_role("button", name="Copy").click()
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    card.get_by_role("button", name="Save task").click()
    note = page.locator("#composer-note")
    expect(note).to_have_text("Saved: see “Your tasks” in an empty chat.")
    saved = "JSON.parse(localStorage['cua-tasks'])[0]"
    assert page.evaluate(saved) == {"text": "Find the printer", "saved": True}
    page.reload()
    expect(card.get_by_role("button", name="Saved")).to_be_visible()
    with page.expect_download() as exported:
        card.get_by_role("button", name="Export").click()
    assert exported.value.suggested_filename.endswith(".html")
    with page.expect_request("**/api/send") as sent:
        card.get_by_role("button", name="Run again").click()
    assert sent.value.post_data_json == {"text": "Find the printer", "anew": True}
    page.context.close()


def test_enough_steps_are_in_sight_and_failed_ones_stand_out(browser: Browser, live: Stage) -> None:
    for size, rows in ((DESKTOP, 4), (PHONE, 3)):
        live.tell(("reset", {}))
        page = opened(browser, live.url, size, [])
        steps_are_in_sight(page, live, rows)
        page.context.close()


def steps_are_in_sight(page: Page, live: Stage, rows: int) -> None:
    live.begin()
    keys: dict[str, Any] = {"kind": "keypress", "keys": ["CTRL", "A"]}
    for number in range(1, 9):
        typed = {"kind": "type", "text": f"8.8.8.{number}"}
        more = [keys, typed] if number % 4 == 0 else []
        plan = f"[{number}/8] click “Edit DNS”: I see “Edit DNS” in the middle and click it."
        thought = f"{plan}\nopen “Network”: I now see “Ethernet”, “Ethernet 2” and “Wi-Fi”."
        live.tell(*looked(number), *answered(number, thought=thought, actions=[CLICK, *more]))
        live.tell(
            ("acting", {"step": number, "index": 0, "brief": "Click “Edit DNS”"}),
            *ended(number),
        )
    steps = page.locator("article.step")
    expect(steps.last).to_contain_text("Click “Edit DNS”")
    expect(steps.last.locator(".thought")).to_have_text(plan)
    page.wait_for_timeout(200)
    whole = """nodes => {
      const room = document.getElementById('panel-chat').getBoundingClientRect();
      const boxes = nodes.map((node) => node.getBoundingClientRect());
      return boxes.filter((box) => box.top >= room.top && box.bottom <= room.bottom).length;
    }"""
    assert steps.evaluate_all(whole) >= rows
    keep(page, f"steps-{rows}")
    steps.last.locator("summary").click()
    expect(steps.last.get_by_text("open “Network”: I now see")).to_be_visible()
    steps.last.locator("summary").click()
    why = "Not done: `refused`. " * 20
    live.tell(("step", {"step": 8, "ok": False, "outcome": why, "seconds": 1.0}))
    expect(steps.last).to_contain_text("Not done: refused.")
    expect(steps.last.locator("footer code span").first).to_have_css("display", "inline")
    assert steps.last.locator("footer").evaluate("node => node.clientHeight") < 50, "two lines"
    steps.last.locator("summary").click()
    assert steps.last.locator("footer").evaluate("node => node.clientHeight") > 50, "all of it"
    back = "node => getComputedStyle(node).backgroundColor"
    assert steps.last.evaluate(back) != steps.first.evaluate(back)


def test_what_goes_on_stands_over_the_talk_and_never_scrolls_away(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    expect(page.locator("#caption")).to_contain_text("Live")
    for size in (PHONE, LYING):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        live.tell(("status", {"status": "idle", "reason": ""}), ("reset", {}))
        expect(page.locator(".empty")).to_be_visible()
        what_goes_on_stands_over_the_talk(page, live, size)
    page.context.close()


def scroll_up(page: Page) -> None:
    """Scroll away from the end; what changes the height at that moment leads back to it."""
    latest = page.locator("#latest")
    for _ in range(100):
        page.locator("#panel-chat").evaluate("room => room.scrollBy(0, -900)")
        page.wait_for_timeout(50)
        if latest.is_visible():
            return
    expect(latest).to_be_visible()


def what_goes_on_stands_over_the_talk(page: Page, live: Stage, size: tuple[int, int]) -> None:
    line, newest = page.locator("#glance"), page.locator("article.step").last
    expect(line).to_be_hidden()
    live.begin()
    for number in range(1, 5):
        live.step(number)
    live.tell(*looked(5))
    expect(line).to_contain_text("Step 5 · Thinking")
    expect(line).to_contain_text("Step 4 · Click")
    scroll_up(page)
    first = line.locator("p").nth(1).locator("span")
    assert first.evaluate("node => node.getBoundingClientRect().left") >= 0
    assert first.evaluate("node => getComputedStyle(node).textOverflow") == "ellipsis"
    assert first.evaluate("node => node.clientHeight >= node.scrollHeight"), "the letters are cut"
    page.locator("#latest").click()
    live.send_transient("draft", text="I see a long menu. " * 20 + "I open it.")
    expect(line).to_contain_text("I open it.")
    expect(newest).to_contain_text("I open it.")
    expect(line).to_be_hidden()
    scroll_up(page)
    expect(line).to_be_visible()
    high = box(page, "#glance")["height"]
    live.tell(*answered(5))
    expect(line.locator(".doing")).to_have_text("Click")
    expect(line).to_be_in_viewport(ratio=1)
    assert box(page, "#glance")["height"] == high < 60
    keep(page, f"glance-{size[0]}")
    if size == LYING:  # the way to the end covers no words
        assert box(page, "#latest")["width"] == 44
    for button in ("#full", "#drawer") if size == LYING else ("#full",):
        page.locator(button).click()
        expect(line).to_be_hidden()  # it would cover Stop, or the way back
        page.locator(button).click()
        expect(line).to_be_visible()
    live.tell(("done", {"text": "Printed."}), ("status", {"status": "done", "reason": ""}))
    expect(line).to_be_hidden()
    live.begin()  # the next of a queue
    live.tell(*looked(1))
    expect(line).to_contain_text("Step 1 · Thinking")
    expect(line).not_to_contain_text("Step 5")
