"""The loop: look, ask, understand, act. It knows the rooms only by their protocols.

Data flows one way, and nobody calls back: what others want to know stands in the log. Pausing is
cancelling the task that runs this; whatever was under way then stands unfinished in the history,
from which the next run goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from .craft import Craft, eyes, finish, stuck, telling
from .craft.attention import Attention
from .craft.budget import Budget, Meter
from .craft.quoted import Read
from .craft.telling import CARRIED_OUT, told
from .events import EventLog
from .types import (
    ActionError,
    Ask,
    Dialect,
    Done,
    Ending,
    Fail,
    FormatError,
    Gate,
    Hands,
    Lapsed,
    Model,
    ModelLimit,
    Refusal,
    Reply,
    Screen,
    Step,
    Task,
    Turn,
    Zoom,
)
from .within import within
from .wording import describe, moving

MISREAD = 3
"""Replies in a row that may be beyond understanding."""

_ENDED = {
    "done": "Reported as done.",
    "fail": "Reported as impossible.",
    "ask": "The person was asked.",
}


class Agent:
    """Works on a task within a budget, sending at most `keep` screenshots with a request."""

    def __init__(
        self,
        screen: Screen,
        model: Model,
        dialect: Dialect,
        hands: Hands,
        log: EventLog,
        *,
        gate: Gate,
        prompt: str,
        keep: int,
        budget: Budget,
        craft: Craft = Craft(),  # noqa: B008 - frozen
        other_mouse: Callable[[], Awaitable[bool]] | None = None,
        read: Read | None = None,
    ) -> None:
        """`other_mouse` and `read`: see `Attention`."""
        self.model, self.dialect, self.hands = model, dialect, hands
        self.log, self.gate, self.prompt = log, gate, prompt
        self.keep, self.budget = keep, budget
        self.attention = Attention(craft, screen, hands, model, log, other_mouse, read)

    async def run(self, task: Task) -> Ending:
        task.stretch = len(task.steps)
        meter = Meter(self.budget, task)
        ending: Ending | None = None
        try:
            async with within(meter.seconds):
                while ending is None:
                    ending = meter.over() or await self.step(task, meter.note())
        except asyncio.TimeoutError:
            ending = meter.over()
            if ending is None:
                raise
        return ending

    async def step(self, task: Task, note: str = "") -> Ending | None:
        """`note`: what the model should know beside what is seen."""
        started = time.monotonic()
        step = await self.look(task, note)
        reply = step.reply = await self.ask(task, step)
        task.read += reply.tokens_in
        task.written += reply.tokens_out
        ending = self.understand(task, step) or await self.act(task, step)
        self.log.append(
            "step",
            step=step.number,
            ok=step.outcome in (CARRIED_OUT, *_ENDED.values()),
            outcome=step.outcome,
            seconds=round(time.monotonic() - started, 3),
        )
        return ending

    async def look(self, task: Task, note: str) -> Step:
        number = task.steps[-1].number + 1 if task.steps else 1
        acted = bool(task.steps and task.steps[-1].done)
        self.log.append("phase", step=number, phase="settling" if acted else "looking")
        started = time.monotonic()
        frame = await self.attention.look(task)
        if acted:
            self.log.append("phase", step=number, phase="looking")
        notes = [*await self.attention.notes(task, frame), note]
        closer = await self.attention.closer(task)
        step = Step(number, told(task, notes), frame, closer=closer)
        task.steps.append(step)
        if closer:
            self.log.append("closer", closer.jpeg, step=number)
        size = {"width": frame.width, "height": frame.height}
        waited = round(time.monotonic() - started, 3)
        why = moving(frame) or "at rest"
        self.log.append("frame", frame.jpeg, step=number, waited=waited, why=why, **size)
        return step

    async def ask(self, task: Task, step: Step) -> Reply:
        self.log.append("phase", step=step.number, phase="thinking")
        while True:
            keep = min(self.keep, task.most_images)
            try:
                messages = self.dialect.messages(self.prompt, task, keep)
                return await self.model.complete(messages, self.dialect.schema)
            except ModelLimit as limit:
                less = telling.shorter(task, keep, limit)
                if not less:
                    raise
                self.log.append("log", level="warning", text=f"{limit} {less}")

    def understand(self, task: Task, step: Step) -> Ending | None:
        assert step.reply is not None
        try:
            turn = self.dialect.parse(step.reply, (step.frame.width, step.frame.height))
            step.turn = self.attention.heard(turn)
            task.misread = 0
        except FormatError as error:
            step.outcome = f"Not understood, so nothing was done. {error}"
            task.misread += 1
        self.log.append("reply", **_reply_data(step, self.budget))
        if task.misread < MISREAD:
            return None
        task.misread = 0
        return Fail(reason=f"{MISREAD} replies in a row were not understood. {step.outcome}")

    async def act(self, task: Task, step: Step) -> Ending | None:
        if step.turn is None:
            return None
        self.log.append("phase", step=step.number, phase="acting")
        try:
            for action in step.turn.actions:
                if not isinstance(action, (Zoom, Done, Fail, Ask)):
                    self.hands.check(action)
        except ActionError as error:
            step.outcome = f"Not carried out, nothing of it. {error}"
            return None
        if question := await self.attention.question(task, step.turn):
            step.outcome = stuck.ASKED
            return question
        return await self._perform(task, step, step.turn)

    async def _perform(self, task: Task, step: Step, turn: Turn) -> Ending | None:
        for index, action in enumerate(turn.actions):
            if isinstance(action, (Done, Fail, Ask)):
                return await self._end(task, step, action)
            if isinstance(action, Zoom):
                continue
            now = await self.attention.glance(step, index)
            stopped = await self.gate.admit(step, action)
            if stopped is not None:
                step.outcome = _stopped(step, index, stopped)
                return stopped if isinstance(stopped, Lapsed) else None
            asked = now if step.allowed is action else None
            if await self.attention.stale(task, step, index, asked):
                step.outcome = eyes.words(step, action, index)
                return eyes.question(task)
            self.log.append("acting", step=step.number, index=index)
            step.begun = index + 1
            try:
                await self.hands.perform(action)
            except ActionError as error:
                step.begun = index
                step.outcome = _stopped(step, index, Refusal(str(error)))
                return None
            finally:
                step.progress = self.hands.progress
        step.outcome = CARRIED_OUT
        return None

    async def _end(self, task: Task, step: Step, action: Done | Fail | Ask) -> Ending | None:
        objection = await self._objection(task, action)
        step.outcome = objection or _ENDED[action.kind]
        return None if objection else action

    async def _objection(self, task: Task, action: Done | Fail | Ask) -> str:
        """What the person has said meanwhile, also while others were asked, is heard first."""
        found = ""
        if isinstance(action, Done) and not task.inbox:
            found = await self.attention.objection(task)
        return finish.MEANWHILE if task.inbox else found


def _stopped(step: Step, index: int, why: Refusal | Lapsed) -> str:
    assert step.turn is not None
    if not index:
        return f"Not carried out. {why.told}"
    count = len(step.turn.actions)
    return f"Not carried out, from action {index + 1} of {count} on. {why.told}"


def _reply_data(step: Step, budget: Budget) -> dict[str, Any]:
    reply, turn, frame = step.reply, step.turn, step.frame
    assert reply is not None
    actions = [
        {**action.model_dump(mode="json"), "words": describe(action, frame.width, frame.height)}
        for action in (turn.actions if turn else ())
    ]
    return {
        "step": step.number,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in reply.calls],
        "finish": reply.finish_reason,
        "thought": turn.thought if turn else "",
        "actions": actions,
        "seconds": round(reply.seconds, 3),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "tokens_cached": reply.tokens_cached,
        "cost": round(budget.cost(reply.tokens_in, reply.tokens_out), 6),
    }
