"""Reports as messages of the RFB protocol (VNC): keys by keysym, the pointer by its pixel."""

from __future__ import annotations

import struct

from ..hid.keymap import MODIFIERS
from ..hid.reports import Endpoint
from .key_codes import find_keysym
from .report_diff import AbsoluteMove, ButtonEvent, KeyEvent, RelativeMove, Wheel, diff

BUTTON_BITS = {0: 1, 1: 4, 2: 2}
"""Bit of a button in a report -> its bit in a pointer event."""
WHEEL_UP, WHEEL_DOWN = 8, 16
SHIFTS = MODIFIERS["SHIFT"] | MODIFIERS["RSHIFT"]


class RfbEncoder:
    """Encodes reports; keeps the pointer's position in pixels."""

    def __init__(self) -> None:
        self._at = (0, 0)

    def encode(
        self, endpoint: Endpoint, before: bytes | None, now: bytes, size: tuple[int, int]
    ) -> list[bytes]:
        """See `remote_hid.Encode`; `size` is the screen's size in pixels."""
        found, mask = [], _button_mask(before)
        for change in diff(endpoint, before, now):
            if isinstance(change, KeyEvent):
                found.append(_key(change, now if change.down else before or now))
            elif isinstance(change, Wheel):
                wheel = mask | (WHEEL_UP if change.notches > 0 else WHEEL_DOWN)
                notch = [self._pointer_event(wheel), self._pointer_event(mask)]
                found += notch * abs(change.notches)
            else:
                mask = _button_mask(now) if isinstance(change, ButtonEvent) else mask
                self._move(change, *size)
                found.append(self._pointer_event(mask))
        return found

    def _move(
        self, change: ButtonEvent | AbsoluteMove | RelativeMove, width: int, height: int
    ) -> None:
        if isinstance(change, AbsoluteMove):
            self._at = change.x * width >> 15, change.y * height >> 15
        elif isinstance(change, RelativeMove):
            x, y = self._at[0] + change.dx, self._at[1] + change.dy
            self._at = min(width - 1, max(0, x)), min(height - 1, max(0, y))

    def _pointer_event(self, mask: int) -> bytes:
        return struct.pack(">BBHH", 5, mask, *self._at)


def _button_mask(report: bytes | None) -> int:
    return sum(there for bit, there in BUTTON_BITS.items() if report and report[0] >> bit & 1)


def _key(change: KeyEvent, report: bytes) -> bytes:
    """Encode a KeyEvent. `report`: one in which the key is pressed, with its modifiers."""
    symbol = find_keysym(change.usage, shifted=bool(report[0] & SHIFTS))
    return struct.pack(">BBxxI", 4, change.down, symbol)
