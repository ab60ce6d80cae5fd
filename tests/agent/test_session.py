"""The loop and its session: what ends a run, what interrupts it, what the model is told of it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from cua import types
from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions
from cua.agent.feedback import add_feedback
from cua.agent.session import NewTask
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.models.local.task_history import find_meaning
from cua.types import (
    Busy,
    ChatMessage,
    Done,
    Frame,
    Model,
    ModelError,
    Outcome,
    OutcomeKind,
    Reply,
    Step,
    Task,
    Usage,
)
from tests.support.devices import Halting, interpret
from tests.support.fakes import ScriptedModel
from tests.support.scripted_session import BARE, ScriptedSession, SlowlyCancelled
from tests.support.waiting import until


async def test_a_task_runs_to_done() -> None:
    scripted = ScriptedSession("# I see it\nmouse 0.5 0.5 1", "typestr hi  there", "Done")
    assert await scripted.run("greet") == "done"
    assert isinstance(scripted.session.ending, Done)
    result = interpret(scripted.device.reports)
    assert result.text == "hi  there"
    assert [(p.x, p.y) for p in result.presses] == [(640, 360)]
    assert len(scripted.model.requests) == 3


async def test_every_step_is_in_the_log_in_order() -> None:
    scripted = ScriptedSession("keyboard ENTER", "Done")
    await scripted.run()
    step = ["phase", "frame", "phase", "reply", "phase"]
    assert await scripted.kinds() == [
        *("task", "status"), *step, "acting", "step", "phase", *step, "step", "done", "status"
    ]  # fmt: skip
    phases = [each["phase"] for each in scripted.facts("phase")]
    looked = ["looking", "thinking", "acting"]
    assert phases == [*looked, "settling", *looked]
    ended = [each["step"] for each in scripted.facts("step")]
    assert ended == [1, 2]
    took = [
        event.data.get("waited", event.data.get("seconds", 0))
        for event in scripted.log.in_memory_since(0)
    ]
    assert max(took) < 10
    thought = [each["seconds"] for each in scripted.facts("reply")]
    assert 0.5 not in thought, "it is measured here, with the waits before retries"


async def test_max_rounds_ends_in_a_pause_that_can_be_resumed() -> None:
    scripted = ScriptedSession(*["# half is done\nkeyboard TAB"] * 3, "Done", max_rounds=3)
    assert await scripted.run() == "paused"
    (noted,) = [each["text"] for each in scripted.facts("log")]
    assert "half is done" in noted
    assert await scripted.run("") == "done"


async def test_that_a_cost_has_no_price_is_said_once_also_after_a_limit() -> None:
    scripted = ScriptedSession(*["sleep 0"] * 2, "Done")
    scripted.budget = Budget(rounds=2, money=1.0)
    assert await scripted.run() == "paused"
    assert await scripted.run("") == "done"
    (noted,) = [each["text"] for each in scripted.facts("log") if each["level"] == "warning"]
    assert "Both prices are 0" in noted


async def test_replies_of_a_failed_request_count() -> None:
    scripted = ScriptedSession("empty", "Done")
    scripted.budget = Budget(tokens=12, price_in=1000.0)
    assert await scripted.run() == "failed"
    (failed,) = scripted.facts("failed")
    assert (failed["tokens"], failed["cost"]) == (12, 0.01)
    assert await scripted.run("") == "paused", "the limit is reached"


async def test_a_question_waits_for_the_answer() -> None:
    """Or without it, of which the model is told."""
    unanswered = "The person went on without an answer."
    scripted = ScriptedSession("# two of them\n$ Which one?", "Done", "$ Which one?", "Done")
    assert await scripted.run() == "asking"
    (asked,) = [each["text"] for each in scripted.facts("question")]
    assert asked == "Which one?"
    assert await scripted.run("the left one") == "done"
    told = scripted.model.request_text()
    assert "The person says: the left one" in told
    assert unanswered not in told
    assert await scripted.run("ask me") == "asking"
    assert await scripted.run("") == "done"
    assert f"Question asked.\n{unanswered}" in scripted.model.request_text()


async def test_an_action_that_fails_is_reported_and_the_rest_is_not_executed() -> None:
    scripted = ScriptedSession(
        "drag 0 0 0.5 0.5\ntypestr x", "mouse 0.1 0.1 0\ndrag 0 0 0.5 0.5", "Done"
    )
    assert await scripted.run() == "done"
    first = scripted.facts("step")[0]
    assert "Not carried out. The position of the pointer is not known" in first["outcome"]
    begun = [each["phase"] for each in scripted.facts("phase") if each["step"] == 2]
    assert begun[0] == "looking", "nothing was done that could have an effect"
    result = interpret(scripted.device.reports)
    assert result.text == ""
    assert [(p.x, p.y) for p in result.presses] == [(128, 72)]


async def test_a_reply_that_cannot_be_parsed_is_reported_and_retried() -> None:
    scripted = ScriptedSession("mouse 640 360 1", "Done")
    assert await scripted.run() == "done"
    assert "Not understood, so nothing was done." in scripted.model.request_text()
    assert scripted.device.reports == []


async def test_three_format_errors_in_a_row_fail_the_run_which_can_resume() -> None:
    scripted = ScriptedSession("hm", "hm", "keyboard TAB", *["hm"] * 4, "Done")
    assert await scripted.run() == "failed"
    assert len(scripted.model.requests) == 6
    (failed,) = scripted.facts("failed")
    assert "The model said" not in failed["text"], "the steps have the replies"
    assert failed["setting"] == "dialect"
    assert await scripted.run("just say Done") == "done"


async def test_what_a_model_says_that_does_not_act_is_shown() -> None:
    scripted = ScriptedSession(*["I cannot help with that.\nIt is not safe to do."] * 3)
    assert await scripted.run() == "failed"
    thoughts = [each["thought"] for each in scripted.facts("reply")]
    assert thoughts == ["I cannot help with that.\nIt is not safe to do."] * 3
    (failed,) = scripted.facts("failed")
    assert str(failed["text"]).endswith("The model said: “I cannot help with that”.")


async def test_only_a_resume_after_a_limit_grants_another_budget() -> None:
    scripted = ScriptedSession("$ Which one?", *["sleep 0"] * 9, max_rounds=2)
    assert await scripted.run() == "asking"
    assert await scripted.run("the first") == "paused"
    assert len(scripted.model.requests) == 2
    assert await scripted.run("") == "paused"
    assert len(scripted.model.requests) == 4
    runs = [each for each in scripted.facts("status") if each["status"] == "running"]
    assert [each["max_rounds"] for each in runs] == [2, 1, 2]
    ends = [each["reason"] for each in scripted.facts("status") if each["status"] == "paused"]
    assert [str(each).partition(" (")[0] for each in ends] == [
        "The task is not done after 2 model replies",
        "The task is not done after another 2 model replies",
    ]


async def test_part_of_a_reply_is_never_executed() -> None:
    scripted = ScriptedSession("keyboard A\nfly 1 2", "Done")
    await scripted.run()
    assert scripted.device.reports == []


async def test_an_impossible_action_is_reported_and_nothing_of_the_reply_is_executed() -> None:
    scripted = ScriptedSession("keyboard B\nkeyboard VOLUME_UP", "Done")
    assert await scripted.run() == "done"
    assert "Nothing of this step was done." in scripted.model.request_text()
    assert scripted.device.reports == []


class ScriptedReplay(ScriptedModel):
    name = "log in as ann"
    handed_over_in = 0
    values: Mapping[str, str] = MappingProxyType({"user": "ann"})
    place: Mapping[str, int] = MappingProxyType({"number": 2, "count": 3})

    def stand_in_for(self, model: Model) -> Model:
        return self


@pytest.mark.parametrize("handed_over_in", [0, 1])
async def test_a_replay_works_on_its_task_in_place_of_the_model(handed_over_in: int) -> None:
    scripted, replay = ScriptedSession("Done"), ScriptedReplay("Done")
    replay.handed_over_in = handed_over_in
    assert await scripted.session.begin_next(lambda: NewTask("log in", replay=replay))
    with contextlib.nullcontext() if handed_over_in else pytest.raises(Busy):
        await scripted.session.send("a hint")
    assert len(scripted.facts("said")) == handed_over_in
    await scripted.session.wait_ended()
    assert len(replay.requests) == 1
    [begun] = scripted.facts("task")
    assert (begun["procedure"], begun["values"]) == (replay.name, {"user": "ann"})
    assert begun["place"] == {"number": 2, "count": 3}
    assert [each["handed_over"] for each in scripted.facts("done")] == [bool(handed_over_in)]
    assert await scripted.run() == "done"
    assert len(scripted.model.requests) == 1
    assert not scripted.facts("done")[-1]["handed_over"]


async def test_words_that_are_refused_leave_it_stopped() -> None:
    scripted, replay = ScriptedSession(), ScriptedReplay("hang")
    await scripted.session.begin_next(lambda: NewTask("log in", replay=replay))
    await until(lambda: bool(replay.requests))
    await scripted.session.stop()
    with pytest.raises(Busy, match="add hints"):
        await scripted.session.resume("a hint")
    assert scripted.status() == "stopped"
    with pytest.raises(Busy):
        await scripted.session.send("another")
    await scripted.session.send("log out", replay=ScriptedReplay("Done"), anew=True)
    await scripted.session.wait_ended()
    assert scripted.status() == "done"


async def test_errors_leave_the_task_resumable() -> None:
    scripted = ScriptedSession("keyboard A", "error", "Done")
    assert await scripted.run() == "failed"
    assert await scripted.run("") == "done"
    scripted = ScriptedSession("Done", "Done")
    assert await scripted.run() == "done"
    scripted.screen.broken = True
    assert await scripted.run() == "failed"
    assert scripted.session.ending is None
    scripted.screen.broken = False
    assert await scripted.run("") == "done"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("Fail no such file", "no such file"),
        ("Fail", "The model says that this cannot be done."),
        ("# I see no file.\nFail", "The model says that this cannot be done. I see no file."),
    ],
)
async def test_a_task_that_cannot_be_done_fails_with_the_reason(reply: str, words: str) -> None:
    scripted = ScriptedSession(reply)
    assert await scripted.run() == "failed"
    assert scripted.facts("failed") == [{"text": words}]
    assert scripted.facts("status")[-1]["reason"] == words


class Repeating(ScriptedModel):
    find_meaning = staticmethod(find_meaning)


async def test_other_words_for_the_last_task_are_recorded_as_what_they_mean() -> None:
    scripted = ScriptedSession()
    scripted.model = Repeating(*["Done"] * 5)
    for words in ("set dns server to 8.8.8.8", "use 1.1.1.1 instead"):
        assert await scripted.run(words) == "done"
    for task in (NewTask("use 9.9.9.9 instead"), NewTask("use 2.2.2.2", (), ScriptedReplay())):
        await scripted.session.begin_next(lambda task=task: task)  # type: ignore[misc]
        await scripted.session.wait_ended()
    _, second, third, procedure = scripted.facts("task")
    assert second["text"] == "set dns server to 1.1.1.1"
    assert (second["said"], second["instead"]) == ("use 1.1.1.1 instead", ["8.8.8.8", "1.1.1.1"])
    assert third["text"] == "set dns server to 9.9.9.9"
    assert "set dns server to 9.9.9.9" in scripted.model.request_text()
    assert procedure["text"] == "use 2.2.2.2"


class AskingForALine(ScriptedModel):
    """Does not understand a line of the task."""

    async def complete(self, messages: object, schema: object = None) -> Reply:
        ask = types.Ask(question="What?", replaces="hm")
        return Reply("", parsed=types.ParsedReply("", (ask,)))


async def test_an_answer_names_the_line_of_the_task_that_it_replaces() -> None:
    scripted = ScriptedSession()
    scripted.model = AskingForALine()
    assert await scripted.run("press tab\nhm") == "asking"
    await scripted.session.send("press esc")
    await scripted.session.wait_ended()
    assert scripted.facts("said") == [{"text": "press esc", "queued": False, "replaces": "hm"}]


class AskingForAnother(ScriptedModel):
    """Understands no task."""

    async def complete(self, messages: object, schema: object = None) -> Reply:
        return Reply("", parsed=types.ParsedReply("", (types.Ask(question="What?", anew=True),)))


@pytest.mark.parametrize("stopped", [False, True])
async def test_words_replace_a_task_that_was_not_understood(*, stopped: bool) -> None:
    scripted = ScriptedSession()
    scripted.model = AskingForAnother()
    assert await scripted.run("do the dishes") == "asking"
    scripted.model = ScriptedModel("keyboard F1", "Done")
    if stopped:
        await scripted.session.stop()
        await scripted.session.resume("press F1")
    else:
        await scripted.session.send("press F1")
    await scripted.session.wait_ended()
    assert scripted.status() == "done"
    assert [each["text"] for each in scripted.facts("task")] == ["do the dishes", "press F1"]
    assert scripted.facts("said") == []
    assert "do the dishes" not in scripted.model.request_text()


class Faulty(ScriptedModel):
    """A model whose client has a fault."""

    def __init__(self, fault: Exception) -> None:
        super().__init__()
        self.fault = fault

    async def complete(self, messages: object, schema: object = None) -> Reply:
        raise self.fault


@pytest.mark.parametrize("fault", [RuntimeError("odd"), asyncio.TimeoutError()])
async def test_an_unexpected_exception_fails_the_task_with_its_name(fault: Exception) -> None:
    scripted = ScriptedSession()
    scripted.model = Faulty(fault)
    assert await scripted.run() == "failed"
    (failed,) = [each["text"] for each in scripted.facts("failed")]
    assert type(fault).__name__ in failed
    scripted.model = ScriptedModel("Done")
    assert await scripted.run("") == "done"


async def test_an_error_names_the_setting_that_fixes_it() -> None:
    scripted = ScriptedSession()
    scripted.model = Faulty(ModelError("The key is wrong.", setting="api_key"))
    await scripted.run()
    (failed,) = scripted.facts("failed")
    assert failed == {"text": "The key is wrong.", "setting": "api_key"}
    assert scripted.facts("status")[-1]["setting"] == "api_key"


async def test_a_pause_cancels_a_model_call_and_the_model_is_told() -> None:
    scripted = ScriptedSession("keyboard A", "hang", "Done")
    await scripted.session.send("go")
    await until(lambda: len(scripted.model.requests) == 2)
    await scripted.session.pause("by you", "a page")
    assert scripted.facts("status") == [
        {"status": "running", "reason": "", "max_rounds": 10},
        {"status": "paused", "reason": "by you", "by": "a page"},
    ]
    assert await scripted.run("carefully") == "done"
    told = scripted.model.request_text()
    assert "Carried out." in told
    assert "You were interrupted before you answered." in told
    assert "The person says: carefully" in told


async def test_a_pause_while_typing_stops_between_two_reports_and_reports_the_progress() -> None:
    scripted = ScriptedSession("typestr " + "x" * 2000, "Done")
    await scripted.session.send("go")
    await until(lambda: len(scripted.device.reports) > 40)
    before = len(scripted.device.reports)
    await scripted.session.pause()
    assert len(scripted.device.reports) <= before + 2  # one under way, one release
    assert interpret(scripted.device.reports).down == []
    count = len(scripted.device.reports)
    await asyncio.sleep(0.05)
    assert len(scripted.device.reports) == count
    typed = len(interpret(scripted.device.reports).text)
    assert [each["count"] for each in scripted.facts("typed")] == [typed]
    assert scripted.facts("typed")[0]["text"] == f"{typed} of 2000 characters were typed."
    assert await scripted.run("") == "done"
    assert f"{typed} of its 2000 characters were typed" in scripted.model.request_text()


async def test_a_pause_at_the_last_character_is_reported_too() -> None:
    scripted = ScriptedSession("typestr ab", "typestr c", "Done")
    device = Halting(most=3)
    scripted.inputs = HidInputs(device)
    await scripted.session.send("go")
    await device.full.wait()
    await scripted.session.pause()
    device.most = 1000
    assert await scripted.run("") == "done"
    assert [each["text"] for each in scripted.facts("typed")] == ["2 of 2 characters were typed."]


async def test_manual_input_does_not_count_as_progress_of_the_model() -> None:
    scripted = ScriptedSession("typestr " + "x" * 2000, "Done")
    await scripted.session.send("go")
    await until(lambda: len(scripted.device.reports) > 40)
    await scripted.session.pause()
    typed = len(interpret(scripted.device.reports).text)
    await scripted.inputs.perform(types.Type(text="abc"))
    assert await scripted.run("") == "done"
    assert f"{typed} of its 2000 characters were typed" in scripted.model.request_text()


async def test_messages_during_a_run_go_with_the_next_screenshot() -> None:
    scripted = ScriptedSession("sleep 0.2", "Done")
    await scripted.session.send("go")
    await until(lambda: len(scripted.model.requests) == 1)
    await scripted.session.send("mind the gap")
    await scripted.session.wait_ended()
    assert "The person says: mind the gap" in scripted.model.request_text()
    assert scripted.facts("said") == [{"text": "mind the gap", "queued": True}]


@pytest.mark.parametrize(("ending", "word"), [("Done", "ended"), ("$ Which one?", "asked")])
async def test_messages_that_arrive_with_the_end_are_answered_first(ending: str, word: str) -> None:
    scripted = ScriptedSession()
    answer = asyncio.Event()

    class Slow(ScriptedModel):
        async def complete(self, messages: Sequence[ChatMessage], schema: Any = None) -> Reply:
            await answer.wait()
            return await super().complete(messages, schema)

    scripted.model = Slow(ending, "Done", "Done")
    await scripted.session.send("do it")
    await until(
        lambda: any(
            event.data.get("phase") == "thinking" for event in scripted.log.in_memory_since(0)
        )
    )
    await scripted.session.send("and then that")
    answer.set()
    await scripted.session.wait_ended()
    assert scripted.session.status == "done"
    assert "The person says: and then that" in scripted.model.request_text()
    assert scripted.model.request_text().startswith(f"Not {word}: a new message")
    assert [each["ok"] for each in scripted.facts("step")] == [True, True]
    assert await scripted.run("something else") == "done"
    assert "and then that" not in str(scripted.model.requests[-1])


async def test_a_run_starts_only_if_the_check_passes_at_that_moment() -> None:
    scripted, well = ScriptedSession(), True

    def check() -> None:
        if not well:
            raise Busy("No page is in sight.")

    scripted.session.check_attended = check
    scripted.model = model = SlowlyCancelled()
    await scripted.session.send("go")
    await model.asked.wait()
    pause = asyncio.create_task(scripted.session.pause())
    await model.going.wait()
    send = asyncio.create_task(scripted.session.send("on"))
    await asyncio.sleep(0)
    well = False
    model.may_go.set()
    await pause
    with pytest.raises(Busy, match="No page"):
        await send
    assert not scripted.session.is_busy
    await scripted.session.stop()
    with pytest.raises(Busy, match="No page"):
        await scripted.session.resume("on")
    assert not scripted.session.is_busy


async def test_a_reset_clears_the_session() -> None:
    scripted = ScriptedSession("hang", "Done")
    await scripted.session.send("first")
    await until(lambda: len(scripted.model.requests) == 1)
    await scripted.session.reset()
    assert scripted.session.status == "idle"
    assert await scripted.run("second") == "done"
    assert "first" not in str(scripted.model.requests[-1])


async def test_an_empty_task_is_refused() -> None:
    with pytest.raises(Busy, match="Write what"):
        await ScriptedSession().session.send("  ")


async def test_requests_extend_the_ones_before() -> None:
    scripted = ScriptedSession(*["keyboard TAB"] * 6, "Done")
    await scripted.run("a goal")
    for earlier, later in zip(scripted.model.requests, scripted.model.requests[1:], strict=False):
        assert [m.role for m in later][: len(earlier)] == [m.role for m in earlier]
        assert later[0] == earlier[0]
        assert [p for p in later[1].parts if isinstance(p, str)][:1] == [
            p for p in earlier[1].parts if isinstance(p, str)
        ][:1]


async def test_pausing_nothing_does_nothing() -> None:
    scripted = ScriptedSession()
    await scripted.session.pause()
    assert scripted.session.status == "idle"


async def test_a_servers_image_limit_is_learned_logged_and_kept_for_the_next_task() -> None:
    limits = ["at most 9", "at most 1"]  # the first is no help: it got 3 and refused
    scripted = ScriptedSession(*["keyboard TAB"] * 2, *limits, "Done", "keyboard TAB", "Done")
    await scripted.run("one")
    images = [
        sum(isinstance(part, Frame) for turn in request for part in turn.parts)
        for request in scripted.model.requests
    ]
    assert images == [1, 2, 3, 1, 1]
    await scripted.run("two")
    last = scripted.model.requests[-1]
    assert sum(isinstance(part, Frame) for turn in last for part in turn.parts) == 1


async def test_a_stop_cancels_at_once_and_only_a_resume_continues() -> None:
    scripted = ScriptedSession("typestr " + "x" * 2000, "Done")
    await scripted.session.send("go")
    await until(lambda: len(scripted.device.reports) > 40)
    before = len(scripted.device.reports)
    await scripted.session.stop()
    assert scripted.status() == "stopped"
    assert len(scripted.device.reports) <= before + 2  # one under way, one release
    assert interpret(scripted.device.reports).down == []
    with pytest.raises(Busy, match="Press Resume"):
        await scripted.session.send("on with it")
    await scripted.session.resume("carefully")
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.status() == "done"
    assert "The person says: carefully" in scripted.model.request_text()


async def test_a_task_that_is_to_begin_anew_takes_the_place_of_a_stopped_one() -> None:
    scripted = ScriptedSession("hang", "Done", "$ Which one?", "Done")
    await scripted.session.send("go")
    await until(lambda: bool(scripted.model.requests))
    with pytest.raises(Busy, match="Pause it"):
        await scripted.session.send("something else", anew=True)
    await scripted.session.stop()
    await scripted.session.send("something else", anew=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert "go" not in scripted.model.request_text().split()
    assert await scripted.run("ask me") == "asking"
    await scripted.session.send("another", anew=True)
    await asyncio.wait_for(scripted.session.wait_ended(), 10)
    assert scripted.status() == "done"
    begun = [each["text"] for each in scripted.facts("task")]
    assert begun == ["go", "something else", "ask me", "another"]


async def test_a_stop_stays_through_a_pause_until_a_reset() -> None:
    scripted = ScriptedSession("Done")
    await scripted.session.stop("by a signal")
    await scripted.session.pause()
    assert scripted.status() == "stopped"
    with pytest.raises(Busy):
        await scripted.session.send("do it")
    await scripted.session.reset()
    assert scripted.status() == "idle"
    assert await scripted.run() == "done"


async def test_a_stop_during_a_reset_stays() -> None:
    scripted = ScriptedSession("hang")
    await scripted.session.send("go")
    await scripted.session.stop()
    scripted.model = model = SlowlyCancelled()
    await scripted.session.resume()
    await model.asked.wait()
    reset = asyncio.create_task(scripted.session.reset())
    await model.going.wait()
    stop = asyncio.create_task(scripted.session.stop())
    await asyncio.sleep(0)
    model.may_go.set()
    await asyncio.gather(reset, stop)
    assert scripted.status() == "stopped"
    with pytest.raises(Busy):
        await scripted.session.send("do it")
    await scripted.session.resume()
    assert scripted.status() == "idle"


async def test_a_stop_completes_when_the_page_that_requested_it_disconnects() -> None:
    scripted = ScriptedSession()
    scripted.model = model = SlowlyCancelled()
    await scripted.session.send("go")
    await model.asked.wait()
    request = asyncio.create_task(scripted.session.stop())
    await model.going.wait()
    request.cancel()
    await asyncio.wait([request])
    model.may_go.set()
    await until(lambda: scripted.status() == "stopped")


async def test_resuming_without_a_task_starts_nothing() -> None:
    scripted = ScriptedSession("Done", "Done")
    await scripted.run()
    await scripted.session.stop()
    await scripted.session.resume()
    assert scripted.status() == "done"
    assert len(scripted.model.requests) == 1
    with pytest.raises(Busy, match="not stopped"):
        await scripted.session.resume()


class Stubborn(ScriptedModel):
    """A model whose library takes the first cancellation for its own."""

    def __init__(self) -> None:
        super().__init__()
        self.swallowed = 0

    async def complete(self, messages: object, schema: object = None) -> Reply:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.swallowed += 1
                if self.swallowed > 1:
                    raise


@pytest.mark.parametrize("command", ["stop", "pause"])
async def test_a_run_that_swallows_a_cancellation_is_cancelled_again(command: str) -> None:
    scripted = ScriptedSession()
    scripted.model = stubborn = Stubborn()
    await scripted.session.send("go")
    await until(lambda: scripted.screen.seq == 1)
    await asyncio.sleep(0.05)
    await asyncio.wait_for(getattr(scripted.session, command)(), 10)
    assert stubborn.swallowed == 2
    assert scripted.status() == {"stop": "stopped", "pause": "paused"}[command]


class Lingering(ScriptedModel):
    """A model that ends only when it may, however often it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.called, self.may_end = asyncio.Event(), asyncio.Event()

    async def complete(self, messages: object, schema: object = None) -> Reply:
        self.called.set()
        while not self.may_end.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.may_end.wait()
        raise asyncio.CancelledError


