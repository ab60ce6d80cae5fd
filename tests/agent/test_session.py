"""The loop and its session: what ends a run, what interrupts it, what the model is told of it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cua import types
from cua.agent.budget import Budget
from cua.agent.checks.options import BARE, CheckOptions, make_checks
from cua.agent.feedback import add_feedback
from cua.agent.loop import Agent
from cua.agent.session import Session
from cua.dialects import registry
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.safety.approval import Unattended
from cua.types import ApprovalGate, Busy, ChatMessage, Done, Frame, Reply, Step, Task
from tests.support.devices import Recorder, heard
from tests.support.fakes import ScriptedModel, StillScreen


class House:
    """A session on rooms of our own, with the line dialect."""

    def __init__(self, *replies: str, max_rounds: int = 10) -> None:
        self.screen, self.device, self.log = StillScreen(), Recorder(), EventLog()
        self.model: ScriptedModel = ScriptedModel(*replies)
        self.inputs: types.Inputs = HidInputs(self.device)
        self.max_rounds = max_rounds
        self.options = BARE
        self.gate: ApprovalGate = Unattended()
        self.session = Session(self.log, self._agent)

    def _agent(self) -> Agent:
        return Agent(
            self.screen,
            self.model,
            registry.create("kvm"),
            self.inputs,
            self.log,
            gate=self.gate,
            prompt="You operate a computer.",
            keep=3,
            budget=Budget(rounds=self.max_rounds),
            checks=make_checks(self.options, self.screen, self.inputs, self.model, self.log),
        )

    async def run(self, text: str = "do it") -> str:
        await self.session.send(text)
        await asyncio.wait_for(self.session.wait_ended(), 10)
        return self.session.status

    def status(self) -> str:
        return self.session.status

    async def kinds(self) -> list[str]:
        kinds = []
        async for _, event in self.log.subscribe():
            kinds.append(event.kind)
            if event.kind == "status" and event.data["status"] != "running":
                return kinds
        raise AssertionError


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.002)


async def test_a_task_runs_to_done() -> None:
    house = House("# I see it\nmouse 0.5 0.5 1", "typestr hi  there", "Done")
    assert await house.run("greet") == "done"
    assert isinstance(house.session.ending, Done)
    result = heard(house.device.reports)
    assert result.text == "hi  there"
    assert [(p.x, p.y) for p in result.presses] == [(640, 360)]
    assert len(house.model.requests) == 3


async def test_every_step_is_in_the_log_in_order() -> None:
    house = House("keyboard ENTER", "Done")
    await house.run()
    step = ["phase", "frame", "phase", "reply", "phase"]
    assert await house.kinds() == [
        *("task", "status"), *step, "acting", "step", "phase", *step, "step", "done", "status"
    ]  # fmt: skip
    phases = [
        event.data["phase"] for event in house.log.in_memory_since(0) if event.kind == "phase"
    ]
    looked = ["looking", "thinking", "acting"]
    assert phases == [*looked, "settling", *looked]
    ended = [event.data["step"] for event in house.log.in_memory_since(0) if event.kind == "step"]
    assert ended == [1, 2]
    took = [
        event.data.get("waited", event.data.get("seconds", 0))
        for event in house.log.in_memory_since(0)
    ]
    assert max(took) < 10


async def test_max_rounds_ends_in_a_pause_that_can_be_resumed() -> None:
    house = House(*["keyboard TAB"] * 3, "Done", max_rounds=3)
    assert await house.run() == "paused"
    assert await house.run("") == "done"


async def test_a_question_waits_for_the_answer() -> None:
    house = House("# two of them\n$ Which one?", "Done")
    assert await house.run() == "asking"
    (asked,) = [
        event.data["text"] for event in house.log.in_memory_since(0) if event.kind == "question"
    ]
    assert asked == "Which one?"
    assert await house.run("the left one") == "done"
    assert "The person says: the left one" in house.model.heard()


async def test_an_action_that_fails_is_reported_and_the_rest_is_not_executed() -> None:
    house = House("drag 0 0 0.5 0.5\ntypestr x", "mouse 0.1 0.1 0\ndrag 0 0 0.5 0.5", "Done")
    assert await house.run() == "done"
    first = next(event for event in house.log.in_memory_since(0) if event.kind == "step")
    assert "Not carried out. The position of the pointer is not known" in first.data["outcome"]
    result = heard(house.device.reports)
    assert result.text == ""
    assert [(p.x, p.y) for p in result.presses] == [(128, 72)]


async def test_a_reply_that_cannot_be_parsed_is_reported_and_retried() -> None:
    house = House("mouse 640 360 1", "Done")
    assert await house.run() == "done"
    assert "Not understood, so nothing was done." in house.model.heard()
    assert house.device.reports == []


async def test_three_format_errors_in_a_row_fail_the_run_which_can_resume() -> None:
    house = House("hm", "hm", "keyboard TAB", *["hm"] * 4, "Done")
    assert await house.run() == "failed"
    assert len(house.model.requests) == 6
    assert await house.run("just say Done") == "done"


async def test_part_of_a_reply_is_never_executed() -> None:
    house = House("keyboard A\nfly 1 2", "Done")
    await house.run()
    assert house.device.reports == []


async def test_an_impossible_action_is_reported_and_nothing_of_the_reply_is_executed() -> None:
    house = House("keyboard B\nkeyboard VOLUME_UP", "Done")
    assert await house.run() == "done"
    assert "Not carried out, nothing of it." in house.model.heard()
    assert house.device.reports == []


async def test_errors_leave_the_task_resumable() -> None:
    house = House("keyboard A", "error", "Done")
    assert await house.run() == "failed"
    assert await house.run("") == "done"
    house = House("Done")
    house.screen.broken = True
    assert await house.run() == "failed"
    house.screen.broken = False
    assert await house.run("") == "done"


class Faulty(ScriptedModel):
    """A model whose client has a fault."""

    def __init__(self, fault: Exception) -> None:
        super().__init__()
        self.fault = fault

    async def complete(self, messages: object, schema: object = None) -> Reply:
        raise self.fault


@pytest.mark.parametrize("fault", [RuntimeError("odd"), asyncio.TimeoutError()])
async def test_an_unexpected_exception_fails_the_task_with_its_name(fault: Exception) -> None:
    house = House()
    house.model = Faulty(fault)
    assert await house.run() == "failed"
    (failed,) = [
        event.data["text"] for event in house.log.in_memory_since(0) if event.kind == "failed"
    ]
    assert type(fault).__name__ in failed
    house.model = ScriptedModel("Done")
    assert await house.run("") == "done"


async def test_a_pause_cancels_a_model_call_and_the_model_is_told() -> None:
    house = House("keyboard A", "hang", "Done")
    await house.session.send("go")
    await until(lambda: len(house.model.requests) == 2)
    await house.session.pause("by you")
    assert house.session.status == "paused"
    assert await house.run("carefully") == "done"
    told = house.model.heard()
    assert "Carried out." in told
    assert "You were interrupted before you answered." in told
    assert "The person says: carefully" in told


async def test_a_pause_while_typing_stops_between_two_reports_and_reports_the_progress() -> None:
    house = House("typestr " + "x" * 2000, "Done")
    await house.session.send("go")
    await until(lambda: len(house.device.reports) > 40)
    before = len(house.device.reports)
    await house.session.pause()
    assert len(house.device.reports) <= before + 2  # one under way, one release
    assert heard(house.device.reports).down == []
    count = len(house.device.reports)
    await asyncio.sleep(0.05)
    assert len(house.device.reports) == count
    typed = len(heard(house.device.reports).text)
    assert await house.run("") == "done"
    assert f"{typed} of its 2000 characters were typed" in house.model.heard()


async def test_manual_input_does_not_count_as_progress_of_the_model() -> None:
    house = House("typestr " + "x" * 2000, "Done")
    await house.session.send("go")
    await until(lambda: len(house.device.reports) > 40)
    await house.session.pause()
    typed = len(heard(house.device.reports).text)
    await house.inputs.perform(types.Type(text="abc"))
    assert await house.run("") == "done"
    assert f"{typed} of its 2000 characters were typed" in house.model.heard()


async def test_messages_during_a_run_go_with_the_next_screenshot() -> None:
    house = House("sleep 0.2", "Done")
    await house.session.send("go")
    await until(lambda: len(house.model.requests) == 1)
    await house.session.send("mind the gap")
    await house.session.wait_ended()
    assert "The person says: mind the gap" in house.model.heard()


@pytest.mark.parametrize("ending", ["Done", "$ Which one?"])
async def test_messages_that_arrive_with_the_end_are_answered_first(ending: str) -> None:
    house = House()
    answer = asyncio.Event()

    class Slow(ScriptedModel):
        async def complete(self, messages: Sequence[ChatMessage], schema: Any = None) -> Reply:
            await answer.wait()
            return await super().complete(messages, schema)

    house.model = Slow(ending, "Done", "Done")
    await house.session.send("do it")
    await until(
        lambda: any(event.data.get("phase") == "thinking" for event in house.log.in_memory_since(0))
    )
    await house.session.send("and then that")
    answer.set()
    await house.session.wait_ended()
    assert house.session.status == "done"
    assert "The person says: and then that" in house.model.heard()
    assert house.model.heard().startswith("Not ended yet")
    assert await house.run("something else") == "done"
    assert "and then that" not in str(house.model.requests[-1])


class Leaving(ScriptedModel):
    """Takes its time to go when it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.going, self.may_go = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def complete(self, messages: Sequence[ChatMessage], schema: Any = None) -> Reply:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.going.set()
            await self.may_go.wait()
        raise AssertionError


