"""Saying what is to be done: tasks of the person's own, places pointed at, words while it runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Response, expect

from cua.messages import Message, sentences, to_json
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    STEP,
    TABLET,
    fingers,
    keep,
    needs_browser,
    opened,
    turn_to,
)
from tests.support.scripted_service import Stage, answered, looked, stage

pytestmark = needs_browser
BLOB = re.compile("^blob:")
WATCH_PRESSES = """node => {
  delete window.takesPress;
  const look = () => node.hidden || (window.takesPress = !node.inert);
  new MutationObserver(look).observe(node, { attributeFilter: ['hidden'] });
}"""
AMBER = "rgb(138, 83, 0)"
TOPS = "nodes => nodes.map((node) => node.getBoundingClientRect().top)"


def test_own_tasks_come_back_are_kept_filled_in_and_forgotten(
    browser: Browser, live: Stage
) -> None:
    """An example that was sent stands among them only; a Chinese keyboard's braces count too."""
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    box = page.locator("#box")
    expect(page.locator("#state")).to_contain_text("Ready")
    for task in ('press "F1"', 'press "F2"'):
        box.fill(task)
        page.get_by_role("button", name="Send").click()
        expect(box).to_be_empty()  # it is kept once it was taken
        expect(page.locator("#chat")).to_contain_text(task)
        page.get_by_role("button", name="Reset").dblclick()  # twice while it is at work
        expect(page.locator(".empty")).to_be_visible()
    page.get_by_role("button", name='Save “press "F1"”').click()
    page.reload()
    expect(page.locator(".shelf .choose")).to_have_text(['press "F1"', 'press "F2"'])
    expect(page.get_by_role("button", name='Save “press "F1"”')).to_have_attribute(
        "aria-pressed", "true"
    )
    keep(page, "phone-tasks")
    examples = page.locator(".examples")
    expect(examples).to_have_class("examples fades fades-right")
    examples.evaluate("row => row.scrollTo(row.scrollWidth, 0)")
    expect(examples).to_have_class("examples fades fades-left")
    examples.evaluate("row => row.scrollTo(0, 0)")
    tops = page.locator(".empty button").evaluate_all(TOPS)  # as Tab reaches them
    assert tops == sorted(tops)
    for size in (LYING, PHONE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for part in (".examples button", ".empty h3:visible"):
            expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    assert len(tops) > page.locator(".shelf button").count()
    page.get_by_role("button", name='press "F1"', exact=True).click()
    expect(box).to_have_value('press "F1"')
    page.get_by_role("button", name='Delete “press "F2"”').click()
    expect(page.locator(".shelf li")).to_have_count(1)
    box.fill("press {key} in {program}, not {{secret:x}}")
    send = page.get_by_role("button", name="Send", exact=True)
    send.click()
    form = page.get_by_role("dialog", name="Fill in this task")
    expect(form.get_by_role("textbox")).to_have_count(2)
    form.get_by_label("key").fill("F3")
    form.get_by_label("program").fill("{key}")
    keep(page, "phone-task-form")
    form.get_by_role("button", name="Cancel").click()
    send.click()
    form.get_by_label("key").fill("F3")
    form.get_by_label("program").fill("{key}")
    with page.expect_request("**/api/send") as sent:
        form.get_by_role("button", name="Send", exact=True).click()
    assert sent.value.post_data_json == {"text": "press F3 in {key}, not {{secret:x}}"}
    expect(box).to_be_empty()
    expect(page.locator("#chat")).to_contain_text("press F3 in")
    page.get_by_role("button", name="Reset").dblclick()
    page.locator(".shelf .choose").nth(1).click()  # starts it: it asks
    expect(form.get_by_label("key")).to_have_value("F3")
    with page.expect_request("**/api/send") as sent:
        form.get_by_role("button", name="Send with the braces").click()
    assert sent.value.post_data_json == {"text": "press {key} in {program}, not {{secret:x}}"}
    page.get_by_role("button", name="Reset").dblclick()
    words = "Open the network settings and tell me the IP address"
    example = page.get_by_role("button", name=words, exact=True)
    example.click()
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#chat .is-task")).to_contain_text(words)
    page.get_by_role("button", name="Reset").dblclick()
    expect(page.locator(".shelf").last).to_contain_text(words)
    expect(example).to_have_count(1)
    page.locator("#language").click()
    expect(page.locator("#send")).to_have_text("发送")
    box.fill("打开｛地址｝和{页面}，不是｛｛secret｝｝")
    page.locator("#send").click()
    form = page.get_by_role("dialog", name="填写此任务")
    form.get_by_label("地址").fill("cua.local")
    form.get_by_label("页面").fill("首页")
    keep(page, "phone-task-form-chinese")
    with page.expect_request("**/api/send") as sent:
        form.get_by_role("button", name="发送", exact=True).click()
    assert sent.value.post_data_json == {"text": "打开cua.local和首页，不是｛｛secret｝｝"}
    page.locator("#reset").dblclick()
    expect(page.locator(".shelf").last).to_be_visible()
    expect(page.get_by_text("写上 {名称}")).to_be_visible()
    keep(page, "phone-tasks-chinese")
    # A reset drops the pictures that the page may be asking for.
    assert [fault for fault in faults if "404" not in fault] == []
    page.context.close()


def test_tasks_follow_the_current_one_in_the_order_of_the_queue(
    browser: Browser, live: Stage
) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    box, queue = page.get_by_role("textbox", name="Message"), page.locator("#queue")
    first, other, last = (f'wait for "{name}"' for name in ("here", "there", "nowhere"))
    box.fill(first)
    page.get_by_role("button", name="Send").click()
    for task in (other, last):
        expect(page.get_by_role("button", name="Queue", exact=True)).to_be_hidden()
        box.fill(task)
        page.get_by_role("button", name="Queue", exact=True).click()
        expect(queue.locator("li").last).to_contain_text(task)
    expect(queue.get_by_role("status")).to_be_empty()
    up = page.get_by_role("button", name=f"Move “{last}” up")
    up.focus()
    page.keyboard.press("Enter")
    expect(queue.locator("li span")).to_have_text([last, other])
    expect(page.get_by_role("button", name=f"Move “{last}” down")).to_be_focused()
    page.reload()
    skip = page.get_by_role("button", name="Skip to next task")
    expect(skip).to_be_visible()
    expect(queue.get_by_role("status")).to_be_empty()
    keep(page, "phone-queue")
    skip.click()
    expect(page.locator(".is-task").last).to_contain_text(last)
    expect(queue.get_by_role("heading", name="1 queued task", exact=True)).to_be_visible()
    page.get_by_role("button", name="Reset").dblclick()
    expect(queue.get_by_role("status")).to_have_text("Paused by the reset.")
    assert queue.get_by_role("status").evaluate("node => node.offsetHeight") < 40, "one line"
    expect(page.locator("#state")).to_contain_text("Ready")
    page.get_by_role("button", name=f"Remove “{other}”").click()
    expect(queue).to_be_hidden()
    assert faults == []
    page.context.close()


def test_a_tap_on_the_picture_puts_the_place_into_the_message(
    browser: Browser, live: Stage
) -> None:
    desk, touched = (opened(browser, live.url, size, []) for size in (DESKTOP, PHONE))
    for page, size in ((desk, DESKTOP), (touched, PHONE), (touched, LYING)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(page.locator("#caption")).to_contain_text("Live")
        box = page.get_by_role("textbox", name="Message")
        box.fill("click here")
        place = page.locator("#pointed")
        area = place.bounding_box()
        assert area
        place.dblclick(position={"x": area["width"] * 0.25, "y": area["height"] * 0.5})
        told = r"here → the place 2[45](\.\d)? % from the left and (49|50)(\.\d)? % from the top"
        expect(box).to_have_value(re.compile(f"^click {told}$"))
        expect(page.locator("#pointed .mark")).to_have_count(1)
        drawn = "node => node.checkVisibility() && getComputedStyle(node, '::before')"
        assert page.locator("#pointed .mark").evaluate(f"{drawn}.borderTopWidth") == "3px"
        keep(page, f"pointed-{size[0]}")
        box.fill("click there")
        expect(page.locator("#pointed .mark")).to_have_count(0)
    for page in (desk, touched):
        page.context.close()


def test_what_is_typed_outlives_a_reload_and_what_is_paused_goes_on_from_every_view(
    browser: Browser, live: Stage
) -> None:
    """A task that the reload has paused has one marked button to resume it."""
    page = opened(browser, live.url, PHONE, [])
    page.on("dialog", lambda dialog: dialog.accept())  # it asks whether to leave
    box, state = page.get_by_role("textbox", name="Message"), page.locator("#state")
    pause = page.get_by_role("button", name="Pause", exact=True)
    expect(state).to_contain_text("Ready")
    box.press_sequentially('wait for "nothing"')
    page.reload()
    expect(box).to_have_value('wait for "nothing"')
    expect(state).to_contain_text("Ready")
    page.get_by_role("button", name="Send").click()
    expect(box).to_have_value("")
    pause.click()
    expect(state).to_contain_text("Paused")
    page.reload()
    expect(state).to_contain_text("Paused")
    expect(box).to_have_value("")
    for view in ("settings", "chat"):
        page.locator(f"#tab-{view}").click()
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(state).to_contain_text("Running")
        expect(pause).to_be_enabled()
        page.locator("#tab-chat").click()
        if view == "settings":
            pause.click()
            expect(state).to_contain_text("Paused")
    box.fill('then press "F1"')
    page.get_by_role("button", name="Send").click()
    after = page.locator('#chat .words:has-text("then press") ~ article.step')
    expect(after.first).to_contain_text("nothing", timeout=STEP)
    page.reload()
    expect(page.locator("#chat")).to_contain_text("Paused because you reloaded this page.")
    back = page.get_by_role("button", name="Resume")  # in the chat there is none
    expect(back).to_be_in_viewport(ratio=1)
    expect(back).to_contain_class("primary")
    send = page.get_by_role("button", name="Send")
    grey, white = "rgb(236, 238, 243)", "rgb(255, 255, 255)"
    for words, plain, look, filled in (
        ("", send, grey, back),
        ("x", back, white, send),
        ("", send, grey, back),
    ):
        box.fill(words)
        expect(plain).to_have_css("background-color", look)
        expect(filled).to_have_css("background-color", "rgb(52, 87, 213)")
    keep(page, "phone-back")
    back.click()
    expect(state).to_contain_text("Running")
    expect(page.locator("#pause")).not_to_contain_class("primary")
    page.get_by_role("button", name="Reset").dblclick()
    expect(page.locator(".empty")).to_be_visible()
    page.context.close()


def test_a_new_task_stays_one_with_its_draft_after_a_reload(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    expect(page.locator("#state")).to_contain_text("Running")
    page.locator("#send").click()
    expect(page.locator("#composer-error")).to_have_text("Type a hint first.")
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(page.get_by_placeholder("Your answer…")).to_be_visible()
    page.locator("#box").press("Enter")
    expect(page.locator("#composer-error")).to_have_text("Type an answer.")
    with page.expect_request("**/api/send") as sent:
        page.get_by_role("button", name="Resume").click()
    assert sent.value.post_data_json == {"text": ""}
    page.locator("#box").fill("something else")
    page.get_by_role("button", name="New task").click()
    page.reload()
    anew = page.get_by_role("button", name="New task")
    expect(anew).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#box")).to_have_value("something else")
    anew.click()
    page.reload()
    expect(anew).to_have_attribute("aria-pressed", "false")
    page.context.close()


def test_words_go_on_with_an_unfinished_task_unless_they_are_a_new_one(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    page.route("**/api/send", lambda route: route.fulfill(json={}))
    anew = page.get_by_role("button", name="New task")
    for status, words in (
        ("paused", "Correct the paused task…"),
        ("stopped", "Correct the stopped task…"),
        ("asking", "Your answer…"),
        ("failed", "Hint for the next try…"),
    ):
        live.begin()
        expect(page.locator("#state")).to_contain_text("Running")
        expect(anew).to_be_hidden()
        page.locator("#new-task").evaluate(WATCH_PRESSES)
        live.tell(("status", {"status": status, "reason": ""}))
        expect(page.get_by_placeholder(words)).to_be_visible()
        if status == "asking":  # settings are saved: the next record begins with this
            screen = {"state": "live", "sentence": "", "width": 1280, "height": 720}
            saved = {"model": "", "demo": False, "screen": screen, "reach": ""}
            live.tell(("session_started", {**saved, "status": status}))
        resumes = status in ("paused", "stopped")
        expect(page.locator("#send")).to_have_css("background-color", "rgb(236, 238, 243)")
        pause = "rgb(52, 87, 213)" if resumes else "rgb(255, 255, 255)"
        expect(page.locator("#pause")).to_have_css("background-color", pause)
        assert page.evaluate("window.takesPress") is False  # one may be meant for Queue
        keep(page, f"phone-unfinished-{status}")
        anew.click()
        expect(page.locator("#composer-error")).to_be_hidden()
        expect(page.get_by_placeholder("Describe a task…")).to_be_focused()
        anew.click()
        expect(page.get_by_placeholder(words)).to_be_focused()
        page.locator("#box").fill("press F1")
        expect(anew).to_have_attribute("aria-pressed", "false")
        anew.click()
        expect(anew).to_have_attribute("aria-pressed", "true")
        keep(page, f"phone-new-task-{status}")
        expect(page.get_by_role("button", name="Queue")).to_be_hidden()
        with page.expect_request("**/api/send") as sent:
            page.get_by_role("button", name="Send", exact=True).click()
        assert sent.value.post_data_json == {"text": "press F1", "anew": True}
        expect(page.locator("#box")).to_have_value("")
    notes = page.locator("#chat .is-note")
    expect(notes).to_have_text(["Paused.", "Not finished.", "Stopped.", "Not finished."])
    turn_to(page, "History")
    page.locator(".task").first.click()
    expect(page.locator(".replayed .help")).to_be_visible()
    expect(page.locator(".replayed .is-note")).to_have_count(0)  # one before asked
    page.get_by_role("button", name="All tasks").click()
    page.locator(".task").nth(1).click()  # the one that asked
    expect(page.locator(".replayed .is-note")).to_have_text("Not finished.")
    page.get_by_role("button", name="All tasks").click()
    expect(page.locator(".task").nth(3)).to_be_visible()
    count = page.locator(".task").count()
    page.locator(".task").nth(3).click()
    expect(page.locator(".replayed .is-note")).to_have_text(["Paused.", "Not finished."])
    live.begin()
    live.tell(("status", {"status": "paused", "reason": ""}))
    page.get_by_role("button", name="All tasks").click()
    expect(page.locator(".task")).to_have_count(count + 1)
    page.locator(".task").first.click()
    expect(page.locator(".replayed .is-note")).to_have_text("Paused.")  # it can be continued
    turn_to(page, "Chat")
    anew.click()
    expect(page.get_by_placeholder("Describe a task…")).to_be_visible()
    running, failed = (("status", {"status": each, "reason": ""}) for each in ("running", "failed"))
    live.tell(("task", {"text": "press F1", "max_rounds": 20}), running, failed)  # not seen running
    expect(page.get_by_placeholder("Hint for the next try…")).to_be_visible()
    page.context.close()


def test_title_icon_caption_card_and_header_tell_the_state_and_what_was_spent(
    browser: Browser, live: Stage
) -> None:
    """Money where prices are set, else tokens. The page can be installed."""
    page = opened(browser, live.url, DESKTOP, [])
    manifest = page.request.get(f"{live.url}static/app.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert manifest.json()["display"] == "standalone"
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", BLOB)
    before = icon.get_attribute("href")
    live.begin()
    expect(page).to_have_title("Running · Computer-use agent")
    expect(icon).not_to_have_attribute("href", before or "")
    expect(icon).to_have_attribute("href", BLOB)
    live.step(1)
    expect(page.locator("#state")).to_contain_text("940 tokens")
    live.step(2, cost=0.0022)
    expect(page.locator("article.step").last).to_contain_text("900 in, 40 out tokens · cost 0.0022")
    for number, cost in ((3, 0.0038), (4, 0.099)):
        live.step(number, cost=cost)  # as floats they make 0.10500000000000001
    expect(page.get_by_title("Cost of this task so far")).to_have_text("cost 0.10")
    live.tell(("status", {"status": "stopped", "reason": ""}))
    page.context.close()


def test_two_fingers_make_the_live_picture_larger(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    monitor, picture = page.locator("#monitor"), page.locator("#canvas")
    expect(page.locator("#caption .is-live")).to_be_visible()
    before, room = picture.bounding_box(), monitor.bounding_box()
    assert before
    assert room
    x, y = room["x"] + room["width"] / 2, room["y"] + room["height"] / 2
    send = fingers(page)
    with page.expect_response("**/pinch_zoom.js"):  # the first touch of all
        send("touchStart", (x - 40, y), (x + 40, y))
    page.wait_for_timeout(500)
    for far in (50, 80, 120):
        send("touchMove", (x - far, y), (x + far, y))
    send("touchEnd")
    enlarged = picture.bounding_box()
    assert enlarged
    assert enlarged["width"] > 2 * before["width"]
    message = page.locator("#box")

    def pinch(*apart: int) -> float:
        for kind, far in zip(("touchStart", "touchMove", "touchMove"), apart, strict=True):
            send(kind, (x - far, y), (x + far, y))
        send("touchEnd")
        after = picture.bounding_box()
        assert after
        return after["width"] / before["width"]

    assert pinch(160, 100, 30) == 1
    assert pinch(40, 80, 120) > 2
    assert monitor.bounding_box() == room
    keep(page, "phone-live-zoomed")
    page.touchscreen.tap(x, y)
    expect(message).to_have_value(re.compile("50"))
    assert pinch(160, 100, 30) == 1
    assert pinch(40, 80, 120) > 2
    live.begin()
    expect(page.locator("#state")).to_contain_text("Running")
    assert picture.bounding_box() == before, "what is next may be anywhere"
    page.context.close()


IS_STAGE_BELOW = "wide => document.querySelector('.stage').clientWidth < wide"


def test_keys_buttons_and_swipes_lead_from_one_screenshot_to_the_next_and_fingers_enlarge_it(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    live.step(1)
    live.step(2)
    expect(page.locator("article.step")).to_have_count(2)
    page.locator("article.step").last.locator(".shot button").tap()
    title = page.locator("#lightbox header p")
    expect(title).to_contain_text("Step 2")
    page.keyboard.press("ArrowLeft")
    expect(title).to_contain_text("Step 1")
    expect(page.locator(".stage img")).to_have_js_property("naturalWidth", 1280)
    send = fingers(page)

    def swipe(*places: int) -> None:
        for kind, x in zip(("touchStart", "touchMove", "touchMove"), places, strict=True):
            send(kind, (x, 420))
        send("touchEnd")

    swipe(300, 200, 100)
    expect(title).to_contain_text("Step 2")
    forth = page.locator("#lightbox").get_by_role("button", name="Next step")
    expect(forth).to_be_disabled()
    live.step(3)  # while one looks
    expect(forth).to_be_enabled()
    forth.tap()
    expect(title).to_contain_text("Step 3")
    keep(page, "phone-lightbox")
    swipe(100, 200, 300)
    expect(title).to_contain_text("Step 2")
    whole = page.locator(".stage").bounding_box()
    assert whole
    for kind, far in (("touchStart", 40), ("touchMove", 80), ("touchMove", 120)):
        send(kind, (195 - far, 420), (195 + far, 420))
    send("touchEnd")
    pinched = page.locator(".stage").bounding_box()
    keep(page, "phone-zoomed")
    assert pinched
    assert pinched["width"] > 2 * whole["width"]
    page.locator(".stage").tap()  # which takes it back
    page.wait_for_function(IS_STAGE_BELOW, arg=1.1 * whole["width"])  # the click follows the tap
    assert page.locator(".stage").bounding_box() == whole
    page.locator(".stage").tap()  # then a finger and the arrows move what is seen
    page.wait_for_function(f"wide => !({IS_STAGE_BELOW})(wide)", arg=1.1 * whole["width"])
    enlarged = page.locator(".stage").bounding_box()
    assert enlarged
    assert enlarged["width"] >= 2 * whole["width"]
    swipe(100, 200, 300)
    page.keyboard.press("ArrowLeft")
    expect(title).to_contain_text("Step 2")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    keep(page, "desktop-lightbox")
    page.keyboard.press("Escape")
    expect(page.locator("#lightbox")).to_be_hidden()
    page.context.close()


@pytest.mark.parametrize(
    "sizes", [[DESKTOP], [TABLET, PHONE, LYING]], ids=["with-a-mouse", "with-fingers"]
)
def test_stop_is_in_sight_in_every_view_over_a_screenshot_and_on_the_whole_screen(
    browser: Browser, live: Stage, sizes: list[tuple[int, int]]
) -> None:
    """On which the picture is as large as may be."""
    page = opened(browser, live.url, sizes[0], [])
    for wide, high in sizes:
        page.set_viewport_size({"width": wide, "height": high})
        live.begin()
        live.step(1)
        stop_is_in_sight_in_every_view(page, high)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= wide
        stop_is_in_the_corner_of_a_screenshot(page, wide, high)
        clear(page)
        live.begin()
        stop_is_in_the_corner_of_the_whole_screen(page, wide, high)
        clear(page)
    page.context.close()


def clear(page: Page) -> None:
    page.locator("#reset").dblclick()
    expect(page.locator(".empty")).to_be_visible()


def stop_is_in_sight_in_every_view(page: Page, high: int) -> None:
    stop = page.get_by_role("button", name="Stop", exact=True)
    for view in ("history", "log", "settings", "chat"):
        page.locator(f"#tab-{view}").click()
        expect(stop).to_be_in_viewport(ratio=1)
        box = stop.bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["y"] > high / 2


def stop_is_in_the_corner_of_a_screenshot(page: Page, wide: int, high: int) -> None:
    stop = page.get_by_role("button", name="Stop", exact=True)
    for key in ("Escape", "Enter"):  # from the second time on it must have come back, too
        page.locator("article.step .shot button").click()
        expect(page.locator("#lightbox img")).to_have_js_property("naturalWidth", 1280)
        box, picture = stop.bounding_box(), page.locator("#lightbox img").bounding_box()
        assert box
        assert picture
        assert box["x"] + box["width"] > wide - 24
        assert box["y"] + box["height"] > high - 24
        assert picture["x"] + picture["width"] <= box["x"] or (
            picture["y"] + picture["height"] <= box["y"]
        )
        expect(stop).to_have_css("color", "rgb(255, 255, 255)")
        if key == "Enter":
            stop.click()
            expect(stop).not_to_have_css("color", "rgb(255, 255, 255)")  # nothing runs
            expect(page.locator("#lightbox")).to_contain_text("All keys are released.")
            page.get_by_role("button", name="Close").focus()
        page.keyboard.press(key)
        expect(page.locator("#lightbox")).to_be_hidden()
        expect(page.locator("#composer").get_by_role("button", name="Stop")).to_be_in_viewport(
            ratio=1
        )
    expect(page.locator("#composer-note")).to_be_visible()


def stop_is_in_the_corner_of_the_whole_screen(page: Page, wide: int, high: int) -> None:
    full, button = page.get_by_role("button", name="Full screen"), page.locator("#stop")
    expect(page.locator("#state")).to_contain_text("Running")
    full.click()
    expect(page.locator("#tabs")).to_be_hidden()
    expect(page.locator("#state .chip")).to_be_in_viewport(ratio=1)
    picture, stop = page.locator("#canvas").bounding_box(), button.bounding_box()
    assert picture
    assert stop
    assert picture["width"] >= min(wide, (high - 16) * 16 / 9) - 2
    assert stop["x"] + stop["width"] > wide - 24
    assert stop["y"] + stop["height"] > high - 24
    button.click()
    expect(page.locator("#composer-note")).to_have_text("All keys are released.")
    full.click()
    expect(page.locator("#top")).to_be_visible()
    expect(page.locator("#state")).to_contain_text("Stopped")


# In one go: the button asks for three seconds only.
PRESS_ONCE = """button => {
  const color = () => getComputedStyle(button).color;
  const plain = color();
  button.click();
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { scrollWidth, clientWidth } = button;
  const isInSight = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
  return [button.textContent, color() !== plain, scrollWidth <= clientWidth, isInSight];
}"""


def test_a_task_is_not_cleared_by_one_slip_and_a_stop_leaves_the_examples_and_a_way_on(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    box, reset = page.get_by_role("textbox", name="Message"), page.locator("#reset")
    stop, steps = page.get_by_role("button", name="Stop", exact=True), page.locator("article.step")
    for status in ("running", "asking", "paused", "done"):
        ended = status == "done"
        live.begin()
        live.step(1)
        if status != "running":
            live.tell(
                *[("done", {"text": "Found."})] * ended,
                ("status", {"status": status, "reason": ""}),
            )
            expect(page.locator("body")).to_have_attribute("data-status", status)
        expect(steps).to_have_count(1)
        words = "Clear chat and Log?" if ended else "End task and clear?"
        assert reset.evaluate(PRESS_ONCE) == [words, True, True, True]
        expect(steps).to_have_count(1)
        reset.dblclick()  # a slow page may have put the question away meanwhile
        expect(page.locator(".empty")).to_be_visible()
        expect(reset).to_have_text("Reset")
    for task in (False, True):
        if task:
            live.begin()
            live.step(1)
            expect(steps).to_be_visible()
        with page.expect_response(stop_answered):  # before that, it refuses to go on
            stop.click()
        expect(page.locator("#state")).to_contain_text("Stopped" if task else "Ready")
        if not task:
            expect(box).to_have_attribute("placeholder", "Send a task to start…")
        reset.click(click_count=1 + task)
        expect(page.locator("#state")).to_contain_text("Ready")
        expect(page.get_by_role("button", name="Pause")).to_be_disabled()
        expect(page.get_by_role("heading", name="What should the agent do?")).to_be_visible()
        with page.expect_response(stop_answered):
            stop.click()
        # Until the page has heard of it, it would send the task as if nothing were stopped.
        expect(box).to_have_attribute("placeholder", "Send a task to start…")
        box.fill('wait for "nothing"')
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#state")).to_contain_text("Running")
        reset.dblclick()
        expect(page.locator(".empty")).to_be_visible()
    page.context.close()


def stop_answered(response: Response) -> bool:
    return response.url.endswith("/api/stop") and response.ok


def test_a_cancelled_step_does_not_look_done_and_a_stop_after_the_result_leaves_its_actions(
    browser: Browser, live: Stage
) -> None:
    """It offers no resume then."""
    page = opened(browser, live.url, DESKTOP, [])
    page.route("**/api/procedures", lambda route: route.fulfill(json=["report"]))
    live.begin()
    live.step(1)
    typing = {"kind": "type", "text": "hello printer"}
    live.tell(*looked(2), *answered(2, actions=[typing]))
    live.send_transient("typed", count=4)
    part = Message("agent.typed", typed=5, count=13)
    live.tell(("typed", {"step": 2, "count": 5, "text": part}))
    live.tell(("status", {"status": "paused", "reason": ""}))
    expect(page.locator("#chat")).to_contain_text("5 of 13 characters were typed.")
    page.reload()
    expect(page.locator("#chat")).to_contain_text("5 of 13 characters were typed.")
    live.tell(("status", {"status": "running", "reason": ""}), looked(3)[0])
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#chat")).to_contain_text("Stopped.")
    expect(page.locator("#state")).to_contain_text("Step 2 of 20")
    expect(page.locator("article.step .number").filter(visible=True)).to_have_text(["1", "2"])
    expect(page.locator("article.step .phase").filter(visible=True)).to_have_text(["Interrupted"])
    expect(page.locator("#strip .frame p")).to_have_text([re.compile("^1 Click"), "2 Interrupted"])
    keep(page, "desktop-cancelled")
    live.tell(("reset", {}))
    live.begin()
    live.step(1)
    moved = {"words": Message("agent.change.moved"), "none": False, "areas": []}
    live.tell(("effect", {"step": 1, **moved}))
    expect(page.locator("article.step .figures").last).to_contain_text("The pointer moved.")
    expect(page.locator("article.step footer").last).to_have_text("")  # nothing is wrong
    live.step(2, thought="", actions=[{"kind": "done", "words": "Done"}])
    live.tell(("done", {"text": "Printed.", "refused": True}))
    live.tell(("status", {"status": "done", "reason": ""}))
    expect(page.locator("#strip .frame p").last).to_have_text("2 Partly done")
    with page.expect_response(stop_answered):
        page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#composer-note")).to_contain_text("All keys are released")
    expect(page.locator("#state")).to_contain_text(re.compile("Partly done.*2 steps"))
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    expect(page.get_by_role("button", name="Procedures")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()
    expect(page.get_by_placeholder("Send a task to start…")).to_be_visible()
    live.begin()
    live.step(1)
    how = Message("format.kvm_help.mouse")
    why = sentences(Message("format.kvm_not_understood", text="`mouse a. B`"), how)
    told = {"outcome": sentences(Message("agent.not_understood"), why), "seconds": 1.0}
    unclear = {"ok": False, "outcome_kind": "not_understood", **told}
    live.tell(*looked(2), *answered(2, actions=()), ("step", {"step": 2, **unclear}))
    expect(page.locator("#strip .frame p").last).to_have_text("2 Reply not understood")
    wrong = page.locator("article.step").last
    expect(wrong.locator("footer")).to_have_text(
        "Not understood, so nothing was done. mouse a. B is not understood."
    )
    expect(wrong.locator("footer code")).to_have_text("mouse a. B")
    expect(wrong.locator(".rest")).to_contain_text(
        re.compile("^I see step 2.*Write `mouse x y c`", re.DOTALL)
    )
    live.tell(*looked(3), *answered(3, actions=[typing]))
    live.tell(("typed", {"step": 3, "count": 5, "text": part}))
    live.tell(("failed", {"text": "Gone."}), ("status", {"status": "failed", "reason": "Gone."}))
    footer = page.locator("article.step footer").last
    expect(footer).to_have_text("5 of 13 characters were typed.")  # the KVM is gone
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator("#state")).to_contain_text(re.compile("Failed.*3 steps"))
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()
    expect(page.get_by_placeholder("Hint for the next try…")).to_be_visible()
    keep(page, "desktop-stopped-after-failure")
    for path in ("resume", "send"):
        page.route(f"**/api/{path}", lambda route: route.fulfill(json={}))
    with page.expect_request("**/api/send"), page.expect_request("**/api/resume"):
        page.get_by_role("button", name="Try again").click()
    page.context.close()


def test_each_page_is_told_of_the_other_and_where_it_was_stopped(browser: Browser) -> None:
    with stage("take_over=true") as live:
        desk, phone = (opened(browser, live.url, size, []) for size in (DESKTOP, PHONE))
        for page, words in ((desk, "2 pages open"), (phone, "2 pages")):
            expect(page.locator("#state .pages")).to_have_text(words)
        note, state = desk.locator("#composer-note"), desk.locator("#state")
        phone.get_by_role("button", name="Take over").click()
        expect(state).to_contain_text("Operated elsewhere")
        desk.get_by_role("button", name="Take over").click()
        expect(phone.locator("#composer-note")).to_have_text("Another page took over.")
        expect(phone.locator("#state")).to_contain_text("Operated elsewhere")
        keep(phone, "phone-controlled-elsewhere")
        expect(state).to_contain_text("You're operating")
        live.begin()
        expect(note).to_have_text("A task has begun: manual control has ended.")
        live.step(1)
        expect(desk.locator("article.step")).to_be_visible()
        phone.get_by_role("button", name="Stop", exact=True).click()
        expect(desk.locator("#chat")).to_contain_text("Stopped on another page.")
        phone.reload()
        expect(phone.locator("#chat")).to_contain_text("Stopped by you.")
        turn_to(desk, "Log")
        expect(desk.locator("#log")).to_contain_text("Find the printer")
        phone.locator("#reset").dblclick()
        expect(desk.locator("#composer-note")).to_have_text("The chat was cleared.")
        expect(phone.locator("#composer-note")).to_be_hidden()
        expect(desk.locator("#log > li").first).to_contain_text("Chat cleared.")  # as in a new page
        for page in (desk, phone):
            page.context.close()


def test_the_chat_is_one_stop_for_tab_and_strip_and_names_of_steps_say_what_their_cards_say(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    live.begin()
    for number in range(1, 9):
        live.step(number, reasoning="Because.")
    expect(page.locator("article.step summary").filter(visible=True)).to_have_count(8)
    focused = page.locator(":focus")
    box = page.get_by_role("textbox", name="Message")

    def reached(key: str, goal: Locator) -> int:
        for n in range(1, 30):
            page.keyboard.press(key)
            if goal.evaluate("node => node === document.activeElement"):
                return n
        raise AssertionError("there is no way to it")

    page.locator("#panel-chat").focus()
    assert reached("Tab", box) == 2
    page.keyboard.press("Shift+Tab")
    expect(focused).to_have_text("Details")
    page.keyboard.press("ArrowUp")
    expect(focused).to_have_accessible_name("Screenshot of step 8, full size")
    assert reached("ArrowUp", page.get_by_role("button", name="Screenshot of step 1")) == 14
    expect(focused).to_be_in_viewport()
    live.step(9)  # what comes meanwhile is no stop either
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(focused).to_have_accessible_name("Screenshot of step 1, full size")
    live.tell(("reset", {}))
    live.tell(
        ("task", {"text": "report", "max_rounds": 20, "procedure": "report"}),
        ("status", {"status": "running", "reason": ""}),
    )
    thought = to_json(Message("procedure.step", number=2, count=5, say="“OK” is there."))
    live.step(14, thought=thought, scripted=True)
    card, strip = page.locator("article.step").last, page.locator("#strip .frame").last
    expect(card).to_have_accessible_name("Step 2")
    expect(card.get_by_role("heading")).to_have_accessible_name("Step 2")
    expect(card.get_by_role("button").first).to_have_accessible_name(
        "Screenshot of step 2, full size"
    )
    expect(strip.get_by_role("button")).to_have_accessible_name("Step 2 · Click")
    expect(strip).to_have_text("2 Click")
    live.step(15, thought="", scripted=True, actions=[{"kind": "ask", "question": "x"}])
    expect(strip.get_by_role("button")).to_have_accessible_name("Question")
    expect(strip).to_have_text("Question")
    live.begin("use 1.1.1.1 instead")
    live.step(1, thought="", actions=[{"kind": "ask", "question": "x"}])
    asks = Message("local.not_understood", text="use 1.1.1.1 instead")
    live.tell(("question", {"text": sentences(asks, Message("local.commands"))}))
    expect(page.locator(".is-question").get_by_role("heading")).to_contain_text("Not understood")
    expect(strip).to_have_text("1 Not understood")
    seen = Message("local.among_others", texts=["Edit", "Help"])
    missing = Message("local.not_on_screen", target="Foo", texts=seen)
    live.tell(("question", {"text": to_json(missing)}))
    expect(page.locator(".is-question").last).to_contain_text(str(missing))
    turn_to(page, "Log")
    page.locator("#log-search").fill("x")
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(page.locator("#state")).to_contain_text("Needs your answer")
    expect(page.locator("#log-search")).to_be_focused()  # what is typed is no answer
    question = sentences(Message("procedure.how"), Message("procedure.ask"))
    live.tell(("question", {"text": to_json(question)}))
    expect(page.locator("#box")).to_have_attribute("placeholder", "Try again or Skip step")
    page.context.close()


def test_the_operators_question_has_tasks_to_choose_and_a_refused_task_is_not_offered_again(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    page.evaluate('localStorage["cua-tasks"] = \'[{"text": "Find the printer", "saved": false}]\'')
    page.route("**/api/send", lambda route: route.fulfill(json={}))  # the script below answers
    live.begin()
    asks = Message("local.not_understood", text="use 1.1.1.1 instead")
    commands = Message("local.commands")
    live.step(1, thought="", actions=[{"kind": "ask", "question": "x"}])
    live.tell(("question", {"text": sentences(asks, commands), "anew": True}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(page.locator("#state")).to_have_text("Not understood")  # it is at no step
    stop = page.locator("#stop")
    expect(stop).to_have_css("background-color", "rgb(236, 238, 243)")  # grey: nothing runs
    expect(stop).to_be_enabled()
    card = page.locator(".is-question")
    expect(card.get_by_role("heading")).to_contain_text("Not understood")
    expect(card.locator(":scope > p")).to_have_text(asks)
    expect(card.get_by_role("heading")).to_have_css("color", AMBER)
    rest = card.locator("details li")
    expect(rest.first).to_be_hidden()
    live.tell(("queue", {"tasks": [{"id": n, "text": "x"} for n in (1, 2)], "held": ""}))
    expect(page.locator("#queue")).to_be_visible()
    card.get_by_text("Show commands", exact=True).tap()
    expect(rest.first).to_be_in_viewport(ratio=1)
    live.tell(("queue", {"tasks": [], "held": ""}))
    expect(rest).to_have_text(commands.split("\n- ")[1:])
    expect(rest.first).to_be_visible()
    live.tell(("status", {"status": "stopped", "reason": "Stopped by you."}))
    expect(page.locator("#chat")).to_contain_text("Stopped by you.")
    expect(card.get_by_role("heading")).not_to_have_css("color", AMBER)  # it waits no longer
    expect(page.locator("#state")).to_have_text("Stopped")  # it was at no step
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(page.locator("#chat")).to_contain_text("Resumed.")
    expect(card.get_by_role("heading")).to_have_css("color", AMBER)
    card.get_by_role("button", name="Delete the file notes.txt").tap()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Delete the file notes.txt")
    expect(page.get_by_role("button", name="New task")).to_be_hidden()
    with page.expect_request("**/api/send") as sent:
        page.get_by_role("button", name="Send", exact=True).click()
    assert sent.value.post_data_json == {"text": "Delete the file notes.txt", "anew": True}
    live.begin("Delete the file notes.txt")
    expect(card.get_by_role("button")).to_have_count(0)
    live.tell(("question", {"text": sentences(asks, commands)}))  # no other task is begun then
    live.tell(("status", {"status": "asking", "reason": ""}))
    expect(card).to_have_count(2)
    expect(stop).to_have_css("background-color", "rgb(184, 36, 44)")
    expect(card.last.get_by_text("Show commands", exact=True)).to_be_visible()
    assert card.last.locator(".ways").count() == 0
    kept = page.evaluate("JSON.parse(localStorage['cua-tasks'])")
    assert kept == [{"text": "Delete the file notes.txt", "saved": False}]
    live.tell(("reset", {}))
    expect(page.locator(".empty")).to_be_visible()
    tasks = [{"text": text, "saved": False} for text in ("Delete all", "Find the printer")]
    page.evaluate(f"localStorage['cua-tasks'] = {json.dumps(json.dumps(tasks))}")
    live.begin("Delete all")
    live.tell(*looked(1), *answered(1), ("answered", {"answer": "lapsed"}))
    live.begin("Find the printer")
    live.tell(*looked(1), *answered(1), ("answered", {"answer": "refused"}))
    live.tell(
        ("question", {"text": "What instead?"}), ("status", {"status": "asking", "reason": ""})
    )
    expect(page.get_by_text("What instead?", exact=True)).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['cua-tasks'])") == tasks[:1]
    left_out = Message("local.left_out")
    for text, answer in ((left_out, []), (sentences(left_out, "I see it."), ["I see it."])):
        live.tell(("done", {"text": text, "refused": True}))
        live.tell(("status", {"status": "done", "reason": ""}))
        result = page.locator(".is-done").last
        expect(result.get_by_role("heading")).to_contain_text("Ended, without what you declined")
        expect(result.get_by_role("heading")).to_have_css("color", AMBER)
        expect(result.locator("h3 .icon-partly")).to_be_visible()  # it need not be done
        expect(result.locator(".answer")).to_have_text(answer)  # the title says the rest
    live.begin("Save it")
    live.step(12, thought="", actions=[{"kind": "done", "words": "Done"}])
    live.tell(("done", {"text": sentences(left_out, "I see it."), "refused": True}))
    live.tell(("status", {"status": "done", "reason": ""}))
    expect(page.locator(".is-done.is-partly")).to_have_count(3)
    figures = page.locator(".is-done").last.locator("h3 > span")
    expect(figures).to_have_text(["12", re.compile("^12 steps · ")])
    one_line = "nodes => nodes.every(({ offsetHeight }) => offsetHeight < 30)"
    assert figures.evaluate_all(one_line), "the title takes two lines before they do"
    expect(page.get_by_role("button", name="Export")).to_have_count(3)
    expect(page.get_by_role("button", name="Save as procedure")).to_have_count(0)
    expect(page.locator("#state")).to_contain_text("Partly done")
    turn_to(page, "History")
    expect(page.locator(".task .help")).to_contain_text(["Partly done"] * 2 + ["Not finished"])
    page.get_by_role("button", name="Done", exact=True).click()
    expect(page.locator(".task")).to_have_count(0)
    page.get_by_role("button", name="Partly done", exact=True).click()
    page.locator(".task").first.click()
    expect(page.locator(".replay h2 ~ .end")).to_have_text(re.compile("^Partly done.*I see it"))
    expect(page.get_by_role("button", name="Reuse task")).to_be_visible()
    expect(page.get_by_role("button", name="Save as procedure")).to_have_count(0)
    page.context.close()


def test_a_task_is_run_again_with_its_corrections_and_as_it_was_understood(
    browser: Browser, live: Stage
) -> None:
    """The corrections go into the box, in place of what was not understood if they answer that;
    other words for the last task are in the chat only.
    """
    page = opened(browser, live.url, PHONE, [])
    live.begin("Print the letter\nat once\n\ntwice")
    live.step(1)
    live.tell(("said", {"text": "in color", "queued": False}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    live.tell(("said", {"text": "in colour", "queued": False, "replaces": "in color"}))
    live.tell(("said", {"text": "the blue one", "queued": False}))
    live.tell(("said", {"text": "quickly", "queued": False, "replaces": "at once"}))
    reason = {"text": "the note", "queued": False, "replaces": "the letter", "reason": True}
    live.tell(("said", reason))  # of a refusal, carried out
    expect(page.locator("#chat .is-said")).to_have_count(4)
    live.tell(("status", {"status": "running", "reason": ""}))
    live.tell(("done", {"text": "Printed."}), ("status", {"status": "done", "reason": ""}))
    page.get_by_role("button", name="Run again").click()
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_have_value("Print the note\nquickly\n\ntwice\nin colour\nthe blue one")
    note = page.locator("#composer-note")
    expect(note).to_have_text("The task was corrected while it ran. Check it and send it.")
    box.press("End")
    box.type("!")
    expect(note).to_be_hidden()
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    box.fill("")
    live.tell(("reset", {}))
    said, meaning = "use 1.1.1.1 instead", "set dns server to 1.1.1.1"
    page.evaluate(f'localStorage[\'cua-tasks\'] = \'[{{"text": "{said}", "saved": false}}]\'')
    about = {"text": meaning, "said": said, "instead": ["8.8.8.8", "1.1.1.1"], "max_rounds": 9}
    live.tell(("task", about), ("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator("#chat .is-task")).to_contain_text(said)
    page.locator("#chat").get_by_role("button", name="Save task").click()
    kept = page.evaluate("JSON.parse(localStorage['cua-tasks'])")
    assert kept == [{"text": meaning, "saved": True}]
    box.fill("half a")
    with page.expect_request("**/api/send") as sent:
        page.get_by_role("button", name="Run again").click()
    assert sent.value.post_data_json == {"text": meaning, "anew": True}
    expect(box).to_have_value("half a")
    expect(box).not_to_be_focused()  # the keyboard would cover what begins
    page.context.close()


def test_a_failure_offers_ways_out_and_an_older_result_keeps_what_goes_with_its_record(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    for words, fix in (
        ("The server is gone.", {}),
        ("The server says the API key is wrong.", {"setting": "api_key"}),
    ):
        live.begin()
        ended = {"status": "failed", "reason": words, **fix}
        live.tell(("failed", {"text": words, **fix}), ("status", ended))
    again = page.get_by_role("button", name="Try again")
    expect(again).to_have_count(1)  # the older one is past
    keep(page, "desktop-failed")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    live.tell(("queue", {"tasks": [{"id": n, "text": "x"} for n in (1, 2)], "held": ""}))
    expect(page.locator(".queue li").first).to_be_in_viewport(ratio=1)
    expect(page.locator(".queue li").last).not_to_be_in_viewport()
    expect(again).to_be_in_viewport(ratio=1)
    keep(page, "phone-failed-with-a-queue")
    live.tell(("queue", {"tasks": [], "held": ""}))
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    with page.expect_request("**/api/send") as sent:
        again.click()
    assert sent.value.post_data_json == {"text": ""}
    page.get_by_role("button", name="Open setting").click()
    expect(page.locator("[name=api_key]")).to_be_focused()
    expect(page.locator("[name=api_key]")).to_be_in_viewport()
    page.locator("#tab-chat").click()
    live.begin()
    live.tell(("question", {"text": "There is no such secret.", "setting": "secrets:bank"}))
    live.tell(("status", {"status": "asking", "reason": ""}))
    page.locator(".is-question").get_by_role("button", name="Open setting").click()
    expect(page.locator("#secret-value")).to_be_focused()
    expect(page.locator("#secret-name")).to_have_value("bank")
    page.locator("#tab-chat").click()
    live.tell(("reset", {}))
    expect(page.locator(".empty")).to_be_visible()
    for number, goal in enumerate(("Print the letter", "Close the window"), 1):
        live.begin(goal)
        live.step(number)
        live.tell(("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
    older = page.locator("#chat .is-done").first
    buttons = older.locator(".ways button").filter(visible=True)
    expect(buttons).to_have_text(["Run again", "Save task", "Save as procedure", "Export"])
    expect(buttons.first).to_have_css("border-top-color", "rgb(223, 227, 234)")
    keep(page, "desktop-older-result")
    with page.expect_download() as exported:
        older.get_by_role("button", name="Export").click()
    assert "Print the letter" in Path(exported.value.path()).read_text("utf-8")
    live.begin("Open the window")
    expect(page.locator("#box")).to_have_attribute("placeholder", "Add a hint…")
    older.get_by_role("button", name="Run again").click()  # it does not steer the one at work
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Print the letter")
    note, anew = page.locator("#composer-note"), page.locator("#new-task")
    expect(note).to_have_text("A task is running. Queue runs this one after it.")
    expect(page.locator("#queue-add")).to_have_class("primary")
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(anew).to_have_attribute("aria-pressed", "true")
    expect(note).to_have_text("Send ends the unfinished task and runs this one.")
    anew.click()
    expect(note).to_be_hidden()
    older.get_by_role("button", name="Run again").click()
    expect(note).to_have_text("Send ends the unfinished task and runs this one.")
    expect(anew).to_have_attribute("aria-pressed", "true")
    page.route("**/api/send", lambda route: route.fulfill(json={}))
    page.locator("#box").fill("")
    unclear = ("question", {"text": "Not understood.", "anew": True})
    live.begin("Frobnicate")
    live.tell(unclear, ("status", {"status": "asking", "reason": ""}))
    expect(page.get_by_placeholder("What next?")).to_be_visible()
    with page.expect_request("**/api/send") as sent:  # nothing is unfinished
        older.get_by_role("button", name="Run again").click()
    assert sent.value.post_data_json == {"text": "Print the letter", "anew": True}
    page.context.close()
