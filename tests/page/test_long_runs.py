"""The page beside a task that goes on and on, and on a line that breaks: in a real Chromium."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Browser, Page, Response, Route, WebSocketRoute, expect

from cua.messages import Message
from tests.support.browser import (
    DESKTOP,
    DRAWN,
    LYING,
    PHONE,
    TABLET,
    needs_browser,
    opened,
    turn_to,
)
from tests.support.scripted_service import Stage, answered, ended, looked

pytestmark = needs_browser
PICTURE = "/api/frames/"
FIRST_PAINT = 100 * 1024
ASKED = re.compile(r"https?://[^/]+/(?!api/)")


class Line:
    """The way between a page and the service, which may be cut."""

    def __init__(self, page: Page) -> None:
        self.sockets: list[WebSocketRoute] = []
        self.whole = True
        page.route_web_socket("**/api/*", self._meet)

    def _meet(self, socket: WebSocketRoute) -> None:
        if self.whole:
            self.sockets.append(socket)
            socket.connect_to_server()
        else:
            socket.close(code=4999)

    def cut(self) -> None:
        self.whole = False
        for socket in self.sockets:
            socket.close(code=4999)

    def mend(self) -> None:
        self.whole = True


def work(live: Stage, first: int, last: int) -> None:
    """Step by step, so that the record keeps up and has every screenshot."""
    for n in range(first, last + 1):
        live.tell(*looked(n), *answered(n), *ended(n))


def card(page: Page, number: int) -> Any:
    return page.locator("article.step", has=page.locator(f".number:text-is('{number}')"))


def test_the_first_paint_is_small_and_asks_no_other_host(browser: Browser, live: Stage) -> None:
    for language in ("en", "zh"):
        sizes = painted(browser, live, language)
        assert sum(sizes.values()) < FIRST_PAINT, sorted(sizes.items(), key=lambda item: -item[1])


def painted(browser: Browser, live: Stage, language: str) -> dict[str, int]:
    """The bytes of each answer until the page can be used, but for what it asks of the API."""
    page = browser.new_page(locale=language)
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(live.url)
    expect(page.locator("#send")).to_be_enabled()
    expect(page.locator("#caption .is-live")).to_be_visible()
    assert all(a.url.startswith((live.url, f"blob:{live.url}")) for a in answers)
    sizes = {a.url: a.request.sizes()["responseBodySize"] for a in answers if ASKED.match(a.url)}
    page.context.close()
    return sizes


def test_all_of_five_hundred_steps_are_there_and_more_take_no_memory(
    browser: Browser, live: Stage
) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    live.begin(rounds=500)
    work(live, 1, 500)
    expect(card(page, 500)).to_be_visible()
    assert page.locator("article.step").count() <= 60
    assert page.locator("#chat img[src]").count() <= 30
    assert steps_above(page) == 500
    assert page.locator("article.step").count() <= 60
    page.get_by_role("button", name="Jump to latest").click()
    expect(card(page, 500)).to_be_in_viewport()
    heap, nodes = weigh(page)
    work(live, 501, 700)
    expect(card(page, 700)).to_be_visible(timeout=30_000)
    page.wait_for_timeout(500)
    heap_after, nodes_after = weigh(page)
    assert heap_after < heap * 1.25
    # A card has 24 nodes, and Chromium keeps a few that were removed for a while: not one card in
    # sixteen may stay.
    assert nodes_after - nodes < 300
    assert faults == []
    page.context.close()


def steps_above(page: Page) -> int:
    """How many steps are seen on the way up to the first."""
    seen = set()
    for _ in range(400):
        seen.update(page.locator(".step .number").all_inner_texts())
        if "1" in seen:
            break
        page.locator("#panel-chat").evaluate("room => room.scrollBy(0, -2500)")
        page.wait_for_timeout(16)
    return len(seen)


def weigh(page: Page) -> tuple[int, int]:
    """The bytes of the scripts' heap, and the nodes."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    found = {
        each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]
    }
    session.detach()
    return int(found["JSHeapUsedSize"]), int(found["Nodes"])