async def test_a_run_starts_only_if_the_check_passes_at_that_moment() -> None:
    house, well = House(), True

    def check() -> None:
        if not well:
            raise Busy("No page is in sight.")

    house.model = model = Leaving()
    await house.session.send("go", check)
    await model.asked.wait()
    pause = asyncio.create_task(house.session.pause())
    await model.going.wait()
    send = asyncio.create_task(house.session.send("on", check))
    await asyncio.sleep(0)
    well = False
    model.may_go.set()
    await pause
    with pytest.raises(Busy, match="No page"):
        await send
    assert not house.session.is_busy
    await house.session.stop()
    with pytest.raises(Busy, match="No page"):
        await house.session.resume("on", check)
    assert not house.session.is_busy


async def test_a_reset_clears_the_session() -> None:
    house = House("hang", "Done")
    await house.session.send("first")
    await until(lambda: len(house.model.requests) == 1)
    await house.session.reset()
    assert house.session.status == "idle"
    assert await house.run("second") == "done"
    assert "first" not in str(house.model.requests[-1])


async def test_an_empty_task_is_refused() -> None:
    with pytest.raises(Busy, match="Write what"):
        await House().session.send("  ")


async def test_requests_extend_the_ones_before() -> None:
    house = House(*["keyboard TAB"] * 6, "Done")
    await house.run("a goal")
    for earlier, later in zip(house.model.requests, house.model.requests[1:], strict=False):
        assert [m.role for m in later][: len(earlier)] == [m.role for m in earlier]
        assert later[0] == earlier[0]
        assert [p for p in later[1].parts if isinstance(p, str)][:1] == [
            p for p in earlier[1].parts if isinstance(p, str)
        ][:1]


