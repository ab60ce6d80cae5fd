"""Tasks of before in the page: found, replayed, taken along; and what their exports hold."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from cua.events.archive import Archive
from cua.events.log import Event
from cua.events.recorder import Recorder
from cua.messages import Message, sentences
from cua.web import history_export
from cua.web.history_routes import make_thumbnail
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    TABLET,
    keep,
    needs_browser,
    opened,
    turn_to,
)
from tests.support.fakes import PICTURE
from tests.support.page_checks import axe
from tests.support.page_views import ASKED
from tests.support.scripted_service import CLICK, Fact, Stage, answered, ended, looked, stage

KEYS: list[dict[str, Any]] = [
    {"kind": "keypress", "keys": ["CTRL", "L"], "count": 2, "words": "Press CTRL+L twice"},
    {"kind": "type", "text": "a <b>\n", "words": "Type 'a <b>'"},
]


def kept(folder: Path, facts: list[Fact]) -> Archive:
    recorder = Recorder(folder, lambda: 10**8, "boot", print)
    for seq, (kind, data) in enumerate(facts, 1):
        picture = PICTURE if kind == "frame" else None
        recorder.queue_event(Event(seq, 1.7e9 + seq, kind, data, picture, mono=seq))
    assert not recorder._write_all(recorder._take_queued())
    return Archive(folder)


def recorded(folder: Path) -> Archive:
    """A task of two steps whose words are out to break a page."""
    facts: list[Fact] = [
        ("session_started", {"model": "<b>m</b>", "demo": False}),
        ("task", {"text": "</title><script>alert(1)</script>"}),
        *looked(1),
        *answered(1, thought="<img src=x onerror=alert(1)>"),
        *ended(1),
        ("effect", {"step": 1, "words": Message("agent.change.nothing")}),
        ("said", {"text": "go on & on"}),
        *looked(2),
        *answered(2, actions=KEYS),
        ("step", {"step": 2, "ok": False, "outcome": "Refused.", "seconds": 1.0}),
        ("done", {"text": "All done."}),
        ("status", {"status": "done", "reason": ""}),
        ("status", {"status": "stopped", "reason": ""}),
    ]
    return kept(folder, facts)


def test_the_html_is_one_file_in_which_words_are_only_words(tmp_path: Path) -> None:
    archive = recorded(tmp_path)
    page = history_export.as_html(archive.events("000002"), archive, "000002").decode()
    assert page.count(base64.b64encode(PICTURE).decode()) == 2
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert 'cx="512.0"' in page
    assert "<span>Ctrl+L × 2</span><span>“a &lt;b&gt; ↵ ”</span>" in page
    assert "2023-11-14 22:13 UTC" in page
    for words in ("go on &amp; on", "All done.", "Carried out.", "Step 2", "&lt;b&gt;m&lt;/b&gt;"):
        assert words in page
    assert "http" not in page.replace("http-equiv", "")
    result = page.index('<section class="state-done">')
    assert page.index("All done.") > result
    assert page.count("All done.") == 1
    assert page.index("2 steps · 18 s") < page.index("Step 1")
    good, refused = page.split("<article")[1:]
    assert "state-failed" not in good
    assert refused.startswith(' class="state-failed">')


def test_the_html_draws_each_action_and_tells_what_a_step_took(tmp_path: Path) -> None:
    ends = [{"x": 0.25, "y": 0.5}, {"x": 0.75, "y": 0.5}]
    acts: list[dict[str, object]] = [
        {"kind": "scroll", "at": ends[0], "dx": 0, "dy": 3, "words": "Scroll down"},
        {"kind": "scroll", "at": None, "dx": -3, "dy": 0, "words": "Scroll left"},
        {"kind": "drag", "path": ends, "words": "Drag"},
        {"kind": "click", "at": ends[1], "button": "right", "count": 2, "words": "Click"},
    ]
    spent: dict[str, Any] = {"tokens_in": 1900, "tokens_out": 40, "cost": 0.0123}
    facts: list[Fact] = [
        ("task", {"text": "Scroll"}),
        *(("plan", {"items": [], "approved": False, "cost": cost}) for cost in (0.01, 0.03)),
        *looked(1),
        *answered(1, actions=acts, **spent),
        *ended(1),
    ]
    archive = kept(tmp_path, facts)
    page = history_export.as_html(archive.events("000001"), archive, "000001").decode()
    for drawn in (
        'transform="translate(320.0 360.0) rotate(180)"',
        'transform="translate(640.0 360.0) rotate(270)"',
        '<circle class="start" cx="320.0" cy="360.0" r="8"/><circle cx="960.0" cy="360.0" r="20"/>',
        ">4 right 2×</text>",
    ):
        assert drawn in page
    assert "2.0 s · 1,900 in, 40 out · cost\u00a00.0123" in page
    head = page[page.index("<section") : page.index("</section>")]
    assert "Not finished" in head
    assert "1 step · 9.0 s" in head
    assert "cost\u00a00.0423" in head, "the second proposal's has that of the first"
    asks: list[Fact] = [
        ("question", {"text": "Which task?", "anew": True}),
        ("status", {"status": "asking", "reason": ""}),
        ("status", {"status": "stopped", "reason": ""}),
    ]
    archive = kept(tmp_path / "anew", [*facts, *asks])
    page = history_export.as_html(archive.events("000001"), archive, "000001").decode()
    assert "<h2>Not understood</h2>" in page
    assert "<b>Not understood</b>: Which task?" in page
    wait, click = Message("procedure.waiting", sign="“OK”"), Message("procedure.found", sign="“OK”")
    facts = [("task", {"text": "go", "procedure": "to there"})]
    for number, say in enumerate((wait, wait, wait, click), 1):
        thought = Message("procedure.step", number=2, count=5, say=say)
        done = acts[-1] if say is click else {"kind": "wait", "seconds": 0.5}
        flags: dict[str, Any] = {"scripted": True, "awaits": say is wait}
        scripted = answered(number, thought=thought, actions=[done], **flags)
        facts += [*looked(number), *scripted, *ended(number)]
    question = sentences(Message("procedure.how"), Message("procedure.ask"))
    ask = {"kind": "ask", "question": question, "words": Message("action.ask")}
    facts += [*looked(5), *answered(5, thought="", scripted=True, actions=[ask]), *ended(5)]
    facts += [("question", {"text": question}), ("status", {"status": "asking", "reason": ""})]
    archive = kept(tmp_path / "procedure", facts)
    page = history_export.as_html(archive.events("000001"), archive, "000001").decode()
    assert page.count("<article") == 3, "the waits are one"
    assert re.findall("<h2>(.*)</h2>", page) == [
        "Not finished",
        "Step 2 of 5: Waiting for “OK”.",
        "Step 2 of 5: “OK” is there.",
    ]
    assert "<li>Wait" not in page
    outcomes = re.findall("<p>(?:<small>)?(Carried out|[0-9.]+ s)", page)
    assert outcomes == ["6.0 s", *["Carried out", "2.0 s"] * 2], "of the waits only how long"
    assert page.count("go · to there</") == 2
    assert "<b>The agent asks you</b>: What should happen next?</p>" in page
    assert "Raw model reply" not in page
    assert "procedure · " in page


def test_the_html_tells_a_question_and_its_answer_before_the_outcome(tmp_path: Path) -> None:
    question = {"step": 1, "id": 1, "words": "click at (512, 360)", "brief": "Click “Cancel”"}
    facts: list[Fact] = [
        ("task", {"text": "Cancel it"}),
        *looked(1),
        *answered(1)[:-1],
        ("approval", question),
        ("answered", {"id": 1, "answer": "allowed", "reason": ""}),
        ("acting", {"step": 1, "index": 0, "brief": "Click “Cancel”"}),
        *ended(1),
    ]
    archive = kept(tmp_path, facts)
    page = history_export.as_html(archive.events("000001"), archive, "000001").decode()
    order = ["<li>Click “Cancel”</li>", "approval</b>: Click", "You allowed", "Carried out."]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert "512, 360" not in page
    ending = {"outcome": Message("agent.reported_done"), "outcome_kind": "ended"}
    done: list[Fact] = [
        *looked(2),
        *answered(2, actions=[{"kind": "done", "words": Message("action.done")}]),
        ("step", {"step": 2, "ok": True, **ending, "seconds": 2.0}),
        ("done", {"text": "", "refused": True}),
        ("status", {"status": "done", "reason": ""}),
    ]
    recorded_refusal = kept(tmp_path / "refused", [*facts[:-3], *ended(1), *done])
    page = history_export.as_html(recorded_refusal.events("000001"), archive, "000001").decode()
    assert order[0] in page
    assert "<h2>Partly done</h2>" in page
    assert page.count("<article") == 2
    assert not re.search("<li>Done|Reported as done", page)


def test_the_html_tells_where_a_task_was_cancelled_and_why(tmp_path: Path) -> None:
    def status(name: str, reason: str = "") -> Fact:
        return "status", {"status": name, "reason": reason}

    facts: list[Fact] = [
        status("stopped"),  # before the task
        ("task", {"text": "Print it"}),
        status("running"),
        *looked(1),
        status("paused", Message("session.paused_by_you")),
        ("said", {"text": "use tray 2"}),
        status("running"),
        *looked(2),
        ("failed", {"text": "No answer."}),
        status("failed", "No answer."),
        status("running"),
        *looked(3),
        *answered(3),
        ("typed", {"step": 3, "count": 1, "text": Message("agent.typed", typed=1, count=2)}),
        status("stopped", Message("session.stopped_by_you")),
        ("log", {"text": "By hand: 1 click.", "aloud": True}),
        ("log", {"text": "By hand, in the log alone."}),
        status("running"),
        ("question", {"text": "Which?", "anew": False}),
        status("asking"),
        status("running"),
        ("done", {"text": "Yes."}),
        status("done"),
        ("log", {"text": "By hand, after the end.", "aloud": True}),
    ]
    archive = kept(tmp_path, facts)
    page = history_export.as_html(archive.events("000002"), archive, "000002").decode()
    lines = re.sub(r"<[^>]*>", "\n", page[page.index("</h1>") :]).split("\n")
    told = "Done|Step|Stopped|Interrupted|Paused|: |Failed|Resumed|I see step 3 and|Click|1 of 2|By"
    assert [each.strip() for each in lines if re.match(told, each)] == [
        "Done",
        *("Step 1", "Interrupted", "Paused by you.", ": use tray 2"),
        *("Step 2", "Failed", "Failed", ": No answer.", "Resumed."),
        *("Step 3", "I see step 3 and click.", "Click", "Interrupted"),
        *("1 of 2 characters were typed.", "Stopped by you.", "By hand: 1 click.", "Resumed."),
        *(": Which?", "Resumed."),
    ]
    assert page.count('<article class="state-failed">') == 1


def test_the_html_is_in_the_language_of_who_takes_it(tmp_path: Path) -> None:
    archive = recorded(tmp_path)
    page = history_export.as_html(archive.events("000002"), archive, "000002", "zh").decode()
    assert '<html lang="zh-CN">' in page
    for words in ("第 1 步", "已执行。屏幕上", "<b>你</b>：go on &amp; on", "模型原始回复"):
        assert words in page


def test_the_json_has_every_event_and_every_screenshot(tmp_path: Path) -> None:
    archive = recorded(tmp_path)
    told = json.loads(history_export.as_json(archive.events("000002"), archive, "000002"))
    kinds = [event["kind"] for event in told["events"]]
    assert kinds.count("frame") == 2
    assert kinds[:2] == ["session_started", "task"]
    pictures = [base64.b64decode(event["jpeg"]) for event in told["events"] if "jpeg" in event]
    assert pictures == [PICTURE, PICTURE]


@pytest.mark.browser
@pytest.mark.skipif(needs_browser[1].args[0], reason="needs Chromium")
def test_a_task_is_found_replayed_and_exported(
    browser: Browser, live: Stage, tmp_path: Path
) -> None:
    for goal in ("Find the printer", "Clean the desk"):
        live.begin(goal)
        for number in (1, 2, 3):
            longer = ", and look at it once more" * (5 if number == 2 else 0)
            corner = [{**CLICK, "at": {"x": 0.99, "y": 0.01}}] * (number == 1)
            actions = [*corner, CLICK]
            live.step(number, thought=f"I see step {number}{longer}.", actions=actions)
        live.tell(
            ("done", {"text": "Yes.\n  It is on."}), ("status", {"status": "done", "reason": ""})
        )
    faults: list[str] = []
    page = opened(browser, live.url, DESKTOP, faults)
    expect(page.locator(".frame:has(+ .is-first) p")).to_have_text("3 Click")  # of the other task
    turn_to(page, "History")
    expect(page.locator(".task")).to_have_count(2)
    facts = page.locator(".task .help").first.text_content() or ""
    assert re.match(r"\d\d:\d\d:\d\d · .*3 steps", facts)
    page.get_by_role("searchbox").fill("printer")
    expect(page.locator(".task")).to_have_count(1)
    page.locator(".task").click()
    end = page.locator(".replay h2 ~ .end")
    expect(end).to_have_text("DoneYes.\nIt is on.", use_inner_text=True)
    assert end.inner_text().splitlines() == ["DoneYes.", "  It is on."]
    expect(page.locator(".replayed")).to_contain_text("I see step 1")
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".replayed")).to_contain_text("I see step 2")
    expect(page.locator(".scrub")).to_contain_text("2 / 3")
    expect(page.locator(".replay > div > .shot img")).to_have_js_property("naturalWidth", 1280)
    slider = page.get_by_role("slider")
    slider.press("Home")
    below = page.locator(".replay .buttons")
    places = [each.bounding_box() for each in (slider, below)]
    page.get_by_role("button", name="Play").click()
    assert [each.bounding_box() for each in (slider, below)] == places, "the next step is longer"
    page.get_by_role("button", name="Pause replay").click()
    for width, height in (DESKTOP, TABLET, LYING, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#panel-history").evaluate("panel => panel.scrollTo(0, 0)")
        expect(slider).to_be_in_viewport(ratio=1)
        if height <= LYING[1]:
            expect(page.locator(".replay > div > .shot")).to_be_in_viewport(ratio=1)
            expect(page.locator(".replay > .buttons :last-child")).to_be_in_viewport(ratio=1)
        slider.press("Home")
        expect(page.locator(".replayed")).to_contain_text("I see step 1")
        numbers = page.locator(".replay > div > .shot .mark b")
        expect(numbers).to_have_text(["1", "2"])
        for each in numbers.all():
            expect(each).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="Next step").click()
        expect(page.locator(".replayed")).to_contain_text("I see step 2")
        slider.press("End")
        expect(page.locator(".replayed")).to_contain_text("I see step 3")
        if height <= LYING[1]:
            expect(page.locator(".replayed .step")).to_be_in_viewport(ratio=1)
        keep(page, f"history-replay-{width}")
    page.locator("#language").click()
    expect(page.get_by_role("button", name="导出 HTML")).to_be_visible()
    expect(page.locator(".replayed")).to_contain_text("I see step 3")
    page.get_by_role("button", name="全部任务").click()
    expect(page.get_by_role("button", name="失败", exact=True)).to_be_visible()
    page.locator(".task").click()
    page.locator("#language").click()
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    for form in ("HTML", "JSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Export as {form}").click()
        download.value.save_as(tmp_path / form)
    assert "Find the printer" in (tmp_path / "HTML").read_text("utf-8")
    assert len(json.loads((tmp_path / "JSON").read_text("utf-8"))["events"]) > 10
    page.get_by_role("button", name="Reuse task").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Find the printer")
    assert faults == []
    page.context.close()


@pytest.mark.browser
@pytest.mark.skipif(needs_browser[1].args[0], reason="needs Chromium")
def test_back_leads_through_the_views_and_a_replay_has_what_was_said(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    long = "What is the address?" + " Of which printer?" * 90
    live.begin(long)
    live.step(1)
    live.tell(("said", {"text": "use wifi", "queued": True}))
    live.step(2, cost=0.25)
    live.step(3, thought="It is 192.168.1.57.", actions=[{"kind": "done", "words": "Done"}])
    live.tell(
        ("done", {"text": ""}),
        ("status", {"status": "done", "reason": ""}),
        ("log", {"level": "info", "text": "You clicked.", "aloud": True}),
    )
    expect(page.locator("#chat")).to_contain_text("You clicked.")
    turn_to(page, "History")
    page.locator(".task").click()
    expect(page.locator(".replay > .help")).to_contain_text("· cost 0.25 ·")
    keep(page, "phone-history-cost")
    words = page.locator(".replayed")
    expect(words).to_contain_text("use wifi")
    assert axe(page) == [], "a long title scrolls with the keyboard"
    page.get_by_role("slider").press("End")
    expect(words.locator(".step .thought")).to_have_text("It is 192.168.1.57.")
    expect(page.locator(".replay .end")).to_have_text("DoneIt is 192.168.1.57.")
    expect(page.locator(".replay").get_by_role("button", name="Copy")).to_be_visible()
    page.locator(".replay > div > .shot button").click()
    expect(page.locator("#lightbox img")).to_have_js_property("naturalWidth", 1280)
    page.keyboard.press("Escape")
    search, held = page.get_by_role("searchbox"), list[Route]()
    page.route("**/api/tasks", lambda route: held.append(route))
    with page.expect_request("**/api/tasks"):
        page.go_back()
    search.fill("address")  # before the list has come
    held[0].continue_()
    page.unroute("**/api/tasks")
    expect(page.locator(".task")).to_have_count(1)
    page.wait_for_timeout(200)
    expect(search).to_be_focused()

    live.begin("Another address")
    first = page.locator(".task").first
    expect(first.locator(".help")).to_have_text(re.compile(r"^[\d:]+\s· Running$"))
    blue = page.locator("#state .chip").evaluate("chip => getComputedStyle(chip).color")
    expect(first.locator(".icon-running")).to_have_css("color", blue)
    expect(search).to_be_focused()
    live.tell(*looked(1), *answered(1), ("approval", {**ASKED[1], "step": 1}))
    expect(first.locator(".help")).to_have_text(re.compile(r"^[\d:]+\s· Needs\sapproval$"))
    turn_to(page, "Chat")
    live.tell(("status", {"status": "stopped", "reason": ""}), ("reset", {}))
    live.tell(("status", {"status": "idle", "reason": ""}))
    live.begin("A third address")
    live.step(1)
    live.tell(*looked(2))
    turn_to(page, "History")
    expect(page.locator(".goal")).to_have_text(["A third address", "Another address", long])
    stopped = page.locator(".task").nth(1)
    expect(stopped).to_contain_text("Stopped")
    expect(stopped.locator(".icon-stopped")).to_be_visible()
    first.click()
    expect(page.locator(".replay .end")).to_have_text("Running")
    expect(page.get_by_role("slider")).to_have_attribute("max", "1")
    page.get_by_role("slider").focus()
    live.tell(*answered(2), *ended(2))
    live.tell(("done", {"text": "Here."}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator(".replay .end")).to_have_text("DoneHere.")
    expect(page.get_by_role("slider")).to_have_attribute("max", "2")
    expect(page.get_by_role("slider")).to_be_focused()
    page.go_back()
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#stop")).to_be_disabled()
    expect(first).to_contain_text("Done")
    live.tell(("reset", {}), ("status", {"status": "idle", "reason": ""}))
    expect(page.locator("#chat > *")).to_have_count(0)
    expect(first).to_contain_text("Done")
    late: list[Route] = []
    page.route("**/api/tasks", lambda route: late.append(route), times=1)
    with page.expect_request("**/api/tasks"):
        live.begin("A fourth address")
    live.tell(("status", {"status": "paused", "reason": ""}))
    expect(first).to_contain_text("A fourth address")
    late.pop().fulfill(json=[])
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(first).to_contain_text("A fourth address")
    page.get_by_role("button", name="Not finished").click()
    expect(page.locator(".goal")).to_have_text(["A fourth address"])
    keep(page, "phone-history-unfinished")
    page.get_by_role("button", name="Not finished").click()
    live.tell(("failed", {"text": "Gone."}), ("status", {"status": "failed", "reason": "Gone."}))
    expect(first).to_contain_text("Failed")
    live.tell(("status", {"status": "stopped", "reason": ""}))
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator("#state")).to_contain_text("Failed")
    expect(first).to_contain_text("Failed")
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    page.set_viewport_size({"width": LYING[0], "height": LYING[1]})
    panel = page.locator("#panel-history")
    panel.evaluate("panel => panel.scrollTo(0, 60)")
    page.locator(".task").nth(1).click()
    expect(page.locator(".replayed")).to_contain_text("I see step 1")
    expect(panel).to_have_js_property("scrollTop", 0)
    page.get_by_role("button", name="All tasks").click()
    expect(page.locator(".task").nth(1)).to_be_focused()
    expect(panel).to_have_js_property("scrollTop", 60)
    page.go_back()
    page.go_back()
    page.go_back()
    expect(page.get_by_role("tab", name="Chat")).to_have_attribute("aria-selected", "true")
    turn_to(page, "History")
    page.locator(".task").last.click()
    page.get_by_role("button", name="Reuse task").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value(f"{long}\nuse wifi")
    expect(page.locator("#composer-note")).to_contain_text("The task was corrected")
    expect(page.locator("#new-task")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("textbox", name="Message").fill("")  # what is typed now is an answer
    expect(page.locator("#new-task")).to_have_attribute("aria-pressed", "false")
    page.context.close()


@pytest.mark.browser
@pytest.mark.skipif(needs_browser[1].args[0], reason="needs Chromium")
def test_the_list_tells_the_days_the_last_pictures_how_it_ended_and_what_is_incomplete(
    browser: Browser, tmp_path: Path
) -> None:
    with stage(f'record_dir="{tmp_path}"') as live:
        faults: list[str] = []
        page = opened(browser, live.url, PHONE, faults)
        long = "Find the printer that stands in the hall and print the letter to the library on it"
        ends = {"lost": "done", long: "done", "Look": "paused", "Clean the desk": "failed"}
        for goal, end in ends.items():
            live.begin(goal)
            if goal == "lost":
                occupied(tmp_path)
            live.step(1)
            live.tell(("status", {"status": end, "reason": ""}))
        turn_to(page, "History")
        tasks = page.locator(".task")
        expect(tasks).to_have_count(4)
        expect(page.get_by_role("heading", name="Today")).to_be_visible()
        for file in tmp_path.glob("*/events.jsonl"):
            file.write_text(
                re.sub(r'"at": ?(\d+)', _a_day_before, file.read_text("utf-8")), "utf-8"
            )
        turn_to(page, "Chat")
        page.reload()
        turn_to(page, "History")
        expect(page.get_by_role("heading", name="Yesterday")).to_be_visible()
        expect(tasks.first.locator("img")).to_have_js_property("naturalWidth", 240)
        keep(page, "history-list")
        failed, done = (
            page.get_by_role("button", name=name, exact=True) for name in ("Failed", "Done")
        )
        failed.click()
        expect(page.locator(".goal")).to_have_text(["Clean the desk"])
        done.click()
        expect(failed).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".goal")).to_have_text([long, "lost"])
        done.click()
        expect(tasks).to_have_count(4)
        page.set_viewport_size({"width": 1280, "height": 800})
        bar = page.locator(".past .bar :is(input, button)")
        lines = {each["y"] for node in bar.all() if (each := node.bounding_box())}
        assert len(lines) == 1, "the bar wraps at 1280 px: controls of the list go below it"
        assert bar.first.evaluate("node => node.offsetWidth") > 155, "its words, and a scrollbar"
        page.set_viewport_size({"width": 667, "height": 375})
        expect(tasks.first).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.get_by_role("button", name="Not finished", exact=True).focus()
        page.keyboard.press("Tab")
        expect(tasks.first).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(tasks.nth(1)).to_be_focused()

        chips = page.locator(".past .chips")
        expect(chips).to_have_class("chips fades")
        page.set_viewport_size({"width": 280, "height": PHONE[1]})
        expect(chips).to_have_class("chips fades fades-right")
        chips.evaluate("row => row.scrollTo(999, 0)")
        expect(chips).to_have_class("chips fades fades-left")
        lost = page.locator(".task", has_text="lost")
        expect(lost).to_contain_text("1 step")
        assert " · 1 step · " in (lost.text_content() or "")
        facts = lost.locator(".facts > span")
        lefts = facts.evaluate_all("all => all.map((each) => each.offsetLeft)")
        assert lefts.count(lefts[0]) > 1, "its dot stands where the row is clipped"
        expect(lost).to_contain_text("The record is incomplete")
        expect(page.locator(".task", has_text=long)).not_to_contain_text("incomplete")
        keep(page, "history-incomplete")
        lost.click()
        expect(page.locator(".replay")).to_contain_text("The record is incomplete")
        assert [each for each in faults if "404" not in each] == [], "but for the lost picture"
        page.context.close()


def _a_day_before(found: re.Match[str]) -> str:
    return f'"at": {int(found[1]) - 86400}'


def test_a_damaged_picture_has_no_small_one() -> None:
    assert len(make_thumbnail(PICTURE) or b"") < len(PICTURE)
    assert make_thumbnail(PICTURE[:100]) is None


def occupied(folder: Path) -> None:
    """The places of the pictures to come are taken, once there is a task to take them from."""
    for _ in range(200):
        found = sorted(each.parent for each in folder.glob("*/events.jsonl"))
        if found and '"task"' in (found[-1] / "events.jsonl").read_text():
            break
        time.sleep(0.02)
    for seq in range(1, 100):
        (found[-1] / f"{seq}.jpg").mkdir()