def test_what_flies_past_is_not_fetched_until_it_rests(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    for number in range(1, 201):
        live.step(number)
    expect(card(page, 200).locator("img[src]")).to_be_visible()
    page.wait_for_load_state("networkidle")  # those beside it
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.install(time=1)
    page.clock.pause_at(2)  # no rest comes in between, on however slow a machine
    scroll(page, -400, times=30)
    assert len([url for url in asked if PICTURE in url]) < 10, "some of the newest, of a hundred"
    page.clock.run_for(500)
    seen = "node => node.getBoundingClientRect().bottom > innerHeight / 2"
    name = page.evaluate(f"[...document.querySelectorAll('article.step')].find({seen}).ariaLabel")
    expect(page.get_by_role("article", name=name, exact=True).locator("img[src]")).to_be_visible()
    assert len([url for url in asked if PICTURE in url]) <= 40, "those near it"
    page.context.close()


def test_the_strip_has_every_step_and_few_of_them_in_the_document_and_no_reader_is_carried_away(
    browser: Browser, live: Stage
) -> None:
    """By steps that are new, nor when the oldest are dropped; a new task is followed."""
    page = opened(browser, live.url, DESKTOP, [])
    strip = page.get_by_role("group", name="Steps")
    live.begin(rounds=500)
    work(live, 1, 100)
    newest = strip.get_by_role("button", name="Step 100 · Click")
    expect(newest).to_be_in_viewport(ratio=1)
    expect(newest.locator("img[src]")).to_be_visible()
    assert strip.locator(".frame").count() < 15
    expect(strip.locator(".frame").last).to_contain_text("100 Click")
    expect(strip.locator(".frame").last.locator(".mark")).to_have_count(1)
    newest.focus()
    for number in (99, 98, 97, 96, 95):
        page.keyboard.press("ArrowLeft")
        button = strip.get_by_role("button", name=f"Step {number} ·")
        expect(button).to_be_focused()
        expect(button).to_be_in_viewport(ratio=1)
    work(live, 101, 103)
    expect(card(page, 103)).to_be_visible()
    expect(button).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("#lightbox")).to_contain_text("Step 95")
    page.keyboard.press("Escape")
    page.locator("#panel-chat").evaluate("room => room.scrollBy(0, -3000)")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    page.wait_for_timeout(100)
    place = "() => document.elementFromPoint(1000, 300).closest('article')?.ariaLabel"
    before = page.evaluate(place)
    work(live, 104, 200)
    page.wait_for_timeout(300)
    assert page.evaluate(place) == before
    for said in (
        ("said", {"text": "the other one", "queued": True}),
        ("question", {"text": "Which printer?"}),
        ("failed", {"text": "The model server is gone."}),
        ("done", {"text": "Printed."}),
    ):
        live.tell(said)
        expect(page.locator("#chat > :last-child")).to_contain_text(str(said[1]["text"]))
        expect(page.locator("#chat > :last-child")).to_be_in_viewport(ratio=1)
        page.locator("#panel-chat").evaluate("room => room.scrollBy(0, -3000)")
        expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    expect(button).to_be_in_viewport(ratio=1)
    live.begin("Print it again")
    work(live, 1, 2)
    newest = strip.get_by_role("button", name="Step 2 · Click")
    expect(newest).to_be_in_viewport(ratio=1)
    for height, has_steps in ((657, True), (620, False)):
        page.set_viewport_size({"width": 1280, "height": height})
        expect(strip.locator(".frame").last).to_be_visible(visible=has_steps)
        expect(page.get_by_text("The steps of the task appear here.")).to_be_hidden()
    for panel in ("#panel-chat", "#panel-history", "#panel-log"):
        expect(page.locator(panel)).to_have_css("scrollbar-gutter", "stable")
    right = "(all) => new Set(all.map((each) => each.getBoundingClientRect().right)).size"
    assert page.locator("#chat, #stop, .entry").evaluate_all(right) == 1, "beside a scrollbar too"
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    moved = page.evaluate("""async () => {
      const { VirtualList } = await import('/static/core/virtual_list.js');
      const room = document.body.appendChild(document.createElement('div'));
      Object.assign(room.style, {position: 'relative', height: '300px', overflow: 'auto',
        overflowAnchor: 'none'});
      const list = room.appendChild(document.createElement('div'));
      const view = () => {
        const node = document.createElement('p');
        node.style.height = '100px';
        return { node, redraw: () => {} };
      };
      const entries = Array.from({length: 60}, () => ({rev: 0}));
      const pane = new VirtualList(room, list, view, () => {});
      pane.open(entries, 0);
      pane.update(0);
      room.scrollTop = 2000;
      pane.following = false;
      const read = pane.shown[30].node;
      const before = read.getBoundingClientRect().top;
      entries.splice(0, 10);
      pane.update(10);
      return read.getBoundingClientRect().top - before;
    }""")
    assert moved == 0
    page.context.close()


