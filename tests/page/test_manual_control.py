"""The controls in the person's own hands: from the browser's events to the HID reports."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from cua.agent.manual_control import BUTTON_RELEASED
from cua.agent.pointer_hold import PAGE_LOST
from cua.hid.reports import Endpoint
from cua.messages import Message
from tests.page.test_first_run import fetched, state_address
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    STEP,
    TABLET,
    agree,
    fingers,
    keep,
    needs_browser,
    opened,
    turn_to,
    turn_to_group,
)
from tests.support.devices import interpret
from tests.support.page_views import service
from tests.support.scripted_service import Stage, stage
from tests.support.usb_decode import DecodedInput
from tests.support.waiting import describe

pytestmark = needs_browser

Place = tuple[float, float]


@pytest.fixture
def live() -> Iterator[Stage]:
    with stage("take_over=true") as made:
        yield made


LOSSES = [*map(str, (PAGE_LOST, BUTTON_RELEASED, Message("kvm.stalled")))]
PLACES = "all => all.map((node) => JSON.stringify(node.getBoundingClientRect()))"


class Lost(Exception):
    """A machine that is too busy lets go of what is held, and says so: safe, but no proof."""


@dataclass
class Controls:
    """A page whose person has taken over; `manual_control` is the picture under their hands."""

    page: Page
    manual_control: Locator
    faults: list[str]
    _reports: list[tuple[Endpoint, bytes]] = field(default_factory=list)

    def spot(self, x: float, y: float) -> Place:
        """Where on the page these fractions of the computer's screen are."""
        box = self.manual_control.bounding_box()
        assert box
        return box["x"] + box["width"] * x, box["y"] + box["height"] * y

    def touch(self) -> Callable[[str, float, float], None]:
        """Sends one event of a finger."""
        finger = fingers(self.page)

        def send(kind: str, x: float, y: float) -> None:
            finger(kind, *[] if kind == "touchEnd" else [self.spot(x, y)])

        return send

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(STEP // 50):
            if condition():
                return
            self._check_grip()
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not within {STEP} ms: {describe(condition)}")

    def is_so(self, what: object) -> None:
        if not what:
            self._check_grip()
        assert what

    def _check_grip(self) -> None:
        words = self.page.locator("#control-bar .error").inner_text()
        if words in LOSSES:
            raise Lost(words)

    def again(self, story: Callable[[], None], let_go: Callable[[], None]) -> None:
        """Until it is told without a loss of grip; `let_go` ends a pull that was cut off."""
        for _ in range(10):
            try:
                return story()
            except Lost:
                let_go()
                self.page.locator("#control-bar .error").evaluate("node => node.textContent = ''")
                self.faults.clear()
                self._reports.clear()
        raise AssertionError("the grip is lost every time")

    def computer(self, live: Stage) -> DecodedInput:
        """What a USB host has understood when all has been sent."""
        expect(self.page.locator("body")).to_have_attribute("data-waiting", "0")
        return self.so_far(live)

    def so_far(self, live: Stage) -> DecodedInput:
        endpoints: tuple[Endpoint, ...] = ("keyboard", "pointer")
        self._reports += [(each, report) for each in endpoints for report in live.reports(each)]
        return interpret(self._reports)


Take = Callable[[tuple[int, int], str], Controls]


@pytest.fixture
def take(browser: Browser) -> Iterator[Take]:
    """Opens a page of a size at an address, and takes over there. Nothing may go wrong with it."""
    made: list[Controls] = []

    def take(size: tuple[int, int], url: str) -> Controls:
        faults: list[str] = []
        page = opened(browser, url, size, faults)
        page.locator("#take").click()
        made.append(Controls(page, page.get_by_role("application"), faults))
        expect(made[-1].manual_control).to_be_visible(timeout=STEP)
        return made[-1]

    yield take
    for each in made:
        assert each.faults == []
        each.page.context.close()


SLOW_LINE = """() => {
  const quick = fetch;
  window.fetch = (...all) => new Promise((go) => { window.go = go; }).then(() => {
    window.fetch = quick;
    return quick(...all);
  });
}"""
"""The next request goes out when the test says so."""


def test_mouse_and_keyboard_of_a_desk(take: Take, live: Stage) -> None:
    """A pull that is over before it could begin is one drag. The page says who has the controls."""
    desk = take(DESKTOP, live.url)
    page = desk.page
    the_page_says_who_has_the_controls(page, "Click, drag, scroll")
    expect(page.locator(".keybar button").last).to_be_in_viewport(ratio=1)
    expect(page.locator("#demo")).to_be_visible()
    for width in (1100, DESKTOP[0]):
        page.set_viewport_size({"width": width, "height": DESKTOP[1]})
        tops = page.locator(".arrows button").evaluate_all(
            "all => all.map((each) => each.offsetTop)"
        )
        assert (len(tops), len(set(tops))) == (4, 1)
    keep(page, "controls-desktop")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/api/")[2]))
    page.evaluate(SLOW_LINE)
    page.keyboard.type("a")
    page.mouse.move(*desk.spot(0.1, 0.1))
    page.mouse.down()
    page.mouse.move(*desk.spot(0.5, 0.5), steps=5)
    page.mouse.up()
    page.evaluate("() => window.go()")
    found = desk.computer(live)
    assert len(found.presses) == len(found.releases) == 1
    assert (found.text, found.path[-1], found.down) == ("a", (640, 360), [])
    assert "manual-action" in asked
    assert not any(each.startswith("hold") for each in asked)
    page.mouse.click(*desk.spot(0.25, 0.5))
    page.get_by_role("button", name="Esc", exact=True).click()
    page.keyboard.type("Hi there")
    page.keyboard.press("Control+a")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    keep(page, "desktop-takeover")
    page.keyboard.press("Control+Alt+Home")  # as tab is for the computer, there is another way out
    expect(page.get_by_role("button", name="Hand back")).to_be_focused()
    found = desk.computer(live)
    assert found.text.startswith("aHi there")
    assert found.down == []
    assert ("left", 320, 360) in clicks(found)
    page.get_by_role("button", name="Hand back").click()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    expect(page.locator("#state")).to_have_text("Ready")
    expect(page.locator("#panel-chat")).to_be_visible()


def the_page_says_who_has_the_controls(page: Page, gestures: str) -> None:
    expect(page.locator("#state")).to_have_text("You're operating")
    expect(page.locator(".gestures")).to_contain_text(gestures)
    expect(page.locator(".gestures")).to_be_in_viewport(ratio=1)
    expect(page.locator(".keybar button").first).to_be_in_viewport(ratio=1)
    back = page.get_by_role("button", name="Hand back")
    expect(back).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.locator("#demo").evaluate(
        "node => Object.assign(node, {textContent: 'Simulated.', hidden: false, className: 'demo'})"
    )


def clicks(found: DecodedInput) -> list[tuple[str, int, int]]:
    return [(press.button, press.x, press.y) for press in found.presses]


def test_one_finger_clicks_and_drags_two_that_part_enlarge_and_two_together_scroll(
    take: Take, live: Stage
) -> None:
    phone = take(PHONE, live.url)
    page, touch = phone.page, phone.touch()
    page.touchscreen.tap(*phone.spot(0.5, 0.5))
    touch("touchStart", 0.25, 0.25)
    page.wait_for_timeout(700)
    touch("touchEnd", 0.25, 0.25)
    touch("touchStart", 0.1, 0.1)
    for n in range(1, 6):
        touch("touchMove", 0.1 + n / 10, 0.1 + n / 10)
    touch("touchEnd", 0.6, 0.6)
    page.get_by_role("button", name="Ctrl", exact=True).tap()
    page.get_by_role("button", name="Tab", exact=True).tap()
    keep(page, "phone-takeover")
    found = phone.computer(live)
    assert [button for button, _, _ in clicks(found)] == ["left", "right", "left"]
    assert found.down == []
    send, picture = fingers(page), page.locator("#canvas")
    before = picture.bounding_box()
    assert before
    x, y = phone.spot(0.5, 0.5)
    with page.expect_request("**/api/manual-action") as scrolled:
        send("touchStart", (x - 40, y), (x + 40, y))
        for down in (10, 30, 50, 70):
            send("touchMove", (x - 40, y - down), (x + 40, y - down))
        send("touchEnd")
    assert (scrolled.value.post_data_json or {})["action"]["kind"] == "scroll"
    phone.computer(live)
    assert picture.bounding_box() == before
    asked: list[object] = []
    page.on("request", lambda request: asked.append(request.url))
    send("touchStart", (x, y), (x, y + 40))  # one of them stays
    for down in (50, 60, 70, 80, 100):
        send("touchMove", (x, y), (x, y + down))
    send("touchEnd")
    after = picture.bounding_box()
    assert after
    assert after["width"] > 1.3 * before["width"]
    page.touchscreen.tap(*phone.spot(0.6, 0.6))
    found = phone.computer(live)
    keep(page, "phone-takeover-enlarged")
    assert [button for button, _, _ in clicks(found)] == ["left", "right", "left", "left"]
    assert len([each for each in asked if "manual-action" in str(each)]) == 1


def test_a_button_is_down_as_long_as_it_is_pulled(take: Take, live: Stage) -> None:
    desk = take(DESKTOP, live.url)
    page = desk.page

    def story() -> None:
        page.mouse.move(*desk.spot(0.1, 0.1))
        page.mouse.down()
        page.mouse.move(*desk.spot(0.5, 0.5), steps=5)
        expect(desk.manual_control.locator(".mark")).to_have_count(1)
        desk.until(lambda: desk.so_far(live).path[-1:] == [(640, 360)])
        desk.is_so(desk.so_far(live).down == ["left"])
        page.keyboard.type("not yet")
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(1500)  # a hand that rests
        desk.is_so(desk.so_far(live).down == ["left"])
        page.mouse.up()
        expect(desk.manual_control.locator(".mark")).to_have_count(0)
        found = desk.computer(live)
        desk.is_so(len(found.presses) == len(found.releases) == 1)
        assert (found.text, found.wheel, found.down) == ("not yet", 0, [])

    desk.again(story, page.mouse.up)


def test_whatever_ends_a_pull_lets_go(take: Take, live: Stage) -> None:
    for how in ("give back", "second finger", "closed"):
        phone = take(PHONE, live.url)
        pull(phone, live)
        if how == "second finger":
            both = fingers(phone.page)
            both("touchStart", phone.spot(0.4, 0.4), phone.spot(0.6, 0.4))
            both("touchMove", phone.spot(0.2, 0.4), phone.spot(0.8, 0.4))
        elif how == "give back":
            phone.page.locator("#take").dispatch_event("click")
        else:
            phone.page.close()
        let_go(partial(still_down, phone, live))
        phone.page.context.close()


def pull(phone: Controls, live: Stage) -> None:
    send = phone.touch()

    def story() -> None:
        send("touchStart", 0.2, 0.2)
        send("touchMove", 0.4, 0.4)
        phone.until(lambda: phone.so_far(live).down == ["left"])

    phone.again(story, partial(send, "touchEnd", 0, 0))


def still_down(phone: Controls, live: Stage) -> list[str]:
    return phone.so_far(live).down


def let_go(down: Callable[[], list[str]]) -> None:
    """Wait until nothing is down, without a page: it may be closed."""
    for _ in range(STEP // 50):
        if down() == []:
            return
        time.sleep(0.05)
    raise AssertionError("it is still held")


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("CUA_TAKE_OVER", "true")
    with service() as url:
        yield url


# On a busy machine so slow a finger is one that rests, which is a right click.
FINGER = pytest.param(PHONE, id="phone", marks=pytest.mark.slow)


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desktop"), FINGER])
def test_a_window_moves_before_it_is_let_go_of(
    take: Take, browser: Browser, demo: str, size: tuple[int, int]
) -> None:
    first = opened(browser, demo, DESKTOP, [])
    agree(first)
    address = state_address(first)
    first.context.close()
    hand = take(size, demo)
    page, send = hand.page, hand.touch()
    width, height = fetched(address)["size"]

    def window() -> Any:
        return fetched(address)["windows"][0]["rect"]

    icons = fetched(address)["icons"]
    ((x, y, w, h),) = [rect for _, label, rect in icons if label == "Notepad"]
    page.mouse.click(*hand.spot((x + w / 2) / width, (y + h / 2) / height))
    page.keyboard.press("Enter")
    hand.until(lambda: bool(fetched(address)["windows"]))

    def story() -> None:
        before = window()
        start = (before[0] + 200) / width, (before[1] + 20) / height
        way = [(start[0] - n / 100, start[1] + n / 100) for n in range(1, 11)]
        if size == PHONE:
            send("touchStart", *start)
            for place in way:
                send("touchMove", *place)
        else:
            page.mouse.move(*hand.spot(*start))
            page.mouse.down()
            for place in way:
                page.mouse.move(*hand.spot(*place))
        hand.until(lambda: window()[1] > before[1] + 60)
        hand.is_so(fetched(address)["down"]["buttons"] == ["left"])
        page.wait_for_timeout(300)  # until the picture shows it
        keep(page, f"{'phone' if size == PHONE else 'desktop'}-pulling")
        hand.is_so(fetched(address)["down"]["buttons"] == ["left"])

    hand.again(story, partial(send, "touchEnd", 0, 0) if size == PHONE else page.mouse.up)
    page.close()
    let_go(lambda: fetched(address)["down"]["buttons"])


def test_what_is_typed_by_hand(browser: Browser, live: Stage) -> None:
    """Keys that are held and a wheel do not run on; a sign goes out when it is composed."""
    page = opened(browser, live.url, DESKTOP, [])
    sent: list[Route] = []
    page.route("**/api/manual-action", lambda route: sent.append(route))
    page.get_by_role("button", name="Take over").click()
    manual_control = page.get_by_role("application")
    expect(manual_control).to_be_focused()

    def told() -> list[dict[str, object]]:
        """All that goes out, one answered after the other."""
        found = []
        while page.locator("body").get_attribute("data-waiting") != "0":
            if sent:
                route = sent.pop()
                found.append((route.request.post_data_json or {})["action"])
                route.fulfill(json={})
            page.wait_for_timeout(20)
        return found

    for _ in range(8):
        page.keyboard.down("ArrowDown")
    page.keyboard.up("ArrowDown")
    assert [each["keys"] for each in told()] == [["DOWN"], ["DOWN"]]

    manual_control.hover()
    for _ in range(5):
        page.mouse.wheel(0, 40)
    page.evaluate("0")
    turns = [each["dy"] for each in told() if each["kind"] == "scroll"]
    assert len(turns) <= 2
    assert sum(map(int, map(str, turns))) == 5

    page.locator(".control-bar textarea").focus()
    ime = page.context.new_cdp_session(page)
    for text in ("n", "ni"):
        ime.send("Input.imeSetComposition", {"text": text, "selectionStart": 2, "selectionEnd": 2})
    ime.send("Input.insertText", {"text": "你"})
    assert [each["text"] for each in told()] == ["你"]
    page.locator(".control-bar textarea").evaluate("""box => box.dispatchEvent(new InputEvent(
      'beforeinput', {inputType: 'deleteContentBackward', cancelable: true}))""")
    assert [each["keys"] for each in told()] == [["BACKSPACE"]]

    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="交还控制")).to_be_visible()
    page.context.close()


