"""Make a procedure from a person's manual actions."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from ..agent.checks.image_diff import cells_around, find_plain_changes
from ..agent.checks.screen_changes import get_pointer
from ..messages import Message
from ..safety.secrets import looks_secret
from ..screen.ocr.client import Read
from ..types import Click, Drag, Frame, InputAction, Keypress, Move, Point, ProcedureError, Type
from .from_record import HIDDEN, Progress, make_from_steps, name_texts
from .procedure import Procedure
from .recorded_steps import RecordedStep, Shot

MAX_STEPS = 500
MAX_PASSED = 30
DOUBLE_CLICK_S = 0.6
SAME_PLACE = (0.005, 0.005)
"""Distance of two clicks at the same place, in fractions of the screen's width and height."""
BESIDE = (0.16, 0.09)
"""Distance in the same unit from which a pointer is on no picture of a target."""


class HandRecording:
    """`look` takes a screenshot, `newest` returns the last frame; `read`: OCR of a picture."""

    def __init__(
        self, look: Callable[[], Awaitable[Frame]], newest: Callable[[], Frame | None], read: Read
    ) -> None:
        self._look, self._newest, self._read = look, newest, read
        self._steps: list[RecordedStep] = []
        self._pointers: deque[Point] = deque(maxlen=3)
        self._passed: deque[Shot] = deque(maxlen=MAX_PASSED)
        """Screens during pointer moves since the last action."""
        self._acted_at = 0.0

    async def record_action(self, action: InputAction) -> None:
        """Record an action before it is executed. Characters in a row become one text.

        Raises `ScreenError`, and `ProcedureError` if there are too many.
        """
        target = get_pointer(action, start=True)
        if isinstance(action, Move) and self._pointers and (frame := self._newest()):
            self._passed.append(Shot(frame, tuple(self._pointers)))
        if target:
            self._pointers.append(target)
        if isinstance(action, Move):
            return
        seconds, self._acted_at = time.monotonic() - self._acted_at, time.monotonic()
        if both := self._steps and _join(self._steps[-1].actions[-1], action, seconds):
            self._steps[-1].actions[-1] = both
        elif len(self._steps) >= MAX_STEPS:
            raise ProcedureError(Message("procedure.too_long", most=MAX_STEPS))
        else:
            shot = await self._look_beside(target)
            for last in self._steps[-1:]:
                last.screens.append(shot)
            self._steps.append(RecordedStep([shot], [action]))
        self._passed.clear()

    async def _look_beside(self, target: Point | None) -> Shot:
        """Return a screenshot without the pointer at the target, if the screen is still the same.

        Only the target may have changed: it may be marked under the pointer.
        """
        newest = Shot(await self._look(), tuple(self._pointers))
        if target is None:
            return newest
        for each in reversed(self._passed):
            if not any(_is_near(at, target, BESIDE) for at in each.pointers):
                pointers = (*each.pointers, *newest.pointers)
                changed = await find_plain_changes(each.frame, newest.frame, pointers)
                return each if changed <= cells_around(target) else newest
        return newest

    def end_drag(self, drag: Drag) -> None:
        """Set the whole drag, in place of the one recorded when it began."""
        self._steps[-1].actions = [drag]
        self._pointers.append(drag.path[-1])

    async def end(self) -> None:
        """Record the final screen. Raises `ProcedureError` if there was no action."""
        if not self._steps:
            raise ProcedureError(Message("procedure.nothing_recorded"))
        self._steps[-1].screens.append(await self._look_beside(None))

    def typed(self) -> dict[str, str]:
        """Return typed text -> name: that of a secret if it may be a password, else ""."""
        actions = (each for step in self._steps for each in step.actions)
        texts = dict.fromkeys(each.text for each in actions if isinstance(each, Type))
        return {
            each: f"{HIDDEN}password_{place}" if looks_secret(each) else ""
            for place, each in enumerate(texts, 1)
        }

    async def make(
        self,
        name: str,
        names: Sequence[str],
        keep_secret: Callable[[str, str], None],
        progress: Progress = lambda *_: None,
    ) -> Procedure:
        """`names`: parameter of each typed text; "" for a fixed one.

        `keep_secret` gets name and text of each whose name begins with `secret:`; the procedure
        does not contain these. Raises `CuaError`, also for a target without a sign.
        """
        values = {name: text for name, text in zip(names, self.typed(), strict=False) if name}
        if len(values) < sum(map(bool, names)):
            raise ProcedureError(Message("procedure.same_name"))
        texts = name_texts(values)
        found = await make_from_steps(name, "", self._steps, texts, self._read, progress)
        for each, text in values.items():
            if each.startswith(HIDDEN):
                keep_secret(each.removeprefix(HIDDEN), text)
        return found


def _join(last: InputAction, action: InputAction, seconds: float) -> InputAction | None:
    """Return both as one action if they are typing in a row, or clicks at the same place."""
    if isinstance(last, Type) and action == Keypress(keys=("SPACE",)):
        action = Type(text=" ")
    if isinstance(last, Type) and isinstance(action, Type):
        return Type(text=last.text + action.text)
    if not isinstance(last, Click) or not isinstance(action, Click) or seconds > DOUBLE_CLICK_S:
        return None
    same = last.model_copy(update={"at": action.at, "count": 1}) == action and last.count < 3
    near = last.at and action.at and _is_near(last.at, action.at, SAME_PLACE)
    return last.model_copy(update={"count": last.count + 1}) if same and near else None


def _is_near(one: Point, other: Point, distance: tuple[float, float]) -> bool:
    return abs(one.x - other.x) <= distance[0] and abs(one.y - other.y) <= distance[1]