def test_steps_that_are_scrolled_leave_those_around_them_and_hold_up_no_picture(
    browser: Browser, live: Stage
) -> None:
    """A picture moves nothing when it comes or goes; earlier steps leave the others' style."""
    page = opened(browser, live.url, PHONE, [])
    for number in range(1, 121):
        live.step(number)
    expect(card(page, 120).locator("img[src]")).to_be_visible()
    page.route(f"**{PICTURE}*", lambda route: None)  # a line on which nothing comes
    with page.expect_event("requestfailed"):
        scroll(page, -60, times=60)
    page.unroute(f"**{PICTURE}*")
    page.get_by_role("button", name="Jump to latest").click()
    expect(card(page, 120).locator("img[src]")).to_be_in_viewport()
    events = scrolled(browser, page, by=-60, times=60)
    ends = [e["args"]["endData"] for e in events if "endData" in e.get("args", {})]
    roots = [root["nodeName"] for end in ends for root in end.get("layoutRoots", [])]
    assert roots.count("BUTTON") > 2 * (len(roots) - roots.count("BUTTON")), roots
    page.get_by_role("button", name="Jump to latest").click()
    expect(card(page, 120)).to_be_in_viewport()
    events = scrolled(browser, page, by=-120, times=50)
    styled = [e["args"]["elementCount"] for e in events if "elementCount" in e.get("args", {})]
    assert page.evaluate("document.querySelectorAll('#chat *').length") > 1200
    assert 100 < max(styled) < 600, "of six steps, not of all sixty"
    page.context.close()


def scrolled(browser: Browser, page: Page, by: int, times: int) -> list[dict[str, Any]]:
    """What Chromium's timeline tells of this way through the steps."""
    browser.start_tracing(page=page, categories=["-*", "devtools.timeline"])
    scroll(page, by, times)
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    return events


def scroll(page: Page, by: int, times: int) -> None:
    """The steps, a piece at a time: each is seen, as when a finger does it."""
    for _ in range(times):
        page.evaluate(
            """by => new Promise(done => {
              const room = document.getElementById('panel-chat');
              if (!room.scrollTop) throw new Error('there is no more to scroll');
              room.addEventListener('scroll', done, {once: true});
              room.scrollBy(0, by);
            })""",
            by,
        )


def test_what_happened_while_the_line_was_cut_is_there_once(browser: Browser, live: Stage) -> None:
    """Without a connection the page says what happens to the task, and only Stop is enabled."""
    page = opened(browser, "about:blank", PHONE, [])
    line = Line(page)
    page.goto(live.url)
    live.begin()
    live.step(1)
    expect(card(page, 1)).to_be_visible()
    line.cut()
    for place in ("#state", "#caption"):
        expect(page.locator(place)).to_contain_text("Reconnecting")
    chip, dot = page.locator("#state .chip"), page.locator("#caption .dot")
    expect(dot).to_have_css("background-color", chip.evaluate("c => getComputedStyle(c).color"))
    note, orders = page.locator("#composer-note"), ("#pause", "#send", "#reset", "#queue-add")
    page.locator("#box").fill("the left one")  # what is typed clears only what was said about it
    expect(note).to_contain_text("the task goes on for at most 3 seconds")
    for order in orders:
        expect(page.locator(order)).to_be_disabled()
    expect(page.locator("#stop")).to_be_enabled()  # it is sent when the connection is back
    live.step(2)
    live.step(3)
    line.mend()
    expect(card(page, 3)).to_be_visible(timeout=15_000)
    expect(note).to_be_hidden()
    for order in orders:
        expect(page.locator(order)).to_be_enabled()
    assert page.locator(".step .number").all_inner_texts() == ["1", "2", "3"]
    page.context.close()