def test_why_an_action_failed_is_there_to_be_read_until_the_next_but_for_the_mouses_moves(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    answer: dict[str, Any] = {"status": 502, "json": {"error": "Released."}}
    page.route("**/api/manual-action", lambda route: route.fulfill(**answer))
    page.get_by_role("button", name="Take over").click()
    manual_control = page.get_by_role("application")
    why = page.locator("#control-bar .error")
    manual_control.hover(position={"x": 100, "y": 100})
    expect(why).to_have_text("Released.")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    answer = {"json": {}}
    page.wait_for_timeout(100)  # a mouse is heard of twelve times a second
    with page.expect_response("**/api/manual-action"):
        manual_control.hover(position={"x": 200, "y": 100})
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    expect(why).to_have_text("Released.")
    page.keyboard.press("a")
    expect(why).to_be_hidden()
    page.context.close()


def test_who_has_stopped_it_takes_over_and_it_stays_stopped(take: Take, live: Stage) -> None:
    desk = take(DESKTOP, live.url)
    page, stop = desk.page, desk.page.get_by_role("button", name="Stop", exact=True)
    for letter in "ab":  # the second stop meets nothing but the hands
        page.keyboard.press(letter)
        desk.computer(live)
        stop.click()
        expect(desk.manual_control).to_have_count(0)
        expect(page.locator("#state")).to_contain_text("Ready")
        expect(page.locator("#composer-note")).to_contain_text("All keys are released")
        page.get_by_role("button", name="Take over").click()
        expect(desk.manual_control).to_be_focused()
        expect(stop).to_be_enabled()
        expect(page.locator("#composer-note")).to_be_hidden()
    page.keyboard.press("c")
    assert desk.computer(live).text == "abc"
    page.get_by_role("button", name="Hand back").click()
    expect(page.locator("#state")).to_contain_text("Ready")
    expect(page.get_by_placeholder("Send a task to start…")).to_be_visible()


def test_a_finger_has_the_controls_in_reach_on_the_whole_screen_too(
    take: Take, live: Stage
) -> None:
    page = take(PHONE, live.url).page
    for size in (PHONE, LYING):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        the_page_says_who_has_the_controls(page, "hold = right click")
        # On its side it would lie under a button.
        expect(page.locator("#demo")).to_be_visible(visible=size != LYING)
        keep(page, f"controls-{size[0]}")
        back = page.get_by_role("button", name="Hand back")
        back.click()
        expect(page.locator("#state")).to_have_text("Ready")
        expect(page.locator("#panel-chat")).to_be_visible()  # which has made room on its side
        expect(page.locator("#caption")).to_contain_text("Live")
        page.get_by_role("button", name="Full screen").click()
        page.get_by_role("button", name="Take over").click()
        for name in ("Hand back", "Ctrl", "Stop"):
            expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        back.click()
        expect(page.locator(".input-overlay")).to_be_hidden()
        if size == PHONE:
            page.get_by_role("button", name="Full screen").click()
            page.get_by_role("button", name="Take over").click()


def test_taking_over_is_allowed_in_settings_ends_when_the_agent_works_and_resumes_it(
    browser: Browser,
) -> None:
    """Twice Esc stops it again."""
    with stage() as live:
        faults: list[str] = []
        page = opened(browser, live.url, DESKTOP, faults)
        expect(page.locator("#caption")).to_contain_text("Live")
        take = page.get_by_role("button", name="Take over")
        expect(take).to_be_hidden()
        turn_to(page, "Settings")
        turn_to_group(page, "Safety")
        page.locator("[name=take_over]").check()
        page.get_by_role("button", name="Submit").click()
        expect(take).to_be_visible()
        assert faults == []
        turn_to(page, "Chat")
        take.click()
        expect(page.get_by_role("application")).to_be_focused()
        live.begin()  # from another page
        expect(page.get_by_role("application")).to_have_count(0)
        expect(take).to_be_visible()
        expect(page.locator("#composer-error")).to_be_hidden()
        with page.expect_request("**/api/stop"):
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
        expect(page.locator("#state")).to_contain_text("Stopped")
        live.begin()
        live.tell(("status", {"status": "paused", "reason": ""}))
        expect(page.locator("#state")).to_contain_text("Paused")
        take.click()
        with page.expect_request("**/api/send"):
            page.get_by_role("button", name="Resume").click()
        live.tell(("status", {"status": "running", "reason": ""}))
        expect(take).to_be_visible()
        page.context.close()


def test_what_taking_over_has_paused_goes_on_and_what_was_paused_stays_so(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url.removeprefix(live.url)))
    for before in ("paused", "running"):
        live.begin()
        live.tell(("status", {"status": before, "reason": ""}))
        expect(page.locator("#state")).to_contain_text(before.title())
        for size in (DESKTOP, TABLET, PHONE) if before == "paused" else (PHONE,):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect(page.locator("#take")).to_be_visible()  # the settings are loaded
            places = page.locator("#full, #take").evaluate_all(PLACES)
            page.get_by_role("button", name="Take over").click()
            expect(page.locator("#take")).to_have_text("Hand back")
            assert page.locator("#full, #take").evaluate_all(PLACES) == places, "nothing jumps"
            tabs, monitor = (page.locator(part).bounding_box() for part in (".tabs", ".monitor"))
            assert tabs
            assert monitor
            assert tabs["y"] + tabs["height"] + 3 <= monitor["y"], "its frame hides no underline"
            if size != PHONE:
                page.get_by_role("button", name="Hand back").click()
        live.tell(("status", {"status": "paused", "reason": ""}))
        expect(page.locator("#pause")).to_have_text("Resume")
        filled = "all => new Set(all.map((node) => getComputedStyle(node).backgroundColor)).size"
        assert page.locator("#take, #pause").evaluate_all(filled) == 2, "only handing back is"
        assert page.locator("#take, #send").evaluate_all(filled) == 2
        keep(page, "phone-took-over-a-running-task")
        if before == "running":
            hands_back_a_recording(page)
            assert "api/send" not in sent, "nothing goes on behind the dialog"
            expect(page.get_by_role("dialog")).to_contain_text("Then the task goes on.")
            page.route("**/record/save", lambda route: route.fulfill(json={}))
            page.get_by_label("Name", exact=True).fill("by hand")
            with page.expect_request("**/api/send"):
                page.get_by_role("dialog").get_by_role("button", name="Save").click()
            live.tell(("status", {"status": "running", "reason": ""}))
            expect(page.locator("#state")).to_contain_text("Running")
            expect(page.locator("#composer-note")).to_have_text("Saved: see “Procedures”.")
        else:
            page.get_by_role("button", name="Hand back").click()
        expect(page.get_by_role("button", name="Take over")).to_be_visible()
        page.get_by_role("tab", name="History").click()
        expect(page.locator("#panel-history")).to_be_visible()
        assert ("api/send" in sent) == (before == "running")
        turn_to(page, "Chat")
    page.context.close()