async def test_pausing_nothing_does_nothing() -> None:
    house = House()
    await house.session.pause()
    assert house.session.status == "idle"


async def test_a_servers_image_limit_is_learned_logged_and_kept_for_the_next_task() -> None:
    limits = ["at most 9", "at most 1"]  # the first is no help: it got 3 and refused
    house = House(*["keyboard TAB"] * 2, *limits, "Done", "keyboard TAB", "Done")
    await house.run("one")
    images = [
        sum(isinstance(part, Frame) for turn in request for part in turn.parts)
        for request in house.model.requests
    ]
    assert images == [1, 2, 3, 1, 1]
    await house.run("two")
    last = house.model.requests[-1]
    assert sum(isinstance(part, Frame) for turn in last for part in turn.parts) == 1


async def test_a_stop_cancels_at_once_and_only_a_resume_continues() -> None:
    house = House("typestr " + "x" * 2000, "Done")
    await house.session.send("go")
    await until(lambda: len(house.device.reports) > 40)
    before = len(house.device.reports)
    await house.session.stop()
    assert house.status() == "stopped"
    assert len(house.device.reports) <= before + 2  # one under way, one release
    assert heard(house.device.reports).down == []
    with pytest.raises(Busy, match="Press Resume"):
        await house.session.send("on with it")
    await house.session.resume("carefully")
    await asyncio.wait_for(house.session.wait_ended(), 10)
    assert house.status() == "done"
    assert "The person says: carefully" in house.model.heard()


