"""Make a procedure from what a person does by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from ..agent.recorded_steps import RecordedStep
from ..messages import Message
from ..safety.secrets import looks_secret
from ..screen.ocr.client import Read
from ..types import Drag, Frame, InputAction, Move, ProcedureError, Type
from .from_record import SECRET, make_from_steps
from .procedure import Procedure

MAX_STEPS = 500


class HandRecording:
    """`look` returns the newest screenshot; `read` is the OCR of one."""

    def __init__(self, look: Callable[[], Awaitable[Frame]], read: Read) -> None:
        self._look, self._read = look, read
        self._steps: list[RecordedStep] = []

    async def take(self, action: InputAction) -> None:
        """Note an action that is about to be done. Characters that follow each other are one text.

        Raises `ScreenError`, and `ProcedureError` if there are too many.
        """
        if isinstance(action, Move):
            return
        if isinstance(action, Type) and self._steps:
            [*before, last] = self._steps[-1].actions
            if isinstance(last, Type):
                self._steps[-1].actions = [*before, Type(text=last.text + action.text)]
                return
        if len(self._steps) >= MAX_STEPS:
            raise ProcedureError(Message("procedure.too_long", most=MAX_STEPS))
        frame = await self._look()
        self._end_last(frame)
        self._steps.append(RecordedStep(frame, [action]))

    def end_drag(self, drag: Drag) -> None:
        """Note how the drag went that was taken last."""
        self._steps[-1].actions = [drag]

    async def end(self) -> None:
        """Raise `ProcedureError` if nothing was done."""
        if not self._steps:
            raise ProcedureError(Message("procedure.nothing_recorded"))
        self._end_last(await self._look())

    def _end_last(self, frame: Frame) -> None:
        if self._steps:
            self._steps[-1].after = frame

    def typed(self) -> list[str]:
        """Return the typed texts, each once."""
        actions = (each for step in self._steps for each in step.actions)
        return list(dict.fromkeys(each.text for each in actions if isinstance(each, Type)))

    def suggest_names(self) -> list[str]:
        """Return a name for each typed text: a secret's where it may be a password, else ""."""
        return [
            f"secret:password_{number}" if looks_secret(text) else ""
            for number, text in enumerate(self.typed(), 1)
        ]

    async def make(
        self, name: str, names: Sequence[str], keep_secret: Callable[[str, str], None]
    ) -> Procedure:
        """`names`: of the typed texts; "" for one that stays the same.

        `keep_secret` gets name and text of each whose name begins with `secret:`, which is then not
        in the procedure. Raises `CuaError`, also for a target without a sign.
        """
        given = [each for each in names if each]
        values = {name: text for name, text in zip(names, self.typed(), strict=False) if name}
        if len(values) < len(given):
            raise ProcedureError(Message("procedure.same_name"))
        found = await make_from_steps(name, name, self._steps, values, self._read)
        for each, text in values.items():
            if secret := SECRET.fullmatch(each):
                keep_secret(secret[1], text)
        return found
