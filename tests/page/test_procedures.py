"""Procedures in the page: made of a task that is done, run again, exported and deleted."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cua.messages import Message, sentences, to_json
from cua.procedures.procedure import Sign, Step, read
from cua.types import Type
from tests.servers.mjpeg_server import picture
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    STEP,
    TASK,
    agree,
    keep,
    needs_browser,
    opened,
    turn_to,
)
from tests.support.page_checks import axe
from tests.support.page_views import service
from tests.support.scripted_service import Fact, Stage, answered, ended, looked, stage

pytest.importorskip("rapidocr")
pytestmark = needs_browser


NETWORK = ((0.02, 0.255), (0.09, 0.3))
"""Two corners around the name of an icon, in fractions of the screen."""
EMPTY = ((0.4, 0.955), (0.48, 0.99))
DONE = "The procedure is done."
ENTER = """
name: enter
goal: Write {word}
parameters: {word: hi}
steps:
- do: {kind: type, text: "{word}"}
"""
SECRET = """
name: log in
steps:
- do: {kind: type, text: "{{secret:bank}}"}
"""
ENDLESS = """
name: endless
steps:
- when: {text: This is never shown}
  timeout_s: 600
"""
LEFT = """
name: left
goal: open "Files"
steps:
- when: {text: This is never shown}
  timeout_s: 0
  otherwise: model
"""
ASKS = """
name: asks
goal: look around
steps:
- when: {text: This is never shown}
  timeout_s: 0
- when: {text: Notepad}
"""
NOTES = """
name: notes
steps:
- when: {text: Notepad}
  do: {kind: click, count: 2}
- do: {kind: type, text: one}
- for_each: {key: [a, b]}
  steps:
  - do: {kind: type, text: "{key}"}
