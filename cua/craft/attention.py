"""What the loop pays attention to beside asking and acting: all habits, joined at one place.

It looks, with pictures and the history of the task, and says what it found; what becomes of that
the loop decides. Each habit is a file beside this one and knows nothing of the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from ..events import EventLog
from ..types import Ask, Effect, Frame, Hands, Model, Screen, Step, Task, Turn
from . import BARE, Craft, eyes, finish, opinion, pointer, quoted, stuck, wake
from .effect import effect
from .telling import wanted_closer

QUIET = 0.18
"""Seconds without a change after which a screen rests."""
QUIET_AFTER_POINTER = 0.26
"""The same after a click: programs take longer to begin to answer it."""
UNSEEN = 0.5
"""Seconds to wait where nobody looks whether the screen rests."""
PATIENCE = 3.0
"""Seconds to wait for a screen that never rests (a video); then its newest frame has to do."""


class Attention:
    """`other_mouse`: tries to drive the pointer in another way, and says if that worked.

    `read`: the words of a picture; None where the model has read them itself.
    """

    def __init__(
        self,
        craft: Craft,
        screen: Screen,
        hands: Hands,
        model: Model,
        log: EventLog,
        other_mouse: Callable[[], Awaitable[bool]] | None = None,
        read: quoted.Read | None = None,
    ) -> None:
        self.craft = craft
        self._screen, self._hands, self._model, self._log = screen, hands, model, log
        self._other_mouse, self._read = other_mouse, read

    async def look(self, task: Task) -> Frame:
        """What the model gets to see next. Raises `ScreenError`."""
        quiet, patience = (_quiet(task), PATIENCE) if self.craft.rest else (UNSEEN, 0.0)
        if not self.craft.wake:
            return await self._screen.still(self._hands.touched, quiet, patience)
        frame, woken = await wake.awake(self._screen, self._hands, quiet, patience)
        if woken:
            self._log.append("log", level="info", text=wake.WOKEN)
        return frame

    async def closer(self, task: Task) -> Frame | None:
        """The part of that screen which the last reply wanted to see enlarged."""
        area = wanted_closer(task) if self.craft.zoom else None
        return await self._screen.closer(area) if area else None

    async def notes(self, task: Task, now: Frame) -> list[str]:
        """What came of the last step and is worth telling the model."""
        last = task.steps[-1] if task.steps else None
        watched = self.craft.effects or self.craft.unstick
        if not watched or not last or not last.outcome or last.effect:
            return []
        notes = []
        if last.done:
            last.effect = await effect(task.steps, now)
            self._log.append("effect", step=last.number, **_data(last.effect))
            notes = [last.effect.words] if last.effect.none and self.craft.effects else []
        if self.craft.effects and pointer.dead(task):
            moves = self._other_mouse is not None and await self._other_mouse()
            notes.append(pointer.CLICK_AGAIN if moves else pointer.KEYBOARD)
        return [*notes, await stuck.nudge(task)] if self.craft.unstick else notes

    def heard(self, turn: Turn) -> Turn:
        """A reply as it is kept in the history."""
        return turn if self.craft.memory else replace(turn, notes=())

    async def question(self, task: Task, turn: Turn) -> Ask | None:
        """For the person, in place of what would lead nowhere again."""
        return await stuck.question(task, turn) if self.craft.unstick else None

    async def glance(self, step: Step, index: int) -> Frame | None:
        """The screen as it is before the person may be asked about action `index`. None for those
        that are compared with what the model saw: the first one, and those that have a place."""
        assert step.turn is not None
        if not index or not self.craft.fresh_eyes or eyes.targets(step.turn.actions[index]):
            return None
        return await self._screen.still(0.0, 0.0, 0.0)

    async def stale(self, task: Task, step: Step, index: int, asked: Frame | None = None) -> bool:
        """Whether the screen is no longer the one that action `index` was meant for, or that the
        person was `asked` about."""
        assert step.turn is not None
        if asked and await eyes.moved_on(task, asked, await self._screen.still(0.0, 0.0, 0.0)):
            return True
        if index == 0 and self.craft != BARE:
            step.before = await self._screen.still(0.0, 0.0, 0.0)
            return self.craft.fresh_eyes and await eyes.differs(task, index, step.before)
        if not self.craft.stale or not eyes.targets(step.turn.actions[index]):
            return False
        return await eyes.differs(task, index, await self._final())

    async def objection(self, task: Task) -> str:
        """Why a claim to be done does not count; "" if it does."""
        craft = self.craft
        if not (craft.check_done or craft.second_opinion):
            return ""
        now = await self._final()
        if craft.check_done:
            found = await finish.objection(task, now, craft.ask_again)
            if found := found or await self._unread(task, now):
                return found
        return await opinion.objection(self._model, task, now) if craft.second_opinion else ""

    async def _unread(self, task: Task, now: Frame) -> str:
        """What the model says it sees, and nobody can read there."""
        if self._read is None:
            return ""
        found, note = await quoted.objection(task, now, self._read)
        if note:
            self._log.append("log", level="info", text=note)
        return found

    async def _final(self) -> Frame:
        """The screen as it is after what was done last."""
        return await self._screen.still(self._hands.touched, QUIET_AFTER_POINTER, PATIENCE)


def _quiet(task: Task) -> float:
    """How long the screen has to be unchanged after what was done last."""
    turn = task.steps[-1].turn if task.steps else None
    kinds = {action.kind for action in turn.actions} if turn else set()
    return QUIET_AFTER_POINTER if kinds & {"click", "drag"} else QUIET


def _data(effect: Effect) -> dict[str, Any]:
    areas = [area.model_dump() for area in effect.areas]
    return {"words": effect.words, "none": effect.none, "areas": areas}
