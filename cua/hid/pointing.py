"""Two ways to move the pointer: absolute positions, and steps of a relative mouse.

Absolute positions are exact and the usual way. The relative mouse is for firmware that ignores
them: its pointer position is unknown, so it first moves into a corner, then at an even speed,
because the distance of a count depends on the speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..types import Point
from .reports import TimedReport, Timing, make_mouse_report, make_pointer_report

CORNER = Point(x=0.0, y=1.0)
"""The lower left corner; in others some systems open an overview or a note."""
MAX_COUNTS = 127
"""Largest distance of one report."""
STEP_COUNTS = 10
"""Distance of each report on the way to a place; slow enough for a firmware's setup."""
CORNER_CROSSINGS = 3
"""Number of screen sizes that the pointer moves to reach the corner with any gain."""


class Mouse(NamedTuple):
    """The size of the screen in pixels, and `gain`: pixels per count of the relative mouse."""

    width: int
    height: int
    gain: float = 1.0


class Absolute(NamedTuple):
    timing: Timing

    def move(self, at: Point, here: Point | None) -> Iterator[TimedReport]:
        """Move to a place; `here` is the pointer's place after the last report (None: unknown)."""
        if here is None or make_pointer_report(at) == make_pointer_report(here):
            # A host drops an absolute position equal to the last one, even if another mouse has
            # moved the pointer since, so a step aside comes first.
            aside = Point(x=at.x + (0.002 if at.x < 0.5 else -0.002), y=at.y)
            yield TimedReport("pointer", make_pointer_report(aside), self.timing.step, where=aside)
        yield TimedReport("pointer", make_pointer_report(at), self.timing.hold, where=at)

    def drag(self, here: Point, there: Point, buttons: int, least: int) -> Iterator[TimedReport]:
        """Move with buttons pressed, in at least `least` steps."""
        for at in _interpolate(here, there, least):
            yield self.make_report(at, buttons, pause_s=self.timing.step)

    def make_report(
        self, at: Point | None, buttons: int = 0, *, wheel: int = 0, pause_s: float = 0.0
    ) -> TimedReport:
        """Press exactly these buttons and turn the wheel (positive: away from the user).

        `at` is the pointer's place; if it is unknown, the relative mouse is used.
        """
        if at is None:
            return TimedReport("mouse", make_mouse_report(buttons, wheel=wheel), pause_s)
        return TimedReport("pointer", make_pointer_report(at, buttons, wheel), pause_s, where=at)


class Relative(NamedTuple):
    timing: Timing
    mouse: Mouse

    def move(self, at: Point, here: Point | None) -> Iterator[TimedReport]:  # noqa: ARG002
        """Move through the corner every time: another mouse may have been used since."""
        longest = max(self.mouse.width, self.mouse.height) / self.mouse.gain
        to_corner = make_mouse_report(dx=-MAX_COUNTS, dy=MAX_COUNTS)
        for _ in range(math.ceil(CORNER_CROSSINGS * longest / MAX_COUNTS)):
            yield TimedReport("mouse", to_corner, where=CORNER)
        yield from self.drag(CORNER, at, 0, 1)
        yield TimedReport("mouse", make_mouse_report(), self.timing.hold, where=at)

    def drag(self, here: Point, there: Point, buttons: int, least: int) -> Iterator[TimedReport]:  # noqa: ARG002
        (x, y), (to_x, to_y) = self._counts(here), self._counts(there)
        across = [(step, 0) for step in _split_steps(to_x - x)]
        for dx, dy in [*across, *((0, step) for step in _split_steps(to_y - y))]:
            report = make_mouse_report(buttons, dx, dy)
            yield TimedReport("mouse", report, self.timing.step, where=there)

    def make_report(
        self, at: Point | None, buttons: int = 0, *, wheel: int = 0, pause_s: float = 0.0
    ) -> TimedReport:
        return TimedReport("mouse", make_mouse_report(buttons, wheel=wheel), pause_s, where=at)

    def _counts(self, at: Point) -> tuple[int, int]:
        """Return the distance of a place from the upper left corner, in counts."""
        width, height, gain = self.mouse
        x, y = min(width - 1, int(at.x * width)), min(height - 1, int(at.y * height))
        return round(x / gain), round(y / gain)


Pointing = Absolute | Relative


def _split_steps(counts: int) -> Iterator[int]:
    """Yield steps of equal size, the remainder first."""
    sign = 1 if counts > 0 else -1
    if rest := abs(counts) % STEP_COUNTS:
        yield sign * rest
    for _ in range(abs(counts) // STEP_COUNTS):
        yield sign * STEP_COUNTS


def _interpolate(here: Point, there: Point, least: int) -> Iterator[Point]:
    """Yield points of a straight line, `there` included, at most 2 % of the screen apart."""
    count = max(least, round(max(abs(there.x - here.x), abs(there.y - here.y)) / 0.02))
    if here == there:
        return
    for n in range(1, count + 1):
        part = n / count
        yield Point.clipped(here.x + (there.x - here.x) * part, here.y + (there.y - here.y) * part)