def test_a_silent_model_server_a_reply_under_way_and_typing_are_seen(
    browser: Browser, live: Stage
) -> None:
    """Since when nothing has come, and until when it is waited for. A picture is fetched once."""
    page = opened(browser, live.url, DESKTOP, [])
    fetched: list[str] = []
    page.on("request", lambda it: fetched.append(it.url) if "/api/frames/" in it.url else None)
    live.begin()
    live.step(1)
    for place in ("#strip", "article.step"):
        picture = page.locator(f"{place} .shot img")
        expect(picture).to_have_js_property("naturalWidth", 1280)
    assert len(fetched) == 1
    live.tell(*looked(2))
    current = page.locator("#strip .frame.is-open .shot:has(img)")  # the picture covers an outline
    assert current.evaluate("node => getComputedStyle(node, '::after').borderTopWidth") == "2px"
    expect(card(page, 2)).to_be_visible()  # a page that comes later is told no draft
    live.send_transient("progress", text=Message("ocr.loading"))
    expect(card(page, 2).locator(".phase")).to_contain_text("Loading OCR…")
    live.send_transient("progress", text="")
    expect(card(page, 2).locator(".phase")).to_contain_text("Thinking")
    live.send_transient("silence", seconds=14.0, left=106.0)
    said = card(page, 2).locator(".silent")
    expect(said).to_contain_text("No data from the model server since")
    times = re.findall(r"(\d+):(\d+):(\d+)", said.inner_text())
    since, until = (int(h) * 3600 + int(m) * 60 + int(s) for h, m, s in times)
    assert (until - since) % 86_400 in (119, 120, 121)
    live.send_transient("draft", text="I see a printer")
    expect(card(page, 2)).to_contain_text("I see a printer")
    expect(page.get_by_text("No data from")).to_have_count(0)
    live.send_transient("draft", text="I see a printer and")
    expect(card(page, 2)).to_contain_text("I see a printer and")
    draft = card(page, 2).locator(".draft")
    live.send_transient("draft", text="I see a printer and\n" * 40 + "click it.")
    expect(draft).to_contain_text("click it.")
    assert draft.evaluate("node => node.clientHeight") < 130
    typing = {"kind": "type", "text": "hello printer"}
    live.tell(*answered(2, actions=[typing]))
    live.send_transient("typed", count=5)
    expect(draft).to_have_count(0)
    expect(card(page, 2).locator(".typing b")).to_have_text("hello")
    live.tell(*ended(2))
    expect(card(page, 2).locator(".typing")).to_have_count(0)
    expect(card(page, 2)).not_to_contain_text("I see a printer and")
    turn_to(page, "Log")
    expect(page.locator("#log")).not_to_contain_text("I see a printer and")
    page.context.close()


def test_another_language_leaves_the_reader_in_place(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    work(live, 1, 12)
    expect(card(page, 12)).to_be_in_viewport()
    fourth = page.locator("article.step").nth(3)
    read = "node => document.querySelector('#panel-chat').scrollTop = node.offsetTop"
    fourth.evaluate(read)
    expect(page.locator("#latest")).to_be_visible()
    before = fourth.bounding_box()
    page.locator("#language").click()
    expect(fourth).to_contain_text("单击")
    assert fourth.bounding_box() == before
    expect(page.locator("#latest:has(.icon)")).to_have_text("跳到最新")
    page.locator("#language").click()
    turn_to(page, "Log")
    lines = page.locator("#panel-log")
    expect(page.locator("#log li").last).to_be_in_viewport()
    page.evaluate(DRAWN)
    lines.evaluate("node => node.scrollTop = 100")
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "false")
    page.evaluate(DRAWN)
    third = page.locator("#log li").nth(2)  # those above may have found their height
    before = third.bounding_box()
    page.locator("#language").click()
    expect(page.locator("#log li").first).to_contain_text("会话")
    assert third.bounding_box() == before
    page.context.close()


