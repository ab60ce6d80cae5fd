"""A report says what is down; others want to be told what changed. Releases come first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..hid.reports import LENGTHS, Endpoint

MODIFIER = 0xE0
"""The usage of the first modifier."""


class Key(NamedTuple):
    usage: int
    down: bool


class Button(NamedTuple):
    """`bit`: 0 left, 1 right, 2 middle, 3 back, 4 forward."""

    bit: int
    down: bool


class Place(NamedTuple):
    """0..32767 over the screen."""

    x: int
    y: int


class Step(NamedTuple):
    """Counts of a relative mouse."""

    dx: int
    dy: int


class Wheel(NamedTuple):
    """Notches away from the person."""

    notches: int


Change = Key | Button | Place | Step | Wheel


class Changes:
    """Remembers the last report of each endpoint. Buttons are one set, whichever mouse has them."""

    def __init__(self) -> None:
        self._last = {endpoint: bytes(length) for endpoint, length in LENGTHS.items()}
        self._place: Place | None = None

    def of(self, endpoint: Endpoint, report: bytes) -> list[Change]:
        before, self._last[endpoint] = self._last[endpoint], report
        if endpoint == "keyboard":
            return _keys(before, report)
        buttons = _buttons(before[0], report[0])
        moved = self._moved(report, alone=not buttons) if endpoint == "pointer" else _step(report)
        wheel = int.from_bytes(report[-1:], "little", signed=True)
        return [*moved, *buttons, *([Wheel(wheel)] if wheel else [])]

    def _moved(self, report: bytes, *, alone: bool) -> list[Change]:
        place = Place(int.from_bytes(report[1:3], "little"), int.from_bytes(report[3:5], "little"))
        if place == self._place and (not alone or report[5]):
            return []
        self._place = place
        return [place]


def _keys(before: bytes, now: bytes) -> list[Change]:
    was, is_now = list(_down(before)), list(_down(now))
    up: list[Change] = [Key(usage, False) for usage in reversed(was) if usage not in is_now]
    return up + [Key(usage, True) for usage in is_now if usage not in was]


def _down(report: bytes) -> Iterator[int]:
    """Modifiers first: they have to be held when their letter comes."""
    yield from (MODIFIER + bit for bit in range(8) if report[0] >> bit & 1)
    yield from (usage for usage in report[2:] if usage)


def _buttons(before: int, now: int) -> list[Change]:
    return [Button(bit, bool(now >> bit & 1)) for bit in range(5) if (before ^ now) >> bit & 1]


def _step(report: bytes) -> list[Change]:
    dx, dy = (int.from_bytes(report[at : at + 1], "little", signed=True) for at in (1, 2))
    return [Step(dx, dy)] if dx or dy else []
