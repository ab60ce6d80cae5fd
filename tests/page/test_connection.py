"""The page on a line that is cut without a word: what it shows, and how it comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone

from playwright.sync_api import APIResponse, Browser, Page, Route, WebSocketRoute, expect

from tests.support.browser import DRAWN, keep, needs_browser, turn_to
from tests.support.scripted_service import Stage, answered, looked

pytestmark = needs_browser
NETWORK_IS_BACK = "dispatchEvent(new Event('online'))"
"""Then the page dials at once, however often it has tried in vain."""


def fast(page: Page, url: str) -> None:
    """The page with a clock that the test can set forward."""
    page.clock.install()
    page.goto(url)


def stop_clock(page: Page) -> None:
    """Two seconds from now: on a busy machine it may take one until the page hears of it."""
    page.clock.pause_at(page.evaluate("Date.now()") + 2000)


def forward(ws: WebSocketRoute, passes: Callable[[], bool] = lambda: True) -> None:
    """Between page and service; what comes down is lost where it does not pass."""
    server = ws.connect_to_server()
    server.on_message(lambda message: ws.send(message) if passes() else None)


def test_a_socket_and_orders_without_an_answer_and_a_network_that_is_back(
    browser: Browser, live: Stage
) -> None:
    """A socket is given up, and a network that is back used at once; what is typed while an order
    has no answer stays, the buttons come back, and the error is seen in every view.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    sockets: list[WebSocketRoute] = []
    whole = [False]

    def lay(ws: WebSocketRoute) -> None:
        sockets.append(ws)
        if whole[0]:
            forward(ws)

    page.route_web_socket("**/api/ws", lay)
    fast(page, live.url)
    expect(page.locator("#state")).to_contain_text("Connecting")
    box, send = page.get_by_role("textbox", name="Message"), page.locator("#send")
    expect(send).to_be_disabled()  # what is sent before the page is let in would be refused
    box.fill("the first")
    box.press("Enter")
    expect(page.locator("#composer-error")).to_be_hidden()
    page.locator("#tab-settings").click()
    expect(page.locator("#settings .sheet")).to_be_visible()
    page.clock.run_for(10_100)
    expect(page.locator("#settings").get_by_role("alert")).to_contain_text("Connection to the")
    whole[0] = True
    sockets[-1].close()  # a slow page may have dialled a second one meanwhile
    page.clock.run_for(1900)
    expect(page.locator("#state")).to_contain_text("Ready")
    page.clock.run_for(100)
    expect(page.locator("[name=base_url]")).to_have_count(1)
    expect(page.locator("#settings").get_by_role("alert")).to_be_hidden()
    page.locator("#tab-chat").click()

    stop_clock(page)
    count = len(sockets)
    sockets[-1].close()
    page.evaluate("0")  # nothing is dialled while the clock stands
    assert len(sockets) == count
    page.evaluate(NETWORK_IS_BACK)
    page.evaluate("0")
    assert len(sockets) == count + 1
    with page.expect_response("**/api/settings"):  # asked for when it is drawn that it is let in
        page.clock.resume()
    expect(page.locator("#state")).to_contain_text("Ready")

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/send", hold)
    page.route("**/api/pause", hold)
    expect(box).to_have_value("the first")
    box.press("Enter")
    expect(send).to_be_disabled()
    box.press_sequentially(" and a second")
    held.pop().fulfill(json={})
    expect(send).to_be_enabled()
    expect(box).to_have_value("and a second")

    live.begin()
    page.locator("#pause").click()
    expect(page.locator("#pause")).to_be_disabled()
    turn_to(page, "Log")
    whole[0] = False  # or a new line, which clears what is said, might be there before it is read
    page.clock.run_for(11_000)
    expect(page.locator("#composer-error")).to_contain_text("No response from the service")
    expect(page.locator("#composer-error")).to_be_in_viewport(ratio=1)
    whole[0] = True
    for _ in range(2):
        sockets[-1].close()
        page.clock.run_for(1000)
        expect(page.locator("#composer-error")).to_be_hidden()
        expect(page.locator("#pause")).to_be_enabled()
        page.locator("#pause").click()
        expect(page.locator("#pause")).to_be_disabled()
    page.context.close()


