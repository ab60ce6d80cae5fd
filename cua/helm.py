"""The person at the controls themselves, through the same hands as the agent, which pauses first.

What they did is told to the model with the next step, so that it does not wonder; the letters of
what they typed are not, since that may be a password, and neither are they recorded. The gate alone
follows the hands, so that a line begun by hand and finished by the agent is judged as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from .hid import keymap
from .session import Session
from .types import Busy, Hands, Keypress, Manual, Move, Type
from .wording import describe

MOST = 20
"""Deeds that are told; of more, the last ones."""
OFF = "Taking over is off. Allow it in Settings first."
CTRL, ALT, WIN = (
    keymap.MODIFIERS[name] | keymap.MODIFIERS[f"R{name}"] for name in ("CTRL", "ALT", "WIN")
)
TOOK_OVER = "You took over, so the run was paused."


@dataclass
class Deed:
    words: str
    letters: int = 0
    """How many, where it was typing."""

    def told(self) -> str:
        return f"typed {self.letters} characters" if self.letters else self.words


class Helm:
    """`hands` and `size` (of the screen, in pixels) give what is there now."""

    def __init__(
        self,
        session: Session,
        hands: Callable[[], Hands],
        size: Callable[[], tuple[int, int]],
        allowed: Callable[[], bool],
    ) -> None:
        self._session, self._hands, self._size, self._allowed = session, hands, size, allowed
        self._lock = asyncio.Lock()
        self._deeds: list[Deed] = []

    async def take(self) -> None:
        """Nothing is under way when this returns, and every key is up. Raises `Busy`."""
        self._check()
        async with self._lock:
            await self._session.give_way(TOOK_OVER)

    async def do(self, action: Manual, check: Callable[[], None] = lambda: None) -> None:
        """Raises `Busy`, `ActionError` and `DeviceError`, and what `check` does just before."""
        async with self._lock:
            self._check()
            await self._session.give_way(TOOK_OVER, lambda: self._perform(action, check))

    def _check(self) -> None:
        if not self._allowed():
            raise Busy(OFF)

    async def _perform(self, action: Manual, check: Callable[[], None]) -> None:
        check()
        hands = self._hands()
        hands.check(action)
        await hands.perform(action)
        self._note(action)

    def _note(self, action: Manual) -> None:
        """One line for many letters, none for where the pointer went."""
        if isinstance(action, Move):
            return
        if not self._session.by_hand:
            self._deeds.clear()  # the model has heard of them
        letters = len(action.text) if isinstance(action, Type) else _letters(action)
        if letters and self._deeds and self._deeds[-1].letters:
            self._deeds[-1].letters += letters
        else:
            deed = Deed(describe(action, *self._size()), letters)
            self._deeds.append(deed)
            self._session.log.append("by_hand", words="Typing" if letters else deed.words)
        del self._deeds[:-MOST]
        told = "; ".join(deed.told() for deed in self._deeds)
        self._session.by_hand = f"Meanwhile the person did this by hand: {told}."


def _letters(action: Manual) -> int:
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