async def test_a_resume_between_two_stops_does_not_clear_the_latch() -> None:
    scripted = ScriptedSession()
    scripted.model = model = Lingering()
    await scripted.session.send("go")
    await model.called.wait()
    orders = []
    for command in (scripted.session.stop, scripted.session.resume, scripted.session.stop):
        orders.append(asyncio.ensure_future(command()))
        for _ in range(5):
            await asyncio.sleep(0)  # each has taken its place in the queue
    model.may_end.set()
    await asyncio.wait(orders)
    assert isinstance(orders[1].exception(), Busy)
    assert scripted.status() == "stopped"
    with pytest.raises(Busy, match="Press Resume"):
        await scripted.session.send("go on")


async def test_a_zoom_comes_with_the_next_screenshot_and_sends_no_input() -> None:
    for options, frames in ((CheckOptions(completion=False), 2), (BARE, 1)):
        scripted = ScriptedSession("zoom 0.1 0.1 0.4 0.4", "Done")
        scripted.options = options
        assert await scripted.run() == "done"
        last = scripted.model.requests[-1][-1]
        assert sum(isinstance(part, Frame) for part in last.parts) == frames
        assert scripted.device.reports == []


def test_the_first_step_since_the_user_is_at_most_the_number_of_steps() -> None:
    """A run that is resumed without a word has its unanswered step taken out of the history."""
    task = Task("go", steps=[Step(1, "", Frame(b"", 1280, 720, 1, 0.0))])
    task.run.first_step, step = 1, Step(2, "", task.steps[0].frame)
    add_feedback(task, step)
    assert "interrupted before you answered" in step.feedback
    assert task.run.first_step == 0
    assert not step.by_hand


