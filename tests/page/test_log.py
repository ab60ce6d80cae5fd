"""The log of the page: what was sent and what came back, to the letter, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from cua.messages import Message, catalogue, translate
from tests.support.browser import (
    DESKTOP,
    DRAWN,
    LYING,
    PHONE,
    STEP,
    keep,
    needs_browser,
    opened,
    turn_to,
)
from tests.support.page_views import ASKED
from tests.support.scripted_service import CLICK, Fact, Stage, answered, ended, looked

pytestmark = needs_browser
BELOW = """() => {
  const panel = document.querySelector('#panel-log');
  return panel.scrollHeight - panel.scrollTop - panel.clientHeight;
}"""
CALLS = [{"name": "click", "arguments": {"x": 1}}]


def request(same: int, *lines: str) -> Fact:
    url = "http://192.168.1.5:8000/v1/chat/completions"
    return "request", {"url": url, "same": same, "text": "\n".join(lines)}


def log(browser: Browser, live: Stage, size: tuple[int, int], language: str = "en-US") -> Page:
    live.begin()
    live.tell(request(0, "{", '  "model": "m",', '  "look": 1', "}"), *looked(1))
    live.tell(*answered(1, reasoning="hm", text="", calls=CALLS, finish="tool_calls"), *ended(1))
    live.tell(request(2, '  "look": 2', "}"), *looked(2), *answered(2))
    page = opened(browser, live.url, size, [], language)
    page.locator("#tab-log").click()
    expect(page.locator("#log details")).to_have_count(4)
    return page


def test_requests_and_replies_are_folded_and_whole(browser: Browser, live: Stage) -> None:
    page = log(browser, live, PHONE)
    second = page.locator("#log li:has(details)", has_text="request").nth(1)
    expect(second.locator("pre")).to_be_hidden()
    second.locator("summary").click()
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    expect(second.locator("pre")).to_have_text('{\n  "model": "m",\n  "look": 2\n}')
    reply = page.locator("#log li:has(details)", has_text="Step 1").nth(0)
    reply.locator("summary").click()
    for words in ("hm", '"name": "click"', "[tool_calls]"):
        expect(reply.locator("pre")).to_contain_text(words)
    keep(page, "phone-log-request")
    live.tell(("done", {"text": ""}))
    last = page.locator("#log li").last
    expect(last).to_have_text(re.compile("doneThe task is done.$"))
    live.tell(("status", {"status": "done", "reason": ""}))
    expect(last).to_have_text(re.compile("statusDone$"))
    live.tell(("done", {"text": "", "refused": True}), ("status", {"status": "done", "reason": ""}))
    expect(last).to_have_text(re.compile("statusPartly done$"))
    asks = ("question", {"text": "Which task?", "anew": True})
    live.tell(asks, ("status", {"status": "asking", "reason": ""}))
    expect(last).to_have_text(re.compile("statusNot understood$"))
    live.tell(request(0, *map(str, range(30))))
    long = page.locator("#log details").nth(4)
    long.locator("summary").click()
    expect(long.locator("pre")).to_contain_text("29")
    expect(long).to_be_in_viewport(ratio=0.99)
    bar, opened_part = page.locator("#panel-log .bar").bounding_box(), long.bounding_box()
    assert bar
    assert opened_part
    assert bar["y"] + bar["height"] <= opened_part["y"]
    page.context.close()


def test_the_file_tells_each_line_of_a_request_once(
    browser: Browser, live: Stage, tmp_path: Path
) -> None:
    page = log(browser, live, DESKTOP)
    with page.expect_download() as download:
        page.locator("#log-download").click()
    download.value.save_as(tmp_path / "log")
    text = (tmp_path / "log").read_text("utf-8")
    assert text.count('"model": "m"') == 1
    assert '"look": 1' in text
    assert '"look": 2' in text
    page.context.close()


def test_the_log_speaks_the_language_of_its_reader(browser: Browser, live: Stage) -> None:
    page = log(browser, live, DESKTOP, "zh-CN")
    live.tell(("status", {"status": "paused", "reason": "page"}))
    for words in ("第 1 步", "思考中", "已执行（2.0 秒）", "请求", "已暂停：page"):
        expect(page.locator("#log")).to_contain_text(words)
    keep(page, "desktop-log-zh")
    words = Message("screen.no_signal")
    live.tell(("screen", {"state": "no_signal", "sentence": words, "width": 1280, "height": 720}))
    line = page.locator("#log .is-warning .line")
    expect(line).to_have_text("警告：" + translate(words, catalogue("zh")))
    page.locator("#language").click()
    expect(line).to_have_text(re.compile("^WARNING: No signal: the computer is off"))
    expect(page.locator("#log")).to_contain_text("replyStep 1 · 1.2 s · 900 in, 40 out")
    expect(page.locator("#log")).not_to_contain_text("第 1 步")
    assert line.evaluate("line => line.offsetWidth") > 280, "the text has most of the row"
    values = {"gate": Message("settings.gate.always"), "max_cost": 0.5, "take_over": True}
    live.tell(("settings", {"changed": [*values, "kvm_user"], "values": values}))
    changed = page.locator("#log li").last
    expect(changed).to_contain_text("Ask for approval: Always · ")
    expect(changed).to_contain_text(": 0.5 · Manual control: on · KVM username")
    live.tell(("task", {"text": "report", "max_rounds": 20, "procedure": "report"}))
    place = Message("procedure.place", number=2, count=5)
    live.tell(*looked(15), *answered(15, scripted=True, thought=place, text=place), *ended(15))
    numbers = page.locator("#log li:has-text('report') ~ li small")
    expect(numbers).to_have_text(["Step 2 · "] * 4)  # as in the chat; before its reply none
    page.locator("#log-search").fill(str(place))  # in a reply that is folded
    expect(page.locator("#log > li:visible q")).to_have_text(str(place))
    page.locator("#log-search").fill("")
    text = r"please press the keys.\nkeyboard F1"
    live.tell(*looked(16), *answered(16, text=text), *looked(17))  # a model goes on
    expect(numbers.last).to_have_text("Step 17 · ")
    page.locator("#log-search").fill("f1 press")
    expect(page.locator("#log > li:visible q")).to_have_text("…press the keys. keyboard F1")
    expect(page.locator("#log > li:visible q mark")).to_have_text(["press", "F1"])
    page.context.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_line_is_found_by_its_words_and_a_problem_by_a_button(
    browser: Browser, live: Stage, size: tuple[int, int]
) -> None:
    page = log(browser, live, size)
    lines, note = page.locator("#log > li:visible"), page.locator("#log-note")
    search, problems = page.locator("#log-search"), page.locator("#log-problems")
    high = "row => row.offsetHeight"
    plain, folded = lines.filter(has_text="Carried out"), lines.filter(has=page.locator("summary"))
    assert abs(plain.evaluate(high) - folded.last.evaluate(high)) < 2
    search.fill("completions REQUEST")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("http")
    expect(lines.first.locator("mark")).to_have_text(["request", "completions"])
    expect(lines.first.locator("wbr")).to_have_count(2)  # where its address may break
    expect(note).to_have_text("2 results")
    search.fill("tool_calls")  # in a reply that is folded
    expect(lines).to_have_count(1)
    expect(lines.locator("q")).to_contain_text("tool_calls")
    expect(lines.locator("mark")).to_have_text("tool_calls")
    search.fill("")
    expect(page.locator("#log mark")).to_have_count(0)
    expect(lines.locator("q")).to_have_count(0)
    problems.click()
    expect(lines).to_have_count(0)
    expect(note).to_have_text("No problems")
    expect(page.locator("#log-copy")).to_be_disabled()  # it would empty the clipboard
    live.tell(
        ("log", {"level": "info", "text": "all is well"}),
        ("screen", {"state": "connecting", "sentence": "", "width": 1280, "height": 720}),
        ("log", {"level": "warning", "text": "slow"}),
        ("failed", {"text": "gone"}),
    )
    expect(lines).to_have_text([re.compile("slow"), re.compile("gone")])
    expect(note).to_have_text("2 results")
    expect(problems).to_have_text("Problems (2)")
    page.evaluate("addEventListener('copy', ({ target }) => { window.copied = target.value; })")
    page.locator("#log-copy").click()
    expect(note).to_have_text("Copied.")
    copied: str = page.evaluate("window.copied")
    assert [line.split("Z ")[1] for line in copied.splitlines()] == [
        "log: WARNING: slow",
        "failed: ERROR: gone",
    ]
    if size == DESKTOP:
        page.set_viewport_size({"width": 1240, "height": 800})  # as beside a scrollbar
    copy, download = (page.locator(f"#log-{name}").bounding_box() for name in ("copy", "download"))
    assert copy
    assert download
    assert copy["y"] == download["y"]
    keep(page, f"log-problems-{size[0]}")
    problems.click()
    expect(page.locator("#log")).to_contain_text("all is well")
    expect(page.locator("#log > li[hidden]")).to_have_count(0)
    expect(page.locator("#log")).to_contain_text("Click at (512, 360)")
    follow = page.get_by_role("button", name="Follow")
    follow.click()
    live.tell(*[("log", {"level": "info", "text": f"line {n}"}) for n in range(60)])
    expect(page.locator("#log > li").last).to_have_text(re.compile("line 59"))
    expect(page.locator("#log > li").last).not_to_be_in_viewport()
    follow.click()
    expect(page.locator("#log > li").last).to_be_in_viewport()
    expect(note).to_be_empty()
    keep(page, f"log-all-{size[0]}")
    page.clock.install()
    page.locator("#log-copy").click()
    expect(note).to_have_text("Copied.")
    page.clock.fast_forward(6000)
    expect(note).to_be_empty()
    page.locator("#log-copy").click()
    page.locator("#language").click()
    expect(note).to_be_empty(timeout=4000)  # before it would go by itself
    expect(problems).to_have_text("错误和警告（2）")
    expect(search).to_have_attribute("placeholder", "搜索日志")
    page.context.close()


def test_a_log_that_is_followed_stays_at_its_end(browser: Browser, live: Stage) -> None:
    """Rows that are out of sight have only an estimated height."""
    page = log(browser, live, PHONE)
    words = "a line that needs several rows on a phone, and fewer on a wider screen. " * 4
    live.tell(*[("log", {"level": "info", "text": f"{n} {words}"}) for n in range(300)])
    last = page.locator("#log > li").last
    for tab in ("Chat", "Log"):
        turn_to(page, tab)
    for width, height in (LYING, PHONE, DESKTOP, LYING):
        expect(last).to_contain_text("299 a line")
        _check_at_end(page)
        page.set_viewport_size({"width": width, "height": height})
    _check_at_end(page)
    bar = page.locator("#panel-log .bar")
    expect(bar).to_be_in_viewport(ratio=1)
    before = bar.bounding_box()
    page.locator("#panel-log").evaluate("panel => panel.scrollBy(0, -200)")
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    live.tell(("log", {"level": "info", "text": "one more"}))
    expect(last).to_contain_text("one more")
    expect(last).not_to_be_in_viewport()
    search = page.locator("#log-search")
    search.focus()
    assert search.evaluate("node => node.offsetWidth") > 180, "what is typed can be read"
    page.get_by_role("button", name="Follow").click()
    _check_at_end(page)
    search.fill("one more")
    expect(page.locator("#log-note")).to_have_text("1 result")
    assert bar.bounding_box() == before, "no button moves"
    page.context.close()


def _check_at_end(page: Page) -> None:
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"() => ({BELOW})() < 2")
    page.evaluate(DRAWN)
    assert page.evaluate(BELOW) < 2, "it stays there"
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "true")


def test_a_file_that_lacks_the_beginning_says_so(
    browser: Browser, live: Stage, tmp_path: Path
) -> None:
    live.tell(*[("log", {"level": "info", "text": f"line {n}"}) for n in range(5001)])
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator("#state")).to_contain_text("Ready")
    page.locator("#tab-log").click()
    last = page.locator("#log > li:nth-last-child(-n + 9)", has_text="line 5000")
    expect(last).to_have_count(1, timeout=STEP)
    with page.expect_download() as download:
        page.locator("#log-download").click()
    download.value.save_as(tmp_path / "log")
    text = (tmp_path / "log").read_text("utf-8")
    assert re.match(r"The first 1\d{3} events are no longer shown here", text)
    assert "line 900\n" not in text
    page.context.close()


def test_what_everybody_has_to_know_stands_in_the_chat_too(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.begin()
    lost = "What happens cannot be recorded in /r: No space left on device."
    live.tell(
        ("log", {"level": "warning", "text": "only in the log"}),
        ("log", {"level": "warning", "text": lost, "aloud": True}),
    )
    expect(page.locator("#panel-chat")).to_contain_text(lost)
    expect(page.locator("#panel-chat")).not_to_contain_text("only in the log")


def test_places_are_pixels_of_that_screen(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator("#caption .is-live")).to_be_visible()  # that line has come
    live.begin()
    size = (1920, 1080)
    live.tell(*looked(1, size), *answered(1, size=size), *ended(1))
    action = page.locator("article.step .actions li")
    expect(action).to_have_text("Click")
    expect(action).to_have_attribute("title", "Click at (768, 540)")
    live.begin()
    live.step(1)
    turn_to(page, "Log")
    actions = page.locator("#log li", has_text="Click at")
    expect(actions.first).to_contain_text("Click at (768, 540)")
    expect(actions.last).to_contain_text("Click at (512, 360)")  # of the next task's step 1
    asked = {**ASKED[1], "words": "Click at (7, 8)", "brief": "Click “Delete”", "label": "Delete"}
    dragged = {"words": "Drag to (7, 8)", "brief": "Drag", "label": "Bin"}
    live.tell(
        ("approval", {**asked, "action": CLICK}),
        ("approval", {**asked, **dragged, "action": {"kind": "drag"}}),
    )
    lines = page.locator("#log .line")
    expect(lines.nth(-2)).to_contain_text("Step 2 · Click “Delete” · Alt+F4 closes")  # as its card
    expect(lines.last).to_contain_text("Step 2 · Drag to (7, 8) · Alt+F4 closes")
    page.locator("#language").click()
    expect(page.locator("#log")).to_contain_text("在 (768, 540) 单击")
    page.context.close()


def test_what_comes_while_another_language_loads_stays_in_the_first(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator("#caption .is-live")).to_be_visible()  # that line has come
    live.begin()
    size = (1920, 1080)
    live.tell(*looked(1, size), *answered(1, size=size), *ended(1))
    turn_to(page, "Log")
    lines = page.locator("#log li")
    expect(lines.last).to_contain_text("Carried out (2.0 s)")
    late: list[Route] = []
    page.route("**/zh/task.json", lambda route: late.append(route))
    page.locator("#language").click()
    while not late:
        page.wait_for_timeout(50)
    live.tell(*looked(2))
    expect(lines.last).to_contain_text("Thinking")
    late[0].continue_()
    expect(page.locator("#log")).to_contain_text("在 (768, 540) 单击")
    page.context.close()