async def test_a_stop_stays_through_a_pause_until_a_reset() -> None:
    house = House("Done")
    await house.session.stop("by a signal")
    await house.session.pause()
    assert house.status() == "stopped"
    with pytest.raises(Busy):
        await house.session.send("do it")
    await house.session.reset()
    assert house.status() == "idle"
    assert await house.run() == "done"


async def test_a_stop_during_a_reset_stays() -> None:
    house = House()
    house.model = model = Leaving()
    await house.session.send("go")
    await model.asked.wait()
    reset = asyncio.create_task(house.session.reset())
    await model.going.wait()
    stop = asyncio.create_task(house.session.stop())
    await asyncio.sleep(0)
    model.may_go.set()
    await asyncio.gather(reset, stop)
    assert house.status() == "stopped"
    with pytest.raises(Busy):
        await house.session.send("do it")


async def test_a_stop_completes_when_the_page_that_requested_it_disconnects() -> None:
    house = House()
    house.model = model = Leaving()
    await house.session.send("go")
    await model.asked.wait()
    request = asyncio.create_task(house.session.stop())
    await model.going.wait()
    request.cancel()
    await asyncio.wait([request])
    model.may_go.set()
    await until(lambda: house.status() == "stopped")


async def test_resuming_without_a_task_starts_nothing() -> None:
    house = House("Done", "Done")
    await house.run()
    await house.session.stop()
    await house.session.resume()
    assert house.status() == "done"
    assert len(house.model.requests) == 1
    with pytest.raises(Busy, match="not stopped"):
        await house.session.resume()


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
    house = House()
    house.model = stubborn = Stubborn()
    await house.session.send("go")
    await until(lambda: house.screen.seq == 1)
    await asyncio.sleep(0.05)
    await asyncio.wait_for(getattr(house.session, command)(), 10)
    assert stubborn.swallowed == 2
    assert house.status() == {"stop": "stopped", "pause": "paused"}[command]


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
    house = House()
    house.model = model = Lingering()
    await house.session.send("go")
    await model.called.wait()
    orders = []
    for command in (house.session.stop, house.session.resume, house.session.stop):
        orders.append(asyncio.ensure_future(command()))
        for _ in range(5):
            await asyncio.sleep(0)  # each has taken its place in the queue
    model.may_end.set()
    await asyncio.wait(orders)
    assert isinstance(orders[1].exception(), Busy)
    assert house.status() == "stopped"
    with pytest.raises(Busy, match="Press Resume"):
        await house.session.send("go on")


async def test_a_zoom_comes_with_the_next_screenshot_and_sends_no_input() -> None:
    for options, frames in ((CheckOptions(completion=False), 2), (BARE, 1)):
        house = House("zoom 0.1 0.1 0.4 0.4", "Done")
        house.options = options
        assert await house.run() == "done"
        last = house.model.requests[-1][-1]
        assert sum(isinstance(part, Frame) for part in last.parts) == frames
        assert house.device.reports == []


def test_the_first_step_since_the_user_is_at_most_the_number_of_steps() -> None:
    """A run that is resumed without a word has its unanswered step taken out of the history."""
    task = Task("go", steps=[Step(1, "", Frame(b"", 1280, 720, 1, 0.0))])
    task.run.first_step, step = 1, Step(2, "", task.steps[0].frame)
    add_feedback(task, step)
    assert "interrupted before you answered" in step.feedback
    assert task.run.first_step == 0


async def test_the_first_screenshot_is_taken_after_the_model_is_ready() -> None:
    """The SDK's import takes most of a second: the screen may have changed meanwhile."""

    class Slow(ScriptedModel):
        ready = 0.0

        async def prepare(self) -> None:
            await asyncio.sleep(0.02)
            self.ready = time.monotonic()

    house = House()
    house.model = model = Slow("Done")
    assert await house.run() == "done"
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
    house = House(max_rounds=501)
    house.log = EventLog(kept=100_000)
    house.model = model = Endless()
    tracemalloc.start()
    try:
        await house.session.send("watch")
        await house.session.wait_ended()
        before, after = model.sizes
        await house.session.reset()
        gc.collect()
        left = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 200_000
    assert left < before * 2 / 3