def test_a_line_that_falls_silent_is_not_called_running(browser: Browser, live: Stage) -> None:
    """Also just after the welcome, and without a new line if it was slow only."""
    page = browser.new_page()
    sockets: list[WebSocketRoute] = []
    beats = [False]

    def lay(ws: WebSocketRoute) -> None:
        server = ws.connect_to_server()
        sockets.append(ws)

        def down(text: str | bytes) -> None:
            if beats[0] or '"heartbeat"' not in str(text):
                ws.send(text)

        server.on_message(down)

    page.route_web_socket("**/api/ws", lay)
    live.begin()
    page.clock.install()
    stop_clock(page)
    page.goto(live.url)

    def until(word: str, step: int) -> None:
        for _ in range(100):
            if word in page.locator("#state").inner_text():
                return
            page.clock.run_for(step)
            page.wait_for_timeout(50)
        raise AssertionError(f"it never says {word}")

    until("Running", 20)
    until("Reconnecting", 200)
    beats[0] = True
    until("Running", 20)
    assert len(sockets) == 1
    page.context.close()


def test_a_live_picture_that_stops_on_its_way_is_fetched_anew(
    browser: Browser, live: Stage
) -> None:
    page = browser.new_page()
    lines: list[WebSocketRoute] = []
    cut: list[int] = []

    def lay(ws: WebSocketRoute) -> None:
        number = len(lines)
        lines.append(ws)
        forward(ws, lambda: number not in cut)

    page.route_web_socket("**/api/preview", lay)
    fast(page, live.url)
    expect(page.locator("#caption")).to_contain_text("Live")
    cut.extend([0, 1])
    page.clock.run_for(2500)
    page.wait_for_timeout(1500)  # a beat of the heart, or the whole line would count as lost
    page.clock.run_for(2500)
    expect(page.locator("#caption")).to_contain_text("Stalled")
    expect(page.locator("#screen-note")).to_have_text("Stalled")
    page.clock.run_for(5000)
    expect(page.locator("#caption")).to_contain_text("Live")
    expect(page.locator("#screen-note")).to_be_hidden()
    page.context.close()


def test_a_stop_arrives_once_the_page_is_let_in_and_says_at_once_how_far_it_is(
    browser: Browser, live: Stage
) -> None:
    page = browser.new_page()
    sockets: list[WebSocketRoute] = []
    whole = [False]

    def lay(ws: WebSocketRoute) -> None:
        if not whole[0]:
            ws.close(code=4999)
            return
        sockets.append(ws)
        server = ws.connect_to_server()
        ws.on_message(lambda message: None if '"stop"' in str(message) else server.send(message))

    page.route_web_socket("**/api/ws", lay)
    stop, error, note = (
        page.locator(f"#{id}") for id in ("stop", "composer-error", "composer-note")
    )
    fast(page, live.url)
    live.begin()
    page.locator("body[data-tab]").wait_for(state="attached")  # its scripts are there
    stop.click()
    expect(error).to_contain_text("Stop was not delivered.")
    whole[0] = True
    answers: list[tuple[Route, APIResponse]] = []
    page.route("**/api/stop", lambda route: answers.append((route, route.fetch())))
    page.evaluate(NETWORK_IS_BACK)
    expect(page.locator("#state")).to_contain_text("Stopped")
    expect(note).to_have_text("All keys are released.")
    expect(error).to_be_hidden()
    page.locator("#language").click()
    expect(note).to_have_text("所有按键均已松开。")
    page.locator("#language").click()
    page.get_by_role("button", name="Resume").click()
    expect(note).to_be_hidden()
    for route, answer in answers:
        with page.expect_response("**/api/stop"):
            route.fulfill(response=answer)
    page.evaluate(DRAWN)
    expect(note).to_be_hidden()  # an answer that is late says nothing of what came after

    held: list[Route] = []
    page.unroute("**/api/stop")
    page.route("**/api/stop", lambda route: held.append(route))
    live.begin()
    stop_clock(page)
    stop.click()
    expect(stop).to_have_text("Stopping…")
    expect(error).to_be_hidden()
    page.clock.run_for(1100)
    expect(error).to_contain_text("Stop not confirmed yet.")
    expect(stop).to_be_enabled()
    whole[0] = False
    sockets[-1].close(code=4999)
    page.clock.resume()
    page.clock.run_for(9500)
    expect(error).to_contain_text("Stop was not delivered.")
    expect(stop).to_have_text("Stop")
    expect(stop).to_be_enabled()
    page.unroute("**/api/stop")
    whole[0] = True
    page.evaluate(NETWORK_IS_BACK)
    expect(note).to_have_text("All keys are released.")  # sent again
    expect(error).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    expect(note).to_be_hidden()
    page.context.close()


