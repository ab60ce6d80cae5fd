"""Coordinate systems of models, and the one that a series of clicks fits.

A model uses fractions of the screen, or pixels of the screenshot as its server resized it, by an
undocumented rule. A system fits if most clicks hit in it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.claude import Claude
from ...dialects.coordinates import fit_size
from ...messages import Message
from ...screen.video_screen import keep_size
from ...types import SentSize
from ..testbed import Size
from .clicks import RawPoint
from .targets import Target

MIN_HIT_SHARE = 0.6
"""Share of the clicks that must hit for a system to fit."""
MAX_DRIFT_PX = 3
"""Median distance of clicks up to which it is not reported."""
ASPECT_TOLERANCE = 0.03
"""Relative difference at most of a height from the one with the screen's proportions."""
MIN_EDGE_DISTANCE = 0.15
"""Fraction of the screen at the left and the top, where clicks hardly show the scale."""


@dataclass(frozen=True)
class CoordinateSystem:
    """`width`, `height`: the greatest numbers. `sent_size`: for pixels; None: any screen."""

    name: Message
    width: float
    height: float
    sent_size: SentSize | None = None

    def to_pixels(self, raw: RawPoint, screen: Size) -> tuple[float, float]:
        return raw[0] / self.width * screen[0], raw[1] / self.height * screen[1]


@dataclass(frozen=True)
class Fit:
    """The fit of clicks to a system: `hits` of `of`, and the median `distance_px`."""

    system: CoordinateSystem
    hits: int
    of: int
    distance_px: float


def find_fit(
    raws: Sequence[RawPoint | None], asked: Sequence[Target], screen: Size, sent: Size
) -> Fit | None:
    """Return the best fit of the clicks, None if they fit no system.

    `screen` is the size of the screen in pixels, `sent` that of the screenshots.
    """
    pairs = [(raw, target) for raw, target in zip(raws, asked, strict=True) if raw]
    if len(pairs) < len(asked) / 2:
        return None
    for tried in (known_systems(screen, sent), _measure(pairs, screen)):
        found = [rate_fit(system, pairs, screen) for system in tried]
        best = max(found, key=lambda each: (each.hits, -each.distance_px), default=None)
        if best and best.hits >= MIN_HIT_SHARE * best.of:
            return best
    return None


def rate_fit(
    system: CoordinateSystem, pairs: Sequence[tuple[RawPoint, Target]], screen: Size
) -> Fit:
    places = [(system.to_pixels(raw, screen), target) for raw, target in pairs]
    hits = sum(target.contains(*place) for place, target in places)
    distance_px = statistics.median(target.distance_px(*place) for place, target in places)
    return Fit(system, hits, len(places), distance_px)


def is_better(best: Fit, hits: int, distance_px: float | None) -> bool:
    """Whether `best` is clearly better than the current system, which has these `hits` and median
    `distance_px` (None: no click could be read).

    Also with as many hits, if it removes a drift that only the smallest controls would show.
    """
    if distance_px is None:
        return True
    drifts = best.hits >= hits and distance_px > MAX_DRIFT_PX and best.distance_px < distance_px / 3
    return drifts or (best.hits >= hits + 2 and best.distance_px < distance_px / 2)


# --- the systems ----------------------------------------------------------------------------------


def known_systems(screen: Size, sent: Size) -> list[CoordinateSystem]:
    """Return all known systems, the simplest first, without duplicates."""
    pixels: dict[Size, CoordinateSystem] = {}
    for sent_size in (keep_size, _fixed_size(screen), *_SENT_SIZES):
        pixels.setdefault(sent_size(*sent), _pixels(sent_size, sent))
    return [
        CoordinateSystem(Message("checkup.space_fractions"), 1, 1),
        CoordinateSystem(Message("checkup.space_thousandths"), 1000, 1000),
        *pixels.values(),
    ]


def _pixels(sent_size: SentSize, sent: Size) -> CoordinateSystem:
    width, height = sent_size(*sent)
    name = Message("checkup.space_pixels", width=width, height=height)
    return CoordinateSystem(name, width, height, sent_size)


def _fixed_size(size: Size) -> SentSize:
    return lambda *_: size


def _fit_tiles(factor: int, most: int) -> SentSize:
    """Return a function that fits a size to multiples of `factor`, at most `most` tiles."""
    return lambda width, height: fit_size(width, height, factor, most)


def _fit_within(wide: int, high: int) -> SentSize:
    def sent_size(width: int, height: int) -> Size:
        scale = min(1.0, wide / width, high / height)
        return round(width * scale), round(height * scale)

    return sent_size


_SENT_SIZES: tuple[SentSize, ...] = (
    _fit_tiles(28, 16384),
    _fit_tiles(32, 16384),
    _fit_tiles(28, 1280),
    _fit_tiles(32, 1280),
    Claude().sent_size,
    _fit_within(1366, 768),
    _fit_within(1280, 800),
    _fit_within(1024, 768),
    _fixed_size((1024, 768)),
)


def _measure(pairs: Sequence[tuple[RawPoint, Target]], screen: Size) -> list[CoordinateSystem]:
    """Return the pixels of a screenshot whose size is estimated from the clicks.

    A size near the screen's proportions gets exactly these, since servers keep them.
    """
    wide, high = (_measure_extent(pairs, screen, axis) for axis in (0, 1))
    if not wide or not high:
        return []
    alike = wide * screen[1] / screen[0]
    size = round(wide), round(alike if abs(alike - high) < ASPECT_TOLERANCE * alike else high)
    return [_pixels(_fixed_size(size), screen)] if all(size) else []


def _measure_extent(pairs: Sequence[tuple[RawPoint, Target]], screen: Size, axis: int) -> float:
    """Return the greatest number along an axis, 0 if unknown."""
    middles = [(raw[axis], target.middle(screen)) for raw, target in pairs]
    parts = [(number, middle.y if axis else middle.x) for number, middle in middles]
    found = [number / part for number, part in parts if part > MIN_EDGE_DISTANCE and number > 0]
    return statistics.median(found) if found else 0.0