"""


WATCH_IMAGES = """() => {
  window.loaded = [];
  const isLoaded = (image) => image.naturalWidth > 0;
  document.addEventListener('click', () =>
    loaded.push([...document.querySelectorAll('.procedure img')].every(isLoaded)));
}"""
IS_WHOLE = """(image) => {
  const { left, bottom } = image.getBoundingClientRect();
  return document.elementFromPoint(left + 9, bottom - 9) === image;
}"""
SAVE_RECORDING = """async () => {
  const { call } = await import('/static/core/connection.js');
  const recorded = { name: 'x', names: [] };
  return call('/api/procedures/record/save', recorded).catch(({ message }) => message);
}"""
RENAME = """async ([name, to]) => {
    const { call } = await import('/static/core/connection.js');
    const { procedure } = await call(`/api/procedures/${encodeURIComponent(name)}`);
    if (!to) return call('/api/procedures/remove', { name });
    await call('/api/procedures/file', {
        text: JSON.stringify({ ...procedure, name: to }), replaces: name });
}"""
FORGET = """async () => {
    const { call } = await import('/static/core/connection.js');
    for (const name of await call('/api/procedures'))
        await call('/api/procedures/remove', { name });
}"""


@pytest.fixture(scope="module")
def demo(browser: Browser) -> Iterator[str]:
    with service(CUA_TAKE_OVER="true") as url:
        page = opened(browser, url, DESKTOP, [])
        agree(page)
        page.context.close()
        yield url


@pytest.fixture
def live() -> Iterator[Stage]:
    with stage("take_over=true") as made:
        yield made


def without_procedures(
    browser: Browser, url: str, size: tuple[int, int], faults: list[str]
) -> Page:
    """The page, also when a test is run again after it has left some."""
    page = opened(browser, url, size, faults)
    expect(page.get_by_role("button", name="Import a procedure")).to_be_attached()
    page.evaluate(FORGET)
    return page


def reset(page: Page) -> None:
    page.locator("#reset").click()
    page.locator("#reset").click()
    expect(page.get_by_text("What should the agent do?")).to_be_visible()


def import_file(page: Page, folder: Path, procedure: str, chooser: Locator | None = None) -> None:
    """Choose a file with this text for *Import a procedure*."""
    file = folder / "procedure.yaml"
    file.write_text(procedure)
    (chooser or page.locator("input[accept='.yaml,.yml']")).set_input_files(file)


def test_a_procedure_is_imported_exported_deleted_and_brought_back(
    browser: Browser, demo: str, tmp_path: Path
) -> None:
    page = without_procedures(browser, demo, PHONE, [])
    other = opened(browser, demo, DESKTOP, [], "zh-CN")
    expect(other.get_by_role("button", name="导入流程")).to_be_visible()
    import_file(page, tmp_path, ENTER)
    row = page.get_by_role("button", name="Run “enter”")
    expect(row).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Procedures")).to_be_visible()
    expect(other.get_by_role("button", name="运行“enter”")).to_be_visible()
    import_file(other, tmp_path, NOTES.replace("notes", "loop"))
    other.get_by_role("button", name="编辑“loop”").click()
    expect(other.get_by_role("dialog")).to_contain_text("循环或条件：1 个步骤")
    other.keyboard.press("Escape")
    expect(page.get_by_text("“enter” is imported.")).to_be_in_viewport()
    keep(page, "phone-procedure-imported")
    import_file(page, tmp_path, ENTER)
    expect(page.get_by_text("“enter 2” is imported.")).to_be_in_viewport()
    page.get_by_role("button", name="Delete “enter 2”").click()
    expect(page.get_by_text("“enter 2” is deleted.")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="Export “enter”").click()
    assert read(download.value.path().read_text()).name == "enter"
    page.get_by_role("button", name="Delete “enter”").click()
    expect(page.get_by_text("“enter” is deleted.")).to_be_visible()
    expect(row).to_be_hidden()
    expect(other.get_by_role("button", name="运行“enter”")).to_be_hidden()
    other.context.close()
    page.evaluate(
        "() => document.dispatchEvent(new CustomEvent('procedures', { detail: {} }))"
    )  # it is drawn again
    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()
    import_file(page, tmp_path, ENDLESS)
    page.get_by_role("button", name="Run “endless”").click()
    expect(page.locator("#box")).to_have_attribute("placeholder", "Next task…")
    page.locator("#box").fill("a hint")
    page.locator("#box").press("Enter")
    expect(page.locator("#composer-error")).to_contain_text(
        "You can't add hints while a procedure runs."
    )
    expect(page.locator("#box")).to_have_value("a hint")
    page.locator("#box").fill("")
    third = opened(browser, demo, PHONE, [])  # it has never listed the procedures
    expect(third.locator("#procedures")).to_be_visible()
    third.context.close()
    page.locator("#procedures").click()
    chooser = page.get_by_role("dialog", name="Queue a procedure")
    expect(chooser.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
    import_file(page, tmp_path, NOTES, chooser.locator("input"))
    expect(chooser.get_by_role("button", name="Queue “notes”")).to_be_in_viewport()
    expect(chooser).to_contain_text("“notes” is imported.")
    keep(page, "phone-procedure-chooser")
    chooser.get_by_role("button", name="Edit “enter”").click()
    editor = page.get_by_role("dialog", name="Edit procedure")
    expect(editor.get_by_label("Name", exact=True)).to_have_value("enter")
    expect(editor.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
    keep(page, "phone-procedure-editor-running")
    page.keyboard.press("Escape")
    page.locator("#procedures").click()
    chooser.get_by_role("button", name="Queue “enter”").click()
    form = page.get_by_role("dialog", name="enter")
    expect(form.get_by_label("word")).to_have_value("hi")
    expect(form.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
    form.get_by_label("word").fill("早")
    form.get_by_role("button", name="Queue").click()
    expect(form.get_by_role("alert")).to_contain_text("The US English keyboard has no key for '早'")
    keep(page, "phone-procedure-refused")
    form.get_by_role("alert").get_by_role("button", name="Open setting").click()
    expect(page.locator("#set-unicode_entry")).to_be_focused()
    turn_to(page, "Chat")
    page.locator("#procedures").click()
    chooser.get_by_role("button", name="Queue “enter”").click()
    expect(form.get_by_label("word")).to_have_value("早")
    form.get_by_label("word").fill("bye")
    form.get_by_role("button", name="Queue").click()
    expect(page.locator("#queue li")).to_contain_text("Procedure enter · Write bye")
    expect(page.locator("#composer #stop")).to_be_enabled()
    page.locator("#pause").click()
    page.get_by_role("button", name="Skip to next task").click()
    card = page.locator("#chat .is-done").last
    expect(card).to_contain_text(DONE, timeout=STEP)
    expect(page.locator("#chat .is-task").last).to_contain_text("Write bye")
    expect(card.get_by_role("button", name="Save task")).to_have_count(0)
    card.get_by_role("button", name="Run again").click()
    expect(form.get_by_label("word")).to_have_value("bye")
    page.keyboard.press("Escape")
    turn_to(page, "History")
    page.locator(".task").first.click()
    page.get_by_role("button", name="Run again").click()
    expect(form.get_by_label("word")).to_have_value("bye")
    form.get_by_label("word").fill("it once more")
    form.get_by_role("button", name="Run").click()
    expect(page.locator("#chat .is-task").last).to_contain_text("Write it once more")
    expect(card).to_contain_text(DONE, timeout=STEP)
    reset(page)
    import_file(page, tmp_path, SECRET)
    page.get_by_role("button", name="Run “log in”").click()
    refusal = page.locator("#composer-error")
    expect(refusal).to_contain_text("There is no secret “bank”")
    keep(page, "phone-procedure-without-its-secret")
    refusal.get_by_role("button", name="Open setting").click()
    expect(page.locator("#secret-value")).to_be_focused()
    expect(page.locator("#secret-name")).to_have_value("bank")
    page.context.close()


def test_a_procedure_takes_no_hint_asks_with_a_picture_and_is_followed_by_a_new_task(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, PHONE, [])
    live.tell(
        ("task", {"text": "report", "max_rounds": 20, "procedure": "report"}),
        ("status", {"status": "running", "reason": ""}),
    )
    box, send, queue = (page.locator(f"#{id}") for id in ("box", "send", "queue-add"))
    expect(send).to_be_disabled()
    box.fill("then print it")
    expect(queue).to_have_class("primary")
    for size in (LYING, PHONE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        keep(page, f"procedure-takes-no-hints-{size[0]}")
        expect(queue).to_be_in_viewport(ratio=1)
    live.tell(("status", {"status": "paused", "reason": ""}))
    expect(send).to_be_enabled()
    expect(queue).to_have_class("quiet")
    live.tell(("status", {"status": "running", "reason": ""}))
    expect(send).to_be_disabled()

    png = base64.b64encode(picture(size=(270, 120))).decode()
    sign = Message("procedure.picture")
    missing = Message("procedure.missing", sign=sign, seen=["“Start”"], picture=png)
    step = Message("procedure.step", number=4, count=5, say=missing)
    question = to_json(sentences(step, Message("procedure.ask")))
    page.route("**/api/send", lambda route: route.fulfill(json={}))
    for count, size in enumerate((PHONE, LYING), 1):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        live.tell(("question", {"text": question}), ("status", {"status": "asking", "reason": ""}))
        expect(page.locator("#chat .is-question")).to_have_count(count)
        card = page.locator("#chat .is-question").last
        expect(card).to_contain_text("Expected the recorded picture but saw “Start”.")
        expect(box).to_have_attribute("placeholder", "Try again or Skip step, or take over")
        expect(card.get_by_role("img", name="Picture")).to_have_js_property("naturalWidth", 270)
        for answer in ("Try again", "Skip step"):
            expect(card.get_by_role("button", name=answer)).to_be_in_viewport(ratio=1)
        keep(page, f"procedure-picture-{size[0]}")
        if size == PHONE:
            page.get_by_role("button", name="Take over").click()
            expect(page.locator("#control-bar .gestures")).to_be_in_viewport(ratio=1)
            expect(card.get_by_role("img", name="Picture")).to_be_in_viewport(ratio=1)
            assert card.get_by_role("img", name="Picture").evaluate(IS_WHOLE)
            keep(page, "procedure-picture-by-hand")
            page.get_by_role("button", name="Hand back").click()
        card.get_by_role("img", name="Picture").scroll_into_view_if_needed()
        expect(card.get_by_role("img", name="Picture")).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="New task").click()
        expect(box).to_have_attribute("placeholder", "Describe a task…")
        with page.expect_request("**/api/send") as sent:
            card.get_by_role("button", name="Try again").click()
        assert sent.value.post_data_json == {"text": "Try again"}, "an answer, and not a task"
        live.tell(("status", {"status": "running", "reason": ""}))
        expect(box).to_have_attribute("placeholder", "Next task…")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})

    for status in ("stopped", "paused", "failed"):
        live.tell(("status", {"status": status, "reason": ""}))
        expect(box).to_have_attribute("placeholder", "What next?")
        box.fill("open Files")
        expect(page.locator(".entry > button:visible")).to_have_text(["Send"])
        with page.expect_request("**/api/send") as sent:
            box.press("Enter")
        assert sent.value.post_data_json
        assert sent.value.post_data_json["anew"]
        expect(box).to_have_value("")
        live.tell(("status", {"status": "running", "reason": ""}))
        expect(box).to_have_attribute("placeholder", "Next task…")
    expect(send).to_be_disabled()
    live.tell(*looked(1), *answered(1))  # of a model, to which it was handed over
    expect(send).to_be_enabled()
    page.context.close()


def test_the_waits_of_a_procedure_are_one_card_and_a_new_one_asks_for_texts_that_the_person_names(
    browser: Browser, live: Stage
) -> None:
    page = opened(browser, live.url, DESKTOP, [])
    place = {"number": 2, "count": 5}
    live.tell(
        ("task", {"text": "report", "max_rounds": 20, "procedure": "report", "place": place}),
        ("status", {"status": "running", "reason": ""}),
        *looked(1),
    )
    expect(page.locator("#chat .is-task .label")).to_have_text(re.compile(r"^Procedure ·"))
    expect(page.locator("article.step .phase")).to_contain_text("Step 2 of 5: Looking")
    expect(page.locator("#strip .frame p")).to_have_text("2 Looking")
    expect(page.locator("#state")).to_contain_text("Step 2 of 5")
    still = {"words": "Nothing visible changed.", "none": True, "areas": []}
    for number in (1, 2, 3):
        waits = [{"kind": "wait", "seconds": number}]
        effect: Fact = ("effect", {"step": number - 1, **still})
        thought = Message("procedure.step", **place, next=2, say=f"I see step {number}")
        looks = answered(number, actions=waits, scripted=True, awaits=True, thought=thought)
        live.tell(*looked(number)[number == 1 :], effect, *looks)
        expect(page.locator("article.step:visible")).to_contain_text(f"I see step {number}")
        phase = page.locator("article.step:visible .phase")
        expect(phase).to_have_count(0)  # it would come and go
        if number == 2:
            live.tell(("status", {"status": "paused", "reason": ""}))
            expect(phase).to_have_text("Interrupted")
            live.tell(("status", {"status": "running", "reason": ""}))
        else:
            live.tell(*ended(number))
    live.tell(*looked(4))
    cards = page.locator("article.step:visible")
    expect(cards).to_have_count(1)
    expect(cards).not_to_contain_text("Wait")  # only the last of them
    expect(cards.locator(".figures")).to_contain_text("4.0 s")
    expect(page.locator("#glance")).to_contain_text("I see step 3")
    acts = Message("procedure.step", **place, next=3, say="")
    live.tell(("effect", {"step": 3, **still}), *answered(4, text="", thought=acts, scripted=True))
    expect(cards).to_have_count(2)
    expect(page.locator("#chat")).not_to_contain_text("Nothing visible changed.")
    expect(page.locator("#strip .frame p").first).to_have_text("Step 2 of 5: I see step 3")
    before = looked(5)[0]  # its screenshot is not there yet
    live.tell(*ended(4), before, ("status", {"status": "stopped", "reason": ""}))
    expect(cards).to_have_count(2)
    expect(page.locator("#state")).to_contain_text("Step 2 of 5")
    live.tell(("status", {"status": "running", "reason": ""}))
    live.tell(("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator("#chat .is-done")).to_have_count(1)
    expect(page.locator("#chat .is-done .answer")).to_have_count(0)
    turn_to(page, "History")
    page.locator(".task").click()
    expect(page.get_by_role("slider", name="Step")).to_have_attribute("max", "2")
    expect(page.locator(".replayed")).to_contain_text("I see step 3")
    page.get_by_role("button", name="All tasks").click()

    turn_to(page, "Chat")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    live.begin("set the server")
    live.tell(("said", {"text": "use 8.8.8.8 instead", "queued": False}))
    live.step(1, actions=[{"kind": "type", "text": "8.8.8.8"}])
    live.tell(("by_hand", {"words": "Click"}))
    live.tell(("done", {"text": ""}), ("status", {"status": "done", "reason": ""}))
    expect(page.locator("#chat .is-done")).to_have_count(2)
    result = page.locator("#chat .is-done").last
    result.get_by_role("button", name="Save as procedure").click()
    field = page.get_by_label("Typed text “8.8.8.8”: name (optional)")
    expect(field).to_have_value("")
    expect(field).to_have_attribute("placeholder", "such as server")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    field.fill("my server!")
    form = page.get_by_role("dialog", name="Save as procedure")
    expect(form).to_contain_text("What you did by hand is not included.")
    expect(form.get_by_label("Name", exact=True)).to_have_value("set the server")
    keep(page, "phone-procedure-by-hand")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("letters, digits and spaces")
    assert not [url for url in asked if url.endswith("/make")]
    field.fill("my server")
    with page.expect_request("**/api/procedures/make") as sent:
        form.get_by_role("button", name="Save").click()
    assert sent.value.post_data_json
    assert sent.value.post_data_json["values"] == {"my_server": "8.8.8.8"}
    page.keyboard.press("Escape")
    expect(form).to_be_hidden()
    result.get_by_role("button", name="Save as procedure").click()
    form.get_by_role("button", name="Save").click()  # the name is free: nothing was saved
    expect(result.get_by_role("button", name="Run “set the server”")).to_be_visible(timeout=STEP)
    turn_to(page, "History")
    expect(page.locator(".task")).to_have_count(2)
    page.locator(".task").first.click()
    page.locator("#panel-history").get_by_role("button", name="Save as procedure").click()
    expect(field).to_be_visible()
    expect(form.get_by_label("Name", exact=True)).to_have_value("set the server 2")
    page.context.close()


def test_a_procedure_is_saved_run_and_titled_by_its_name_in_the_chat(
    browser: Browser, demo: str, tmp_path: Path
) -> None:
    page = without_procedures(browser, demo, PHONE, [])
    page.locator("#box").fill("press F1")
    page.locator("#send").click()
    card = page.locator("#chat .is-done")
    card.get_by_role("button", name="Save as procedure").click(timeout=STEP)
    form = page.get_by_role("dialog", name="Save as procedure")
    form.get_by_label("Name", exact=True).fill("greet")
    page.clock.install()
    form.get_by_role("button", name="Save").click()
    run = card.get_by_role("button", name="Run “greet”")
    expect(run).to_be_visible(timeout=STEP)
    procedures = page.get_by_role("button", name="Procedures", exact=True)
    expect(procedures).to_be_visible()
    note = page.locator("#composer-note")
    expect(note).to_have_text("Saved: see “Procedures”.")
    keep(page, "phone-procedure-saved")
    page.locator("#language").click()
    expect(note).to_contain_text("已保存：见“流程”")
    expect(card.get_by_role("button", name="运行“greet”")).to_be_visible()
    expect(card.get_by_role("button", name="存为流程")).to_have_count(0)
    page.locator("#language").click()
    page.clock.fast_forward(8000)
    expect(note).to_be_hidden()
    card.get_by_role("button", name="Run again").click()
    expect(card).to_have_count(2, timeout=STEP)
    turn_to(page, "History")
    page.locator(".task").first.click()
    history = page.locator("#panel-history")
    history.get_by_role("button", name="Save as procedure").click()
    form.get_by_label("Name", exact=True).fill("greet")
    form.get_by_role("button", name="Save").click()
    fault = form.locator(".field:has(:focus) + .error")
    expect(fault).to_contain_text("“greet” exists already")
    form.get_by_label("Name", exact=True).fill("greet again")
    form.get_by_role("button", name="Save").click()
    expect(history.get_by_role("button", name="Run “greet again”")).to_be_visible(timeout=STEP)
    keep(page, "phone-history-procedure-saved")
    page.evaluate(RENAME, ["greet again", "greet twice"])
    expect(history.get_by_role("button", name="Run “greet twice”")).to_be_visible()
    page.evaluate(RENAME, ["greet twice", "greet again"])
    for words in ("运行“greet again”", "Run “greet again”"):
        page.locator("#language").click()
        expect(history.get_by_role("button", name=words)).to_be_visible()
    history.get_by_role("button", name="Run “greet again”").click()
    expect(page.locator("#panel-chat")).to_be_visible()
    expect(page.locator("#chat .is-task").last).to_contain_text("Procedure greet again ·")
    page.locator("#stop").click()
    turn_to(page, "History")
    history.get_by_role("button", name="All tasks").click()
    expect(page.locator(".task .goal").first).to_have_text("press F1 · greet again")
    keep(page, "phone-procedure-history")
    turn_to(page, "Chat")
    page.evaluate(RENAME, ["greet", "hail"])
    expect(card.get_by_role("button", name="Run “hail”")).to_be_visible()
    page.evaluate(RENAME, ["hail", ""])
    expect(card.get_by_role("button", name="Run “")).to_have_count(0)
    page.evaluate(RENAME, ["greet again", "greet twice"])
    turn_to(page, "History")
    page.locator(".task").first.click()
    history.get_by_role("button", name="Run again").click()
    expect(history.get_by_role("alert")).to_be_in_viewport()
    expect(history.get_by_role("alert")).to_have_text(
        "There is no procedure “greet again”. There are: greet twice."
    )
    turn_to(page, "Chat")
    expect(card.first.get_by_role("button", name="Save as procedure")).to_be_enabled()
    reset(page)
    page.context.close()


def test_a_stuck_procedure_is_answered_with_a_button(
    browser: Browser, demo: str, tmp_path: Path
) -> None:
    page = without_procedures(browser, demo, DESKTOP, [])
    import_file(page, tmp_path, ASKS)
    page.get_by_role("button", name="Run “asks”").click()
    expect(page.locator("#chat .is-task")).to_contain_text("Procedure asks ·")
    question = page.locator("#chat .is-question").last
    expect(question.get_by_role("button", name="Try again")).to_be_visible(timeout=STEP)
    expect(question).to_contain_text("What should happen next?")
    expect(question).not_to_contain_text("Answer")
    expect(page.locator("#state")).to_contain_text("Step 1 of 2")
    box = page.locator("#box")
    expect(box).to_have_attribute("placeholder", "Try again or Skip step, or take over")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    keep(page, "phone-procedure-asks")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    keep(page, "desktop-procedure-asks")
    box.fill("look around")
    box.press("Enter")
    refusal = "“look around” is not one of the answers. Step 1 of 2: Expected"
    expect(question).to_contain_text(refusal, timeout=STEP)
    page.locator("#stop").click()
    expect(page.locator("body")).to_have_attribute("data-status", "stopped")
    expect(question.get_by_role("button", name="Skip step")).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    expect(question.get_by_role("button", name="Skip step")).to_be_visible()
    page.locator("#stop").click()
    expect(page.locator("body")).to_have_attribute("data-status", "stopped")
    page.get_by_role("button", name="Procedures").click()
    chooser = page.get_by_role("dialog", name="Run a procedure")
    expect(chooser).to_contain_text("This ends the unfinished task.")
    chooser.get_by_role("button", name="Run “asks”").click()
    expect(page.locator("#chat .is-task")).to_have_count(2)
    question.get_by_role("button", name="Skip step").click(timeout=STEP)
    done = page.locator("#chat .is-done").last
    expect(done).to_contain_text("Step 1 was skipped.", timeout=STEP)
    expect(done.get_by_role("heading")).to_contain_text("Partly done")
    expect(page.locator("#state")).not_to_contain_text("tep")
    expect(done.get_by_role("button", name="Run again")).to_be_visible()
    expect(done.get_by_role("button", name="Save as procedure")).to_have_count(0)
    expect(page.locator("#chat .number")).to_have_count(0)
    page.get_by_role("tab", name="History").click()
    expect(page.locator("#panel-history .task").first).to_contain_text("procedure ·")
    expect(page.locator("#panel-history .task").first).not_to_contain_text("step")
    page.get_by_role("tab", name="Chat").click()
    reset(page)
    page.context.close()


def test_the_steps_of_a_procedure_are_tried_and_changed(
    browser: Browser, demo: str, tmp_path: Path
) -> None:
    faults: list[str] = []
    page = without_procedures(browser, demo, PHONE, faults)
    import_file(page, tmp_path, ENDLESS)
    page.get_by_role("button", name="Edit “endless”").click()
    only_waits = page.get_by_role("dialog", name="Edit procedure")
    expect(only_waits.get_by_label("Wait for text")).to_have_value("This is never shown")
    expect(only_waits.get_by_role("listitem").first).to_contain_text("1. Wait")
    page.keyboard.press("Escape")
    expected = "text: one}\n  expect: {text: One, at: [0.1, 0.2, 0.3, 0.4]}"
    saved = f"Save, button: true, picture: {base64.b64encode(picture()).decode()}"
    notes = NOTES.replace("Notepad", saved).replace("text: one}", expected)
    import_file(page, tmp_path, notes)
    edit = page.get_by_role("button", name="Edit “notes”")
    edit.click()
    dialog = page.get_by_role("dialog", name="Edit procedure")
    steps = dialog.get_by_role("listitem")
    for text in ("Sav", "Save"):
        steps.first.get_by_label("Wait for text").fill(text)
        recorded = steps.first.get_by_role("img", name="Picture")
        expect(recorded).to_be_visible(visible=text == "Save")
    stops: list[str] = []
    page.on("request", lambda sent: stops.append(sent.url) if "stop" in sent.url else None)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # the first has only closed the dialog
    expect(dialog).to_be_hidden()  # nothing is changed
    edit.click()
    page.get_by_role("button", name="Delete step 3").click()
    page.keyboard.press("Escape")
    discard = dialog.get_by_role("button", name="Discard changes?")
    expect(discard).to_be_focused()
    keep(page, "phone-procedure-discard")
    discard.click()
    expect(dialog).to_be_hidden()
    edit.click()
    expect(steps).to_have_count(3)
    page.set_viewport_size({"width": PHONE[0], "height": 480})
    fault = dialog.locator(".field:has(:focus) + .error")
    wait = steps.first.get_by_label("Wait for text")
    for button in ("Save", "Find step 1 on the screen"):
        wait.fill("")
        dialog.get_by_role("button", name=button, exact=True).click()
        expect(wait).to_be_focused()
        expect(fault).to_have_text("Enter the text to look for on the screen.")
        expect(fault).to_be_in_viewport(ratio=1)
        keep(page, "phone-procedure-no-sign")
        wait.fill("Notepad")
        expect(fault).to_be_hidden()
    longer = "There is “Notepad”. A sign is a whole line."
    for text, result in (("Notepad", "Found here."), ("note", longer), ("Notepad 9", "Not found")):
        steps.first.get_by_label("Wait for text").fill(text)
        expect(steps.first.locator(".found")).to_be_hidden()
        page.get_by_role("button", name="Find step 1 on the screen").click()
        expect(steps.first.get_by_role("status")).to_contain_text(result, timeout=STEP)
        expect(steps.first.locator(".found")).to_be_in_viewport(ratio=1)
        keep(page, "phone-procedure-found")
        dialog.evaluate("node => node.scrollTo(0, 0)")
        expect(dialog).to_have_css("clip-path", "inset(0px round 16px)")  # its scrollbar too
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    expect(steps.last).to_contain_text("3. Loop or condition: 1 step")
    screen = steps.first.locator(".found div")
    screen.scroll_into_view_if_needed()
    for part in (EMPTY, NETWORK):
        box = screen.bounding_box()
        assert box
        corners = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in part]
        page.mouse.move(*corners[0])
        page.mouse.down()
        page.mouse.move(*corners[1])
        keep(page, "phone-procedure-box")
        page.mouse.up()
        if part == EMPTY:
            unique = steps.first.locator(".found > div + .error")
            expect(unique).to_contain_text("Nothing there is unique", timeout=STEP)
            expect(unique).to_be_in_viewport(ratio=1)
            expect(screen).to_be_in_viewport(ratio=1)
            keep(page, "phone-procedure-not-unique")
    expect(steps.first.get_by_label("Wait for text")).to_have_value("Network", timeout=STEP)
    expect(steps.first.get_by_role("status")).to_contain_text("Found here.", timeout=STEP)
    keep(page, "phone-procedure-editor")
    steps.nth(1).get_by_label("Text", exact=True).fill("{word}")
    steps.nth(1).get_by_label("Then expect").fill("Two")
    dialog.get_by_label("Name", exact=True).fill("endless")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Each run will ask for “word”.")
    expect(dialog.get_by_label("Default of “word”")).to_be_focused()
    page.keyboard.type("two")
    keep(page, "phone-procedure-default")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(fault).to_contain_text("“endless” exists already")
    name = dialog.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    keep(page, "phone-procedure-name-exists")
    up = page.get_by_role("button", name="Move step 3 up")
    page.set_viewport_size({"width": PHONE[0], "height": 600})  # low enough to be scrolled
    up.scroll_into_view_if_needed()
    at = up.bounding_box()
    assert at
    page.evaluate(WATCH_IMAGES)
    for _ in range(2):  # in the same place
        page.mouse.click(at["x"] + 9, at["y"] + 9)
    assert page.evaluate("loaded") == [True, True], "their height would move what is below"
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    expect(steps.first).to_contain_text("1. Loop or condition: 1 step")
    for n in (1, 2):
        page.get_by_role("button", name=f"Move step {n} down").click()
    page.get_by_role("button", name="Move step 1 down").click()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Move step 3 up")).to_be_focused()  # it is the last
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Move step 2 up")).to_be_focused()
    page.get_by_role("button", name="Delete step 3").click()
    expect(page.get_by_role("button", name="Delete step 2")).to_be_focused()
    name.fill(" ")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(fault).to_have_text("Enter a name.")
    name.fill("two notes")
    expect(fault).to_be_hidden()
    steps.nth(1).get_by_label("Wait for text").fill("Notepad")
    assert axe(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
    expect(steps).to_have_count(0)
    expect(page.locator("#composer-note")).to_have_text("Saved.")
    expect(edit).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export “two notes”").click()
    made = read(download.value.path().read_text())
    assert made.parameters == {"word": "two"}
    first, second = made.steps
    assert isinstance(first, Step)
    assert isinstance(second, Step)
    assert first.do == (Type(text="{word}"),)
    assert first.expect == Sign(text="Two"), "wherever it is"
    assert second.when == Sign(text="Notepad"), "put back, without the place of the box"
    assert [each for each in stops if each.endswith("/api/stop")] == []
    assert [each for each in faults if "422" not in each] == [], "the name that exists"
    page.context.close()


@pytest.mark.slow
def test_what_the_model_did_is_added_to_the_procedure(
    browser: Browser, demo: str, tmp_path: Path
) -> None:
    faults: list[str] = []
    page = without_procedures(browser, demo, DESKTOP, faults)
    import_file(page, tmp_path, LEFT)
    for acts in ("clicks", "replays what the model clicked"):
        page.get_by_role("button", name="Run “left”").click()
        card = page.locator("#chat .is-done").last
        expect(card).to_be_visible(timeout=TASK)
        offer = card.get_by_role("button", name="Add these steps to the procedure")
        if acts == "clicks":
            keep(page, "desktop-procedure-extend")
            offer.click()
            expect(card.get_by_role("button", name="Steps added")).to_be_visible(timeout=STEP)
            reset(page)
    expect(card).to_contain_text(DONE)
    expect(offer).to_be_hidden()
    reset(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export “left”").click()
    made = read(download.value.path().read_text())
    assert isinstance(made.steps[0], Step)
    assert isinstance(step := made.alternatives[0][0], Step)
    assert made.steps[0].otherwise == step.name
    assert step.when
    assert step.when.text == "Files"
    assert faults == []
    page.context.close()


def test_leaving_the_page_asks_before_a_recording_is_lost_and_one_of_nothing_is_not_saved(
    browser: Browser, demo: str
) -> None:
    page = without_procedures(browser, demo, PHONE, [])
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Take over").click()
    record = page.get_by_role("button", name="Record", exact=True)
    keybar = page.locator(".keybar")
    expect(keybar.filter(has=record)).to_have_count(0)  # it is no key
    place = keybar.bounding_box()
    record.click()
    stop = page.get_by_role("button", name="Finish", exact=True)
    expect(stop).to_be_visible()
    assert keybar.bounding_box() == place, "the keys stay where they are"
    page.locator(".keybar > :last-child").scroll_into_view_if_needed()
    expect(stop).to_be_in_viewport(ratio=1)
    keep(page, "phone-recording")
    stop.click()
    expect(page.locator("#control-bar")).to_contain_text("Nothing was recorded.")
    keep(page, "phone-nothing-recorded")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    record.click()
    expect(stop).to_be_visible()
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    page.keyboard.press("F2")
    stop.click()
    form = page.get_by_role("dialog", name="Save what you did")
    expect(form).to_contain_text("Repeats these actions without a model.")
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    form.get_by_role("button", name="Cancel").dblclick()
    with page.expect_response("**/record/discard"):
        form.get_by_role("button", name="Discard the recording?").click()
    expect(form).to_be_hidden()
    assert page.evaluate(SAVE_RECORDING) == "Nothing is recorded."
    page.get_by_role("button", name="Hand back").click()
    page.reload()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    assert asked == ["beforeunload"] * 2
    page.context.close()


@pytest.mark.slow
def test_what_the_person_does_by_hand_becomes_a_procedure(browser: Browser, demo: str) -> None:
    faults: list[str] = []
    page = without_procedures(browser, demo, DESKTOP, faults)
    page.get_by_role("button", name="Take over").click()
    page.get_by_role("button", name="Record", exact=True).click()
    screen = page.locator(".input-overlay")
    box = screen.bounding_box()
    assert box
    for x, y, way in ((0.052, 0.056, "dblclick"), (0.4, 0.5, "click")):
        at = box["x"] + box["width"] * x, box["y"] + box["height"] * y
        page.mouse.move(*at, steps=10)  # as a hand does it
        page.wait_for_timeout(1000)
        getattr(page.mouse, way)(*at)
        expect(page.locator("body")).to_have_attribute("data-waiting", "0")
        page.wait_for_timeout(2000)
    page.keyboard.type("hi to you", delay=20)
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    keep(page, "desktop-record")
    page.get_by_role("button", name="Finish", exact=True).click()
    form = page.get_by_role("dialog", name="Save what you did")
    expect(form).to_contain_text("Typed text “hi to you”: name")
    page.keyboard.press("Escape")
    expect(form.get_by_role("button", name="Discard the recording?")).to_be_focused()
    form.get_by_label("Name", exact=True).fill("open notepad")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden(timeout=STEP)
    expect(page.locator("#composer-note")).to_contain_text("Saved: see “Procedures”")
    page.get_by_role("button", name="Hand back").click()
    row = page.get_by_role("button", name="Run “open notepad”")
    expect(row).to_be_visible()
    keep(page, "desktop-recorded")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export “open notepad”").click()
    recorded = read(download.value.path().read_text())
    assert recorded.goal == ""  # its name is its task, also once it is renamed
    assert isinstance(step := recorded.steps[0], Step)
    assert step.when
    assert step.when.text == "Notepad"
    with page.expect_response("**/api/restart-simulator"):
        page.locator("#restart").dblclick()
    row.click()
    expect(page.locator("#chat .is-done").last).to_contain_text(DONE, timeout=TASK)
    keep(page, "desktop-record-done")
    reset(page)
    assert faults == []
    page.context.close()


@pytest.mark.slow
def test_a_task_that_is_done_is_done_again_without_a_model(browser: Browser, demo: str) -> None:
    faults: list[str] = []
    page = without_procedures(browser, demo, PHONE, faults)
    page.locator("#box").fill('open "Files"')
    page.locator("#send").click()
    card = page.locator("#chat .is-done").last
    expect(card).to_be_visible(timeout=TASK)
    card.get_by_role("button", name="Save as procedure").click()
    form = page.get_by_role("dialog", name="Save as procedure")
    form.get_by_label("Name", exact=True).fill("files")
    keep(page, "phone-procedure-form")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_have_text("Reading screenshot 1 of 1…")
    keep(page, "phone-procedure-reading")
    expect(form).to_be_hidden(timeout=STEP)
    expect(card.get_by_role("button", name="Run “files”")).to_be_visible()
    expect(page.locator("#composer-note")).to_contain_text("Saved: see “Procedures”")
    keep(page, "phone-procedure-saved")
    reset(page)
    with page.expect_response("**/api/restart-simulator"):
        page.locator("#restart").dblclick()
    page.get_by_role("button", name="Edit “files”").click()
    page.get_by_role("button", name="Save and run from step 1").click()
    expect(page.locator("#chat .is-done").last).to_contain_text(DONE, timeout=TASK)
    keep(page, "phone-procedure-done")
    assert faults == []
    page.context.close()
