"""The loop: look, ask, understand, act. It knows the rooms only by their protocols.

Data flows one way, and nobody calls back: what others want to know stands in the log. Pausing is
cancelling the task that runs this; whatever was under way then stands unfinished in the history,
from which the next run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from .craft import BARE, Craft, eyes, finish, opinion, pointer, stuck, telling, wake
from .craft.budget import Budget, Meter
from .craft.effect import effect as changes
from .craft.telling import CARRIED_OUT, told, wanted_closer
from .events import EventLog
from .types import (
    ActionError,
    Ask,
    Dialect,
    Done,
    Effect,
    Ending,
    Fail,
    FormatError,
    Frame,
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
from .wording import describe, moving

MISREAD = 3
"""Replies in a row that may be beyond understanding."""
QUIET = 0.18
"""Seconds without a change after which a screen rests."""
QUIET_AFTER_POINTER = 0.26
"""The same after a click: programs take longer to begin to answer it."""
UNSEEN = 0.5
"""Seconds to wait where nobody looks whether the screen rests."""
PATIENCE = 3.0
"""Seconds to wait for a screen that never rests (a video); then its newest frame has to do."""

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
    ) -> None:
        """`other_mouse`: tries to drive the pointer in another way, and says if that worked."""
        self.screen, self.model, self.dialect, self.hands = screen, model, dialect, hands
        self.log, self.gate, self.prompt = log, gate, prompt
        self.keep, self.budget, self.craft = keep, budget, craft
        self.other_mouse = other_mouse

    async def run(self, task: Task) -> Ending:
        task.stretch = len(task.steps)
        meter = Meter(self.budget, task)
        ending: Ending | None = None
        while ending is None:
            ending = meter.over() or await self.step(task, meter.note())
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
        self.log.append("phase", step=number, phase="looking")
        started = time.monotonic()
        quiet, patience = (_quiet(task), PATIENCE) if self.craft.rest else (UNSEEN, 0.0)
        frame = await self._see(quiet, patience)
        notes = [*await self._notes(task, frame), note]
        zoom = wanted_closer(task) if self.craft.zoom else None
        closer = await self.screen.closer(zoom) if zoom else None
        step = Step(number, told(task, self.hands.progress, notes), frame, closer=closer)
        task.steps.append(step)
        if closer:
            self.log.append("closer", closer.jpeg, step=number)
        size = {"width": frame.width, "height": frame.height}
        waited = round(time.monotonic() - started, 3)
        why = moving(frame) or "at rest"
        self.log.append("frame", frame.jpeg, step=number, waited=waited, why=why, **size)
        return step

    async def _see(self, quiet: float, patience: float) -> Frame:
        if not self.craft.wake:
            return await self.screen.still(self.hands.touched, quiet, patience)
        frame, woken = await wake.awake(self.screen, self.hands, quiet, patience)
        if woken:
            self.log.append(
                "log", level="info", text="The screen was dark: the computer was woken."
            )
        return frame

    async def _notes(self, task: Task, frame: Frame) -> list[str]:
        """What is seen on the new frame and worth telling."""
        last = task.steps[-1] if task.steps else None
        watched = self.craft.effects or self.craft.unstick
        if not watched or not last or not last.outcome or last.effect:
            return []
        notes = []
        if last.done:
            last.effect = await changes(task.steps, frame)
            self.log.append("effect", step=last.number, **_effect_data(last.effect))
            notes = [last.effect.words] if last.effect.none and self.craft.effects else []
        if self.craft.effects and pointer.dead(task):
            moves = self.other_mouse is not None and await self.other_mouse()
            notes.append(pointer.CLICK_AGAIN if moves else pointer.KEYBOARD)
        return [*notes, await stuck.nudge(task)] if self.craft.unstick else notes

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
            step.turn = self.dialect.parse(step.reply, (step.frame.width, step.frame.height))
            task.misread = 0
        except FormatError as error:
            step.outcome = f"Not understood, so nothing was done. {error}"
            task.misread += 1
        self.log.append("reply", **_reply_data(step))
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
        if self.craft.unstick and (question := await stuck.question(task, step.turn)):
            step.outcome = stuck.ASKED
            return question
        return await self._perform(task, step, step.turn)

    async def _perform(self, task: Task, step: Step, turn: Turn) -> Ending | None:
        for index, action in enumerate(turn.actions):
            if isinstance(action, (Done, Fail, Ask)):
                return await self._end(task, step, action)
            if isinstance(action, Zoom):
                continue
            stopped = await self.gate.admit(step, action)
            if stopped is not None:
                step.outcome = _stopped(step, index, stopped)
                return stopped if isinstance(stopped, Lapsed) else None
            if await self._stale(task, step, index):
                step.outcome = eyes.words(step, action, index)
                return eyes.question(task)
            self.log.append("acting", step=step.number, index=index)
            step.begun = index + 1
            await self.hands.perform(action)
        step.outcome = CARRIED_OUT
        return None

    async def _end(self, task: Task, step: Step, action: Done | Fail | Ask) -> Ending | None:
        objection = await self._objection(task) if isinstance(action, Done) else ""
        step.outcome = objection or _ENDED[action.kind]
        return None if objection else action

    async def _objection(self, task: Task) -> str:
        """Why a claim to be done does not count; "" if it does."""
        craft, objection = self.craft, ""
        if craft.check_done or craft.second_opinion:
            now = await self.screen.still(self.hands.touched, QUIET_AFTER_POINTER, PATIENCE)
            objection = (
                await finish.objection(task, now, craft.ask_again) if craft.check_done else ""
            )
            if craft.second_opinion and not objection:
                objection = await opinion.objection(self.model, task, now)
        return objection

    async def _stale(self, task: Task, step: Step, index: int) -> bool:
        """Whether the screen is no longer the one that the action was meant for."""
        assert step.turn is not None
        if index == 0 and self.craft != BARE:
            step.before = await self.screen.still(0.0, 0.0, 0.0)
            return self.craft.fresh_eyes and await eyes.differs(task, index, step.before)
        if not self.craft.stale or not eyes.targets(step.turn.actions[index]):
            return False
        now = await self.screen.still(self.hands.touched, QUIET_AFTER_POINTER, PATIENCE)
        return await eyes.differs(task, index, now)


def _quiet(task: Task) -> float:
    """How long the screen has to be unchanged after what was done last."""
    turn = task.steps[-1].turn if task.steps else None
    kinds = {action.kind for action in turn.actions} if turn else set()
    return QUIET_AFTER_POINTER if kinds & {"click", "drag"} else QUIET


def _stopped(step: Step, index: int, why: Refusal | Lapsed) -> str:
    assert step.turn is not None
    number, count = index + 1, len(step.turn.actions)
    what = f", from action {number} of {count} on" if index else ""
    return f"Not carried out{what}. {why.told}"


def _effect_data(effect: Effect) -> dict[str, Any]:
    areas = [area.model_dump() for area in effect.areas]
    return {"words": effect.words, "none": effect.none, "areas": areas}


def _reply_data(step: Step) -> dict[str, Any]:
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
        "thought": turn.thought if turn else "",
        "actions": actions,
        "seconds": round(reply.seconds, 3),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "tokens_cached": reply.tokens_cached,
    }