def test_what_was_done_by_hand_before_an_unanswered_step_counts_for_the_next_one() -> None:
    task, frame = Task("go", by_hand="Meanwhile …"), Frame(b"", 1280, 720, 1, 0.0)
    for number in (1, 2):
        step = Step(number, "", frame)
        add_feedback(task, step)
        assert step.by_hand
        task.steps.append(step)
    step.reply = Reply("sleep 1")
    add_feedback(task, later := Step(3, "", frame))
    assert not later.by_hand


@pytest.mark.parametrize(
    ("kind", "first_step", "used", "interrupted"),
    [
        ("executed", 1, Usage(), True),
        ("executed", 0, Usage(), False),
        ("ended", 1, Usage(), False),
        ("executed", 1, Usage(is_renewed=True), False),  # by a limit
        ("executed", 1, Usage(is_renewed=True, rounds=1), True),
    ],
)
def test_a_run_that_was_paused_after_a_step_was_interrupted(
    kind: OutcomeKind, first_step: int, used: Usage, interrupted: bool
) -> None:
    task = Task("go", steps=[Step(1, "", Frame(b"", 1280, 720, 1, 0.0))])
    task.steps[0].reply, task.steps[0].outcome = Reply("sleep 1"), Outcome(kind, "")
    task.run.first_step, step, task.used = first_step, Step(2, "", task.steps[0].frame), used
    task.inbox.append("careful")
    add_feedback(task, step)
    assert step.interrupted is interrupted


