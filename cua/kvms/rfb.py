"""What the hands do, as messages of the RFB protocol (VNC): keys by what is printed on them, the
pointer by its pixel.
"""

from __future__ import annotations

import struct

from ..hid.reports import Endpoint
from .changes import MODIFIER, Button, Change, Changes, Key, Place, Step, Wheel
from .codes import keysym

BITS = {0: 1, 1: 4, 2: 2}
"""Button of a report -> its bit here."""
UP, DOWN = 8, 16


class Told:
    """What the server has been told: where the pointer is and what is held."""

    def __init__(self) -> None:
        self._changes = Changes()
        self._held: dict[int, int] = {}
        self._mask = 0
        self._at = (0, 0)

    def messages(self, endpoint: Endpoint, report: bytes, width: int, height: int) -> list[bytes]:
        """What this report changes, on a screen of this size in pixels."""
        changes = self._changes.of(endpoint, report)
        return [m for change in changes for m in self._said(change, width, height)]

    def _said(self, change: Change, width: int, height: int) -> list[bytes]:
        if isinstance(change, Key):
            return [self._key(change)]
        if isinstance(change, Button):
            bit = BITS.get(change.bit, 0)
            self._mask = self._mask | bit if change.down else self._mask & ~bit
        elif isinstance(change, Place):
            self._at = (change.x * width >> 15, change.y * height >> 15)
        elif isinstance(change, Step):
            x, y = self._at[0] + change.dx, self._at[1] + change.dy
            self._at = (min(width - 1, max(0, x)), min(height - 1, max(0, y)))
        elif isinstance(change, Wheel):
            wheel = UP if change.notches > 0 else DOWN
            return [self._pointed(wheel), self._pointed()] * abs(change.notches)
        return [self._pointed()]

    def _key(self, change: Key) -> bytes:
        """What went down comes up, also when Shift was let go of in between."""
        if change.down:
            shifted = bool(self._held.keys() & {MODIFIER + 1, MODIFIER + 5})
            self._held[change.usage] = keysym(change.usage, shifted=shifted)
        symbol = self._held[change.usage] if change.down else self._held.pop(change.usage)
        return struct.pack(">BBxxI", 4, change.down, symbol)

    def _pointed(self, wheel: int = 0) -> bytes:
        return struct.pack(">BBHH", 5, self._mask | wheel, *self._at)