def test_a_card_that_grows_a_long_text_and_a_phone_that_is_turned_are_followed(
    browser: Browser, live: Stage
) -> None:
    """The text is seen once while it is typed, and is short when it is.

    WebKit puts a list to its top when a phone is turned, which looks like a person who scrolls.
    """
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    work(live, 1, 5)
    expect(card(page, 5)).to_be_in_viewport()
    room = page.locator("#panel-chat")
    room.locator(".step").last.evaluate(
        "(step, room) => { step.style.height = '600px'; room.scrollTop -= 2; }",
        room.element_handle(),
    )
    page.evaluate(DRAWN)
    left = "room => room.scrollHeight - room.clientHeight - room.scrollTop"
    assert room.evaluate(left) < 2
    live.tell(*looked(6))
    expect(card(page, 6)).to_be_visible()
    text = "".join(f"Line {n} of a letter. " for n in range(30))
    live.tell(*answered(6, actions=[{"kind": "type", "text": text}], reasoning="So. " * 20))
    line = card(page, 6).locator(".actions li")
    live.send_transient("typed", count=300)
    expect(line.locator("b")).to_have_text(re.compile(f"^….*{re.escape(text[290:300])}$"))
    expect(line).to_have_text(re.compile("^Typing ….*…$"))
    expect(line).not_to_contain_text("Line 0 ")
    live.tell(*ended(6))
    expect(line).to_contain_text("Type “Line 0 ")
    high = line.evaluate(
        "node => node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
    )
    assert round(high) == 2
    expect(card(page, 6)).to_be_in_viewport()
    turned = "node => { node.style.maxHeight = '200px'; node.scrollTop = 0; }"
    room.evaluate(turned)
    expect(card(page, 6)).to_be_in_viewport()
    expect(page.locator("#latest")).to_be_hidden()
    room.evaluate("node => { node.style.maxHeight = ''; }")
    live.tell(("done", {"text": "Sent."}), ("status", {"status": "done", "reason": ""}))
    details = card(page, 6).locator("summary")
    expect(page.locator("#chat .is-done")).to_be_in_viewport(ratio=1)
    expect(page.locator("body")).to_have_attribute("data-status", "done")  # which draws once more
    details.click()
    expect(card(page, 6)).to_contain_text("So. So.")
    page.evaluate(DRAWN)
    assert line.evaluate("node => node.scrollHeight - node.clientHeight") < 2, "all of it is shown"
    expect(details).to_be_in_viewport(ratio=1)  # it is read from its beginning
    details.click()
    live.begin()
    live.step(7)
    expect(card(page, 7)).to_be_in_viewport()
    page.context.close()


def test_after_a_reset_the_next_task_is_followed_and_an_empty_chat_stays_where_it_was_scrolled_to(
    browser: Browser, live: Stage
) -> None:
    """An emptied list goes to its top, which looks like a person who scrolls."""
    page = opened(browser, live.url, LYING, [])
    live.begin()
    work(live, 1, 8)
    expect(card(page, 8)).to_be_in_viewport()
    live.tell(("reset", {}))
    expect(page.locator(".empty")).to_be_visible()
    page.wait_for_timeout(100)  # for the event of the scrolling
    assert page.locator("#panel-chat").evaluate("room => room.scrollTop") == 0
    expect(page.locator("#latest")).to_be_hidden()
    live.begin()
    work(live, 1, 8)
    expect(card(page, 8)).to_be_in_viewport()
    turn_to(page, "History")
    live.tell(("reset", {}))
    expect(page.locator("#chat > *")).to_have_count(0)
    turn_to(page, "Chat")
    expect(page.get_by_role("heading", name="What should the agent do?")).to_be_in_viewport(ratio=1)
    page.evaluate("sessionStorage.setItem('cua-failed/', 'model')")
    held: list[Route] = []
    page.route("**/api/settings", lambda route: held.append(route))
    page.reload()
    page.get_by_role("button", name="Import a procedure").scroll_into_view_if_needed()
    held[0].continue_()
    expect(page.get_by_role("heading", name="The model failed its test")).to_be_attached()
    assert page.locator("#panel-chat").evaluate("room => room.scrollTop") > 100
    page.context.close()
