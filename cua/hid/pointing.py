"""Two ways to bring the pointer to a place: to say where it is, and to say how far to move it.

The first is exact and the usual one. The second is for firmware that ignores absolute pointers:
nobody knows where its pointer is, so it is driven into a corner first, and from there at one even
speed, because the distance that a count goes depends on the speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ..types import Point
from .reports import Pace, Stroke, absolute, relative

CORNER = Point(x=0.0, y=1.0)
"""The lower left one: in others some systems open an overview or a note when it is hit."""
FARTHEST = 127
"""Counts of one report at most."""
EVEN = 10
"""Counts per report on the way to a place; slow enough to be seen by a firmware's setup."""
SURELY = 3
"""How often the screen is crossed to be in the corner for sure, whatever a count is worth."""


class Mouse(NamedTuple):
    """What a relative mouse moves on: pixels of the screen, and how many of them a count goes."""

    width: int
    height: int
    gain: float = 1.0


class Pointing(Protocol):
    @property
    def pace(self) -> Pace: ...

    def move(self, at: Point, here: Point | None) -> Iterator[Stroke]:
        """To a place, from where the last stroke left the pointer (None: nobody knows)."""

    def drag(self, here: Point, there: Point, buttons: int, least: int) -> Iterator[Stroke]:
        """In small steps with buttons held, `least` of them where a place can be told as such."""

    def button(self, at: Point | None, buttons: int, hold: float) -> Stroke:
        """What is held from now on, where the pointer is."""

    def wheel(self, at: Point | None, notches: int) -> Stroke:
        """Away from the person is positive."""


class Absolute(NamedTuple):
    pace: Pace

    def move(self, at: Point, here: Point | None) -> Iterator[Stroke]:
        if here is None or absolute(at) == absolute(here):
            # A host drops an absolute position equal to the last one, even if the person's own
            # mouse has moved the pointer since; a step aside makes it count.
            aside = Point(x=at.x + (0.002 if at.x < 0.5 else -0.002), y=at.y)
            yield Stroke("pointer", absolute(aside), self.pace.step, where=aside)
        yield Stroke("pointer", absolute(at), self.pace.hold, where=at)

    def drag(self, here: Point, there: Point, buttons: int, least: int) -> Iterator[Stroke]:
        for at in _between(here, there, least):
            yield self.button(at, buttons, self.pace.step)

    def button(self, at: Point | None, buttons: int, hold: float) -> Stroke:
        if at is None:
            return Stroke("mouse", relative(buttons), hold)
        return Stroke("pointer", absolute(at, buttons), hold, where=at)

    def wheel(self, at: Point | None, notches: int) -> Stroke:
        if at is None:
            return Stroke("mouse", relative(wheel=notches), self.pace.notch)
        return Stroke("pointer", absolute(at, wheel=notches), self.pace.notch, where=at)


class Relative(NamedTuple):
    pace: Pace
    mouse: Mouse

    def move(self, at: Point, here: Point | None) -> Iterator[Stroke]:  # noqa: ARG002
        """By way of the corner every time: the person's own mouse may have been used since."""
        longest = max(self.mouse.width, self.mouse.height) / self.mouse.gain
        for _ in range(math.ceil(SURELY * longest / FARTHEST)):
            yield Stroke("mouse", relative(dx=-FARTHEST, dy=FARTHEST), where=CORNER)
        yield from self.drag(CORNER, at, 0, 1)
        yield Stroke("mouse", relative(), self.pace.hold, where=at)

    def drag(self, here: Point, there: Point, buttons: int, least: int) -> Iterator[Stroke]:  # noqa: ARG002
        (x, y), (to_x, to_y) = self._counts(here), self._counts(there)
        for step in _even(to_x - x):
            yield Stroke("mouse", relative(buttons, dx=step), self.pace.step, where=there)
        for step in _even(to_y - y):
            yield Stroke("mouse", relative(buttons, dy=step), self.pace.step, where=there)

    def button(self, at: Point | None, buttons: int, hold: float) -> Stroke:
        return Stroke("mouse", relative(buttons), hold, where=at)

    def wheel(self, at: Point | None, notches: int) -> Stroke:
        return Stroke("mouse", relative(wheel=notches), self.pace.notch, where=at)

    def _counts(self, at: Point) -> tuple[int, int]:
        """How far a place is from the upper left corner."""
        width, height, gain = self.mouse
        x, y = min(width - 1, int(at.x * width)), min(height - 1, int(at.y * height))
        return round(x / gain), round(y / gain)


def _even(counts: int) -> Iterator[int]:
    """Steps of one size, and the rest first."""
    sign = 1 if counts > 0 else -1
    if rest := abs(counts) % EVEN:
        yield sign * rest
    for _ in range(abs(counts) // EVEN):
        yield sign * EVEN


def _between(here: Point, there: Point, least: int) -> Iterator[Point]:
    """Points of a straight line, `there` included, at most 2 % of the screen apart."""
    count = max(least, round(max(abs(there.x - here.x), abs(there.y - here.y)) / 0.02))
    if here == there:
        return
    for n in range(1, count + 1):
        part = n / count
        yield Point(
            x=min(1.0, max(0.0, here.x + (there.x - here.x) * part)),
            y=min(1.0, max(0.0, here.y + (there.y - here.y) * part)),
        )