async def test_the_first_screenshot_is_taken_after_the_model_is_ready() -> None:
    """The SDK's import takes most of a second: the screen may have changed meanwhile."""

    class Slow(ScriptedModel):
        ready = 0.0

        async def begin(self, task: Task) -> None:
            await asyncio.sleep(0.02)
            self.ready = time.monotonic()

    scripted = ScriptedSession()
    scripted.model = model = Slow("Done")
    assert await scripted.run() == "done"
    (frame,) = [part for part in model.requests[0][-1].parts if isinstance(part, Frame)]
    assert frame.at > model.ready > 0


class Endless(ScriptedModel):
    """Says something new for ever; notes the memory in use at its 250th and its 500th reply."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.sizes: list[int] = []

    async def complete(self, messages: Sequence[ChatMessage], schema: Any = None) -> Reply:
        self.count += 1
        if self.count in (250, 500):
            gc.collect()
            self.sizes.append(tracemalloc.get_traced_memory()[0])
        return Reply(f"# {self.count} " + "x" * 500 + "\nsleep 0")


async def test_a_long_task_takes_constant_memory() -> None:
    scripted = ScriptedSession(max_rounds=501)
    scripted.log = EventLog(kept=100_000)
    scripted.model = model = Endless()
    tracemalloc.start()
    try:
        await scripted.session.send("watch")
        await scripted.session.wait_ended()
        before, after = model.sizes
        await scripted.session.reset()
        gc.collect()
        left = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 200_000
    assert left < before * 2 / 3
