"""No gated action without a yes to exactly it: the questions, their answers, and what lapses."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.safety.approval import Approvals, Policy
from cua.safety.rules import ScreenEvidence
from cua.settings.word_list import patterns
from cua.types import (
    ApprovalTimeout,
    Busy,
    Click,
    Done,
    Frame,
    InputAction,
    Keypress,
    ParsedReply,
    Point,
    Refusal,
    Reply,
    Step,
)
from tests.support.devices import Halting, interpret
from tests.support.fakes import ScriptedModel
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until


class Gated(ScriptedSession):
    """A session behind the gate; `evidence` is read around and on each target."""

    evidence = ScreenEvidence()

    def __init__(self, *replies: str, policy: Policy = Policy(), timeout_s: float = 60) -> None:  # noqa: B008
        super().__init__(*replies)
        self.approvals = Approvals(self.log, lambda: policy, timeout_s=timeout_s, read=self.read)
        self.gate = self.approvals
        self.inputs = HidInputs(self.device, on_performed=self.approvals.note_performed)

    async def read(self, _frame: Frame, _action: InputAction) -> ScreenEvidence:
        return self.evidence

    async def asked(self, count: int = 1) -> dict[str, Any]:
        await until(lambda: len(self.facts("approval")) >= count)
        return self.facts("approval")[-1]

    def say(self, question: dict[str, Any], *, allow: bool, reason: str = "") -> None:
        self.approvals.answer(question["id"], question["digest"], allow=allow, reason=reason)

    @property
    def typed(self) -> str:
        return interpret(self.device.reports).text


async def test_nothing_is_typed_before_approval_and_all_of_it_after() -> None:
    scripted = Gated("typestr rm -rf build", "Done")
    await scripted.session.send("clean up")
    question = await scripted.asked()
    assert scripted.device.reports == []
    assert question["words"] == "Type “rm -rf build”"
    assert question["rule"] == "deletes"
    assert question["seconds"] == 60
    scripted.say(question, allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.typed == "rm -rf build"
    assert [each["answer"] for each in scripted.facts("answered")] == ["allowed"]


async def test_the_question_and_the_record_name_what_was_read_on_the_target() -> None:
    scripted = Gated("# I press Delete.\nmouse 0.5 0.5 1", "Done")
    scripted.evidence = ScreenEvidence("Delete 3 files permanently?", label="Delete")
    await scripted.session.send("clean up")
    question = await scripted.asked()
    assert question["label"] == "Delete"
    assert question["brief"] == "Click “Delete”"
    scripted.say(question, allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert [each["label"] for each in scripted.facts("acting")] == ["Delete"]
    assert [each["brief"] for each in scripted.facts("acting")] == ["Click “Delete”"]


async def test_a_question_shows_the_screen_of_now_and_what_was_clicked_last() -> None:
    """Not the screen before the click; nothing once a key may have moved the focus."""
    scripted = Gated(
        "mouse 0.5 0.5 1\nkeyboard CTRL+A\ntypestr sudo ls", "keyboard TAB\ntypestr sudo id", "Done"
    )
    scripted.evidence = ScreenEvidence(label="Search")
    seen: list[Frame] = []

    async def look() -> Frame:
        assert scripted.inputs.last_report_at > 0
        seen.append(Frame(b"now", 1024, 768, 70 + len(seen), 0.0))
        return seen[-1]

    policy = Policy(ask=patterns("sudo"))
    scripted.gate = Approvals(scripted.log, lambda: policy, read=scripted.read, look=look)
    scripted.inputs = HidInputs(scripted.device, on_performed=scripted.gate.note_performed)
    scripted.approvals = scripted.gate
    await scripted.session.send("look")
    question = await scripted.asked()
    assert (question["frame"], question["width"], question["height"]) == (70, 1024, 768)
    assert scripted.log.in_memory_since(0)[-1].picture == b"now"
    assert question["after"] == "After the click on “Search”."
    scripted.say(question, allow=True)
    assert (await scripted.asked(2))["after"] == ""
    await scripted.session.pause()


async def test_what_the_model_says_needs_approval_whatever_is_read_on_the_target() -> None:
    scripted = Gated("# I press Delete.\nmouse 0.5 0.5 1", "Done")
    scripted.evidence = ScreenEvidence("Delete 3 files permanently?", label="Cancel")
    await scripted.session.send("clean up")
    assert (await scripted.asked())["label"] == "Cancel"
    await scripted.session.pause()


@pytest.mark.parametrize(("label", "asks"), [("Replace", True), ("Cancel", False)])
@pytest.mark.parametrize("action", [Click(at=Point(x=0.5, y=0.5)), Keypress(keys=("SPACE",))])
async def test_the_label_that_a_model_read_itself_is_judged(
    action: InputAction, label: str, asks: bool
) -> None:
    reply = ParsedReply("It is in the middle.", (action,), label=label)
    step = Step(1, "", Frame(b"", 1280, 720, 1, 0.0), parsed=reply)
    answer = await Approvals(EventLog(), Policy, timeout_s=0.01).admit(step, action)
    assert isinstance(answer, ApprovalTimeout) == asks


async def test_only_the_enter_right_after_an_approved_line_is_approved_with_it() -> None:
    scripted = Gated("typestr rm -rf build\nkeyboard ENTER", "Done")
    await scripted.session.send("clean up")
    scripted.say(await scripted.asked(), allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.typed == "rm -rf build\n"
    scripted = Gated("typestr rm -rf build", "keyboard BACKSPACE", "keyboard ENTER", "Done")
    await scripted.session.send("clean up")
    scripted.say(await scripted.asked(), allow=True)
    second = await scripted.asked(2)
    assert second["words"] == "Press Backspace"
    assert scripted.typed == "rm -rf build"


@pytest.mark.parametrize(
    ("before", "between", "asked"),
    [
        ([], [], 1),
        ([], ["sleep 0"], 1),
        (["keyboard DOWN", "mouse 0.5 0.5 1"], [], 1),
        (["keyboard UP"], ["sleep 0"], 1),
        (["keyboard UP"], ["mouse 0.5 0.5 1"], 2),
        ([], ["keyboard CTRL+U"], 2),
        (["typestr rm -rf a", "keyboard CTRL+W"], [], 3),
    ],
)
async def test_a_text_and_its_enter_are_one_question_unless_something_may_change_the_line(
    before: list[str], between: list[str], asked: int
) -> None:
    """The first question says what is not known of the line."""
    scripted = Gated(*before, "typestr rm -rf build", *between, "keyboard ENTER", "Done")
    await scripted.session.send("clean up")
    for count in range(1, asked + 1):
        scripted.say(await scripted.asked(count), allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert len(scripted.facts("approval")) == asked
    first = scripted.facts("approval")[0]["why"]
    assert ("The line may contain more" in first) == bool(
        {"keyboard UP", "keyboard DOWN"} & {*before}
    )


async def test_the_enter_after_input_from_elsewhere_needs_approval() -> None:
    scripted = Gated("typestr rm -rf build", "Done", "keyboard ENTER", "Done")
    await scripted.session.send("clean up")
    scripted.say(await scripted.asked(), allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    scripted.approvals.leave_line()
    await scripted.session.send("go on")
    assert (await scripted.asked(2))["words"] == "Press Enter"
    await scripted.session.pause()


async def test_the_enter_after_a_partly_typed_approved_line_needs_approval() -> None:
    scripted = Gated("typestr rm -rf /srv/old", "keyboard ENTER", "Done")
    scripted.device = device = Halting(most=2 * len("rm -rf /srv"))
    scripted.inputs = HidInputs(device, on_performed=scripted.approvals.note_performed)
    await scripted.session.send("clean up")
    scripted.say(await scripted.asked(), allow=True)
    await device.full.wait()
    await scripted.session.pause()
    assert scripted.typed == "rm -rf /srv"
    device.most = 1000
    await scripted.session.send("")
    assert (await scripted.asked(2))["words"] == "Press Enter"
    assert scripted.typed == "rm -rf /srv"
    await scripted.session.pause()


async def test_approved_text_that_was_not_typed_does_not_hide_what_is_typed() -> None:
    scripted = Gated("typestr ls -la", "typestr rm -rf build", "Done")
    scripted.device = device = Halting(most=0)
    scripted.inputs = HidInputs(device, on_performed=scripted.approvals.note_performed)
    await scripted.session.send("look")
    await device.full.wait()
    await scripted.session.pause()
    device.most = 1000
    await scripted.session.send("")
    assert (await scripted.asked())["rule"] == "deletes"
    await scripted.session.pause()


@pytest.mark.parametrize("is_another", [False, True])
async def test_half_a_line_does_not_go_on_at_another_computer(is_another: bool) -> None:
    scripted = Gated("typestr r", "Done", "typestr m -rf build", "Done")
    await scripted.session.send("begin")
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    if is_another:
        scripted.approvals.forget()
    await scripted.session.send("go on")
    if not is_another:
        scripted.say(await scripted.asked(), allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.typed == "rm -rf build"
    assert len(scripted.facts("approval")) == (0 if is_another else 1)


async def test_a_refusal_is_told_with_its_reason_and_the_rest_is_not_executed() -> None:
    scripted = Gated("keyboard ALT+F4\ntypestr x", "Done")
    await scripted.session.send("go")
    question = await scripted.asked()
    assert question["after"] == "Then: Type “x”."
    scripted.say(question, allow=False, reason="Save the file first.")
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.device.reports == []
    assert "Not carried out. Refused: “Save the file first”." in scripted.model.request_text()
    assert scripted.session.task
    assert scripted.session.task.steps[0].outcome
    assert scripted.session.task.steps[0].outcome.reason == "Save the file first."
    assert [each["refused"] for each in scripted.facts("done")] == [True]
    assert scripted.session.task_status == "partly"


class Knowing(ScriptedModel):
    """Says itself whether its task is done without what was refused."""

    async def complete(self, messages: Any, schema: Any = None) -> Reply:
        reply = await super().complete(messages, schema)
        if reply.text != "Done":
            return reply
        return replace(reply, parsed=ParsedReply("", (Done(refused=False),)))


async def test_a_task_with_something_else_done_instead_of_what_was_refused_is_done() -> None:
    scripted = Gated()
    scripted.model = Knowing("typestr rm a.txt", "typestr date", "Done")
    await scripted.session.send("go")
    scripted.say(await scripted.asked(), allow=False)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert [each["refused"] for each in scripted.facts("done")] == [False]
    assert (scripted.session.task_status, scripted.typed) == ("done", "date")


async def test_a_click_of_an_earlier_task_says_nothing_about_where_keys_go() -> None:
    policy = Policy(ask=patterns("sudo"))
    scripted = Gated("mouse 0.5 0.5 1", "Done", "typestr sudo ls", "Done", policy=policy)
    scripted.evidence = ScreenEvidence(label="Search")
    scripted.session.on_begin = scripted.approvals.forget_click
    assert await scripted.run() == "done"
    await scripted.session.send("list")
    question = await scripted.asked()
    assert question["after"] == ""
    scripted.say(question, allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)


async def test_what_is_allowed_after_a_refusal_is_not_left_out() -> None:
    scripted = Gated("keyboard ALT+F4", "keyboard CTRL+S", "keyboard ALT+F4", "Done")
    await scripted.session.send("go")
    scripted.say(await scripted.asked(), allow=False, reason="Save the file first.")
    scripted.say(await scripted.asked(2), allow=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert [each["refused"] for each in scripted.facts("done")] == [False]
    assert scripted.session.task_status == "done"


async def test_the_model_is_told_which_action_was_refused() -> None:
    scripted = Gated("typestr x\nkeyboard ALT+F4", "Done")
    await scripted.session.send("go")
    scripted.say(await scripted.asked(), allow=False)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert (
        "Actions from number 2 of 2 on were not executed. Refused." in scripted.model.request_text()
    )


async def test_without_an_answer_the_run_pauses_and_the_action_is_not_executed() -> None:
    scripted = Gated("keyboard ALT+F4", "Done", timeout_s=0.05)
    assert await scripted.run() == "paused"
    assert scripted.device.reports == []
    with pytest.raises(Busy, match="no longer open"):
        scripted.say(scripted.facts("approval")[0], allow=True)
    assert await scripted.run("") == "done"
    assert "Not approved within" in scripted.model.request_text()


async def test_a_pause_withdraws_the_question() -> None:
    scripted = Gated("keyboard ALT+F4", "Done")
    await scripted.session.send("go")
    question = await scripted.asked()
    await scripted.session.pause()
    assert scripted.facts("answered")[-1]["answer"] == "withdrawn"
    assert scripted.session.status == "paused"
    with pytest.raises(Busy):
        scripted.say(question, allow=True)
    assert scripted.device.reports == []


async def test_only_an_answer_to_exactly_the_open_question_counts() -> None:
    scripted = Gated("keyboard ALT+F4\nkeyboard ALT+F4", "Done")
    await scripted.session.send("go")
    first = await scripted.asked()
    for wrong in ({"id": first["id"] + 1}, {"digest": "0" * 64}):
        with pytest.raises(Busy):
            scripted.say({**first, **wrong}, allow=True)
    scripted.say(first, allow=True)
    second = await scripted.asked(2)
    assert second["digest"] != first["digest"]
    with pytest.raises(Busy):
        scripted.say(first, allow=True)
    before = len(scripted.device.reports)
    await asyncio.sleep(0.05)
    assert len(scripted.device.reports) == before


async def test_the_mode_always_asks_about_everything_but_waiting_and_never_asks_nothing() -> None:
    scripted = Gated("sleep 0\nmouse 0.5 0.5 0", policy=Policy("always"))
    await scripted.session.send("go")
    assert "Move the pointer" in (await scripted.asked())["words"]
    await scripted.session.pause()
    scripted = Gated("keyboard ALT+F4\ntypestr rm -rf x", "Done", policy=Policy("never"))
    assert await scripted.run() == "done"
    assert scripted.facts("approval") == []


async def test_the_users_word_lists_ask_and_let_pass() -> None:
    policy = Policy("risk", patterns("production\n/deploy-\\d+/"), patterns("rm -rf build\nALT+F4"))
    scripted = Gated("typestr rm -rf build\nkeyboard ALT+F4", "typestr ./deploy-17", policy=policy)
    await scripted.session.send("go")
    question = await scripted.asked()
    assert question["rule"] == "your list"
    assert scripted.typed == "rm -rf build"
    await scripted.session.pause()


@pytest.mark.parametrize(
    ("answer", "stopped", "recorded"),
    [
        ("no reply", ApprovalTimeout, "lapsed"),
        (None, ApprovalTimeout, "lapsed"),
        (False, Refusal, "refused"),
        (True, type(None), "allowed"),
    ],
)
async def test_without_a_page_only_a_yes_from_another_client_allows_an_action(
    answer: bool | str | None, stopped: type, recorded: str
) -> None:
    async def ask(words: str) -> bool | None:
        if isinstance(answer, str):
            await asyncio.Event().wait()
        return bool(answer) if answer is not None else None

    log = EventLog()
    gate = Approvals(log, Policy, timeout_s=0.05)
    gate.has_page = False
    gate.ask_externally = ask
    step = Step(1, "", Frame(b"", 1280, 720, 1, 0.0))
    step.parsed = ParsedReply("I press Delete.", (Click(),))
    assert isinstance(await gate.admit(step, Click()), stopped)
    asked, answered = [each.data for each in log.in_memory_since(0)]
    assert asked["seconds"] == 0
    assert answered["answer"] == recorded


async def test_what_the_provider_flags_needs_approval_even_with_mode_never() -> None:
    log = EventLog()
    gate = Approvals(log, lambda: Policy("never"), timeout_s=0.01)
    step = Step(1, "", Frame(b"", 1280, 720, 1, 0.0))
    step.parsed = ParsedReply("", (Click(),), caution="This is a bank.")
    stopped = await gate.admit(step, Click())
    assert stopped is not None
    why = log.in_memory_since(0)[0].data["why"]
    assert why == "The model provider requires confirmation: This is a bank."


async def test_a_question_is_open_for_two_minutes_also_if_nothing_reads_the_screen() -> None:
    log = EventLog()
    gate = Approvals(log, Policy)
    step = Step(1, "", Frame(b"", 1280, 720, 1, 0.0))
    step.parsed = ParsedReply("I press Delete.", (Click(),))
    asking = asyncio.create_task(gate.admit(step, Click()))
    await until(lambda: bool(log.in_memory_since(0)))
    assert log.in_memory_since(0)[0].data["seconds"] == 120
    asking.cancel()
    await asyncio.wait([asking])
