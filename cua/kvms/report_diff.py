"""Convert HID reports, which list what is pressed, to changes; releases come first."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from ..hid.reports import LENGTHS, Endpoint

MODIFIER = 0xE0
"""The usage of the first modifier."""


class KeyEvent(NamedTuple):
    usage: int
    down: bool


class ButtonEvent(NamedTuple):
    """A press or release of a button; `bit`: 0 left, 1 right, 2 middle, 3 back, 4 forward."""

    bit: int
    down: bool


class AbsoluteMove(NamedTuple):
    """A move of the pointer to a position of 0..32767 over the screen."""

    x: int
    y: int


class RelativeMove(NamedTuple):
    """A move of a relative mouse, in counts."""

    dx: int
    dy: int


class Wheel(NamedTuple):
    """A turn of the wheel, in notches away from the user."""

    notches: int


Change = KeyEvent | ButtonEvent | AbsoluteMove | RelativeMove | Wheel


def diff(endpoint: Endpoint, before: bytes | None, now: bytes) -> list[Change]:
    """Return the changes between two reports of an endpoint; `before` None: the first one."""
    was = before or bytes(LENGTHS[endpoint])
    if endpoint == "keyboard":
        return _keys(was, now)
    moved: list[Change]
    if endpoint == "mouse":
        buttons, dx, dy, notches = struct.unpack("<Bbbb", now)
        moved = [RelativeMove(dx, dy)] if dx or dy else []
    else:
        buttons, x, y, notches = struct.unpack("<BHHb", now)
        moved = [AbsoluteMove(x, y)]
    pressed = [*_buttons(was[0], buttons), *([Wheel(notches)] if notches else [])]
    stays = endpoint == "pointer" and before is not None and was[1:5] == now[1:5]
    return pressed if pressed and stays else [*moved, *pressed]


def _keys(before: bytes, now: bytes) -> list[Change]:
    was, is_now = list(_down(before)), list(_down(now))
    up: list[Change] = [KeyEvent(usage, False) for usage in reversed(was) if usage not in is_now]
    return up + [KeyEvent(usage, True) for usage in is_now if usage not in was]


def _down(report: bytes) -> Iterator[int]:
    """Yield the pressed usages, modifiers first: they apply to the keys after them."""
    yield from (MODIFIER + bit for bit in range(8) if report[0] >> bit & 1)
    yield from (usage for usage in report[2:] if usage)


def _buttons(before: int, now: int) -> list[Change]:
    return [ButtonEvent(bit, bool(now >> bit & 1)) for bit in range(5) if (before ^ now) >> bit & 1]
