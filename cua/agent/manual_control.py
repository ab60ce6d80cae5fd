"""The person at the controls themselves, through the same hands as the agent, which pauses first.

What they did is told to the model with the next step, so that it does not wonder; the letters of
what they typed are not, since that may be a password, and neither are they recorded. The gate alone
follows the hands, so that a line begun by hand and finished by the agent is judged as a whole.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from ..hid import keymap
from ..messages import Message
from ..types import Busy, Button, CuaError, Drag, Inputs, Keypress, ManualAction, Move, Point, Type
from ..types.describe import describe
from .pointer_hold import PointerHold
from .session import CUT_OFF, Session

MOST = 20
"""Deeds that are told; of more, the last ones."""
OFF = Message("session.takeover_off")
CTRL, ALT, WIN = (
    keymap.MODIFIERS[name] | keymap.MODIFIERS[f"R{name}"] for name in ("CTRL", "ALT", "WIN")
)
TOOK_OVER = Message("session.took_over")
HOLDING = Message("session.button_held")
OVER = Message("session.button_released")


@dataclass
class HandStep:
    words: str
    letters: int = 0
    """How many, where it was typing."""

    def told(self) -> str:
        return f"typed {self.letters} characters" if self.letters else self.words


@dataclass(eq=False)
class Hold:
    """A button that is held, from the first word of it until it is up."""

    number: int
    grip: PointerHold
    task: asyncio.Task[None]


class ManualControl:
    """`inputs` and `size` (of the screen, in pixels) give what is there now."""

    def __init__(
        self,
        session: Session,
        inputs: Callable[[], Inputs],
        size: Callable[[], tuple[int, int]],
        allowed: Callable[[], bool],
    ) -> None:
        self._session, self._inputs, self._size, self._allowed = session, inputs, size, allowed
        self._lock = asyncio.Lock()
        self._deeds: list[HandStep] = []
        self._holds = itertools.count(1)
        self._hold: Hold | None = None

    @property
    def holding(self) -> bool:
        """Whether a button of the mouse is held by hand, or about to be."""
        return self._hold is not None and not self._hold.task.done()

    async def take(self) -> int:
        """Nothing is under way when this returns, and every key is up. Raises `Busy`. Returns the
        turn, which every deed names: so nothing that was asked for before a stop follows it, and
        the person may all the same work by hand while the agent is stopped.
        """
        self._check_free()
        turn = self._session.turn
        async with self._lock:
            await self._session.give_way(TOOK_OVER, turn)
        return turn

    async def do(
        self, action: ManualAction, check: Callable[[], None] = lambda: None, turn: int = 0
    ) -> None:
        """Raises `Busy`, `ActionError` and `DeviceError`, and what `check` does just before."""
        self._check_free()
        async with self._lock:
            self._check()
            await self._session.give_way(TOOK_OVER, turn, lambda: self._perform(action, check))

    async def hold(
        self, at: Point, button: Button, check: Callable[[], None], turn: int = 0
    ) -> int:
        """The button is down there when this returns, as a deed of its own that goes on: a stop, a
        pause, another computer end it as any other, and so does a second without `follow`.
        Returns the number of the hold. Raises as `do`.
        """
        self._check_free()
        grip = PointerHold(at)
        task = asyncio.create_task(self._carry(grip, button, check, turn))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        hold = self._hold = Hold(next(self._holds), grip, task)
        try:
            await asyncio.wait([task, grip.down], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            _result(task)
        return hold.number

    async def follow(
        self, number: int, at: Point, *, over: bool, check: Callable[[], None]
    ) -> None:
        """The finger is there now; when it is `over`, all is up when this returns. Raises as `do`,
        also for what went wrong since the last word.
        """
        hold = self._hold
        if hold is None or hold.number != number:
            raise Busy(OVER)
        try:
            self._check()
            check()
        except CuaError:
            await self.let_go()
            raise
        hold.grip.say(at, over=over)
        if over:
            await asyncio.wait([hold.task])
        if hold.task.done():
            _result(hold.task)

    async def let_go(self) -> None:
        """A button that is held by hand is up when this returns."""
        if self.holding:
            await self._session.pause()

    def _check_free(self) -> None:
        self._check()
        if self.holding:
            raise Busy(HOLDING)

    def _check(self) -> None:
        if not self._allowed():
            raise Busy(OFF)

    async def _carry(
        self, grip: PointerHold, button: Button, check: Callable[[], None], turn: int
    ) -> None:
        async with self._lock:
            self._check()
            await self._session.give_way(TOOK_OVER, turn, lambda: self._pull(grip, button, check))

    async def _pull(self, grip: PointerHold, button: Button, check: Callable[[], None]) -> None:
        check()
        try:
            await self._inputs().hold_button(button, grip)
        finally:  # cut off or not, something was dragged
            if grip.down.done():
                self._note(Drag(path=(grip.start, grip.here), button=button))

    async def _perform(self, action: ManualAction, check: Callable[[], None]) -> None:
        check()
        inputs = self._inputs()
        inputs.check(action)
        await inputs.perform(action)
        self._note(action)

    def _note(self, action: ManualAction) -> None:
        """One line for many letters, none for where the pointer went."""
        if isinstance(action, Move):
            return
        if not self._session.by_hand:
            self._deeds.clear()  # the model has heard of them
        letters = len(action.text) if isinstance(action, Type) else _letters(action)
        if letters and self._deeds and self._deeds[-1].letters:
            self._deeds[-1].letters += letters
        else:
            deed = HandStep(describe(action, *self._size()), letters)
            self._deeds.append(deed)
            self._session.log.append(
                "by_hand", words=Message("session.typing") if letters else deed.words
            )
        del self._deeds[:-MOST]
        told = "; ".join(deed.told() for deed in self._deeds)
        self._session.by_hand = f"Meanwhile the person did this by hand: {told}."


def _result(task: asyncio.Task[None]) -> None:
    if task.cancelled():
        raise Busy(CUT_OFF)
    task.result()


def _letters(action: ManualAction) -> int:
    """Keys pressed one by one may spell a password too, with Shift held, or AltGr."""
    if not isinstance(action, Keypress):
        return 0
    signs = [name for name in action.keys if len(name) == 1]
    held = 0
    for name in action.keys:
        held |= keymap.key(name).modifiers if len(name) > 1 else 0
    # A browser tells of AltGr, without which many keyboards have no @, as of Ctrl and Alt.
    alt_gr = held & ALT and not all(sign.isascii() and sign.isalnum() for sign in signs)
    chord = held & WIN or (held & CTRL and not alt_gr)
    return 0 if chord else len(signs) * action.count