def test_a_cut_line_leaves_no_hole(browser: Browser, live: Stage) -> None:
    """A picture that failed to load is loaded when the service is back; no error covers Stop. A
    running task is shown even if the settings cannot be loaded. One that a restart of the service
    cut off is named until the next task, with those of the queue.
    """
    page = browser.new_page(viewport={"width": 390, "height": 844})
    sockets: list[WebSocketRoute] = []
    restarted: list[str] = []
    """Kinds of the events that come from the service as it was started again."""

    def lay(ws: WebSocketRoute) -> None:
        sockets.append(ws)
        if not restarted:
            forward(ws)
            return
        server = ws.connect_to_server()
        ws.on_message(lambda text: server.send(json.dumps({**json.loads(text), "after": ""})))

        def down(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "event":
                message["id"] = f"anew:{message['event']['seq']}"
            if message["type"] != "event" or message["event"]["kind"] in restarted:
                ws.send(json.dumps(message))

        server.on_message(down)

    page.route_web_socket("**/api/ws", lay)
    page.route("**/api/frames/**", lambda route: route.abort())
    page.route("**/api/settings", lambda route: route.abort())
    page.goto(live.url)
    expect(page.locator("#toast")).to_contain_text("No response from the service")
    page.locator("#stop").click(trial=True)
    expect(page.locator("#state")).to_contain_text("Connecting")
    live.begin()
    expect(page.locator("#state")).to_contain_text("Running")
    live.tell(*looked(1))
    picture = page.locator("article.step .shot")
    expect(picture.locator("[data-missing]")).to_have_count(1)
    live.tell(*answered(1))
    expect(picture.locator(".mark")).to_have_count(1)
    expect(picture.locator("[data-missing]")).to_have_count(1)
    page.unroute("**/api/frames/**")
    sockets[-1].close()
    expect(picture.locator("img")).to_have_js_property("naturalWidth", 1280)
    expect(picture.locator("[data-missing]")).to_have_count(0)

    page.unroute("**/api/settings")
    page.locator("#toast button").click()
    live.tell(("queue", {"tasks": [{"id": n, "text": f"print {n}"} for n in (1, 2)], "held": ""}))
    expect(page.locator("#queue li")).to_have_count(2)
    restarted.append("session_started")
    sockets[-1].close()
    empty, words = (
        page.locator("#empty"),
        "The service was restarted; “Find the printer” was cut off.",
    )
    expect(page.locator("#announce")).to_contain_text(words)
    expect(empty).to_contain_text(words)
    for part in (empty, page.locator("#announce")):
        expect(part).to_contain_text("Dropped from the queue: “print 1”, “print 2”.")
    keep(page, "cut-off")
    empty.get_by_role("button", name="History").click()
    expect(page.locator("#panel-history")).to_be_visible()
    turn_to(page, "Chat")
    restarted += ["task", "status", "reset"]
    live.begin("Find the scanner")
    expect(page.locator("#chat")).to_contain_text("Find the scanner")
    live.tell(("reset", {}))
    expect(empty).to_contain_text("What should the agent do?")
    expect(empty).not_to_contain_text("was restarted")
    page.context.close()


def test_times_go_by_the_clock_that_the_service_tells(browser: Browser, live: Stage) -> None:
    """Not by the first thing it tells of, which may be old; and a clock may be set meanwhile."""
    page = browser.new_page(timezone_id="UTC")
    now, beats = 1_800_000_000.0, [0]

    def redate(ws: WebSocketRoute) -> None:
        server = ws.connect_to_server()

        def down(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "event":
                message["event"]["at"] = now - 100
            elif "at" in message:
                message["at"] = now
                beats[0] += 1
            ws.send(json.dumps(message))

        server.on_message(down)

    page.route_web_socket("**/api/ws", redate)
    page.clock.set_fixed_time(datetime(2026, 5, 4, 12, 0, 0, tzinfo=timezone.utc))
    page.goto(live.url)
    expect(page.locator("#state")).to_contain_text("Ready")
    live.begin()
    live.tell(*looked(1))
    expect(page.locator("article.step time")).to_have_text("11:58:20")
    expect(page.locator("#state [data-since]")).to_have_text("1:40")
    page.clock.set_fixed_time(datetime(2026, 5, 4, 13, 0, 0, tzinfo=timezone.utc))
    until = beats[0] + 2
    while beats[0] < until:
        page.wait_for_timeout(100)
    live.tell(*looked(2))
    expect(page.locator("article.step time").last).to_have_text("12:58:20")
    page.context.close()