def hands_back_a_recording(page: Page) -> None:
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("button", name="Finish", exact=True)).to_be_visible()
    page.get_by_role("button", name="Esc", exact=True).click()
    with page.expect_response("**/api/hand-back"):
        page.get_by_role("button", name="Hand back").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()


def test_a_question_is_answered_by_what_is_done_by_hand(browser: Browser, live: Stage) -> None:
    """Not one for another task: there is nothing to go on with."""
    page = opened(browser, live.url, DESKTOP, [])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url.removeprefix(live.url)))
    for acts, anew in ((False, False), (False, True), (True, True), (True, False)):
        live.begin()
        expect(page.locator("#state")).to_contain_text("Running")
        asked = {"text": "Which printer?", "anew": anew}
        live.tell(("question", asked), ("status", {"status": "asking", "reason": ""}))
        state = "Not understood" if anew else "Needs your answer"
        expect(page.locator("#state")).to_contain_text(state)
        expect(page).to_have_title(re.compile(f"^{state}"))
        page.get_by_role("button", name="Take over").click()
        page.get_by_role("application").wait_for()
        if acts:
            with page.expect_response("**/api/manual-action"):
                page.get_by_role("application").click()
        with page.expect_response("**/api/hand-back") as answer:
            page.get_by_role("button", name="Hand back", exact=True).click()
        assert answer.value.json() == {"done": int(acts)}
        turn_to(page, "History")
        expect(page.locator("#panel-history")).to_be_visible()
        if not acts:
            expect(page.locator(".task").first).to_contain_text(state)
        assert ("api/send" in sent) == (acts and not anew)
        turn_to(page, "Chat")
    page.context.close()
