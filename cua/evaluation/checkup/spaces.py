"""The ways in which models count places, and the one that a row of clicks fits.

A model counts in parts of the screen, or in pixels of the screenshot as its server made it; servers
resize, each by its own rule and without saying so. A way fits if most clicks hit when read in it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...dialects.claude import Claude
from ...dialects.coordinates import fit_size
from ...messages import Message
from ..testbed import Rule, Size
from .readings import Raw
from .targets import Target

ENOUGH = 0.6
"""Part of the clicks that have to hit for a way to fit."""
DRIFT = 3
"""Pixels off in the median that are not worth a word."""
ALIKE = 0.03
"""By which a height may differ from that of the screen's proportions."""
EDGE = 0.15
"""Nearer than this to an edge, in parts of the screen, a place says little about the scale."""


@dataclass(frozen=True)
class CoordinateSystem:
    """Numbers count to `width` and `height`. `rule`: for pixels; None: parts of any screen."""

    name: Message
    width: float
    height: float
    rule: Rule | None = None
    swapped: bool = False

    def place(self, raw: Raw, screen: Size) -> tuple[float, float]:
        """In pixels of the screen."""
        x, y = raw[::-1] if self.swapped else raw
        return x / self.width * screen[0], y / self.height * screen[1]


@dataclass(frozen=True)
class Fit:
    """How well clicks fit a way: hits among `of`, and their median distance in pixels."""

    way: CoordinateSystem
    hits: int
    of: int
    off: float


def fit(
    raws: Sequence[Raw | None], asked: Sequence[Target], screen: Size, sent: Size
) -> Fit | None:
    """The way that the clicks fit best, None if they fit none.

    `screen` is the size of the screen in pixels, `sent` that of the screenshots.
    """
    pairs = [(raw, target) for raw, target in zip(raws, asked, strict=True) if raw]
    if len(pairs) < len(asked) / 2:
        return None
    known = ways(screen, sent)
    swapped = [
        replace(way, name=Message("checkup.space_swapped", space=way.name), swapped=True)
        for way in known
    ]
    for tried in (known, _measured(pairs, screen), swapped):
        found = [judged(way, pairs, screen) for way in tried]
        best = max(found, key=lambda each: (each.hits, -each.off), default=None)
        if best and best.hits >= ENOUGH * best.of:
            return best
    return None


def judged(way: CoordinateSystem, pairs: Sequence[tuple[Raw, Target]], screen: Size) -> Fit:
    places = [(way.place(raw, screen), target) for raw, target in pairs]
    hits = sum(target.holds(*place) for place, target in places)
    off = statistics.median(target.off(*place) for place, target in places)
    return Fit(way, hits, len(places), off)


def better(best: Fit, hits: int, off: float | None) -> bool:
    """Return True if clicks fit clearly better than as they were read: then with this many hits, so
    many pixels off in the median, None if they could not be read at all.

    Also where as many hit: a drift that only the smallest controls would feel.
    """
    if off is None:
        return True
    drifts = best.hits >= hits and off > DRIFT and best.off < off / 3
    return drifts or (best.hits >= hits + 2 and best.off < off / 2)


# --- the ways -------------------------------------------------------------------------------------


def ways(screen: Size, sent: Size) -> list[CoordinateSystem]:
    """All that are known, the plainest first; of two that come to the same, only the first."""
    pixels: dict[Size, CoordinateSystem] = {}
    for rule in (_kept, _always(screen), *_RULES):
        pixels.setdefault(rule(*sent), _pixels(rule, sent))
    return [
        CoordinateSystem(Message("checkup.space_fractions"), 1, 1),
        CoordinateSystem(Message("checkup.space_thousandths"), 1000, 1000),
        *pixels.values(),
    ]


def _pixels(rule: Rule, sent: Size) -> CoordinateSystem:
    width, height = rule(*sent)
    name = Message("checkup.space_pixels", width=width, height=height)
    return CoordinateSystem(name, width, height, rule)


def _kept(width: int, height: int) -> Size:
    return width, height


def _always(size: Size) -> Rule:
    return lambda *_: size


def _tiles(factor: int, most: int) -> Rule:
    """Multiples of `factor`, and at most so many tiles of it."""
    tile = factor * factor
    return lambda width, height: fit_size(width, height, factor, 4 * tile, most * tile)


def _within(wide: int, high: int) -> Rule:
    def rule(width: int, height: int) -> Size:
        scale = min(1.0, wide / width, high / height)
        return round(width * scale), round(height * scale)

    return rule


_RULES: tuple[Rule, ...] = (
    _tiles(28, 16384),
    _tiles(32, 16384),
    _tiles(28, 1280),
    _tiles(32, 1280),
    Claude().image_size,
    _within(1366, 768),
    _within(1280, 800),
    _within(1024, 768),
    _always((1024, 768)),
)


def _measured(pairs: Sequence[tuple[Raw, Target]], screen: Size) -> list[CoordinateSystem]:
    """Pixels of a screenshot whose size is what the clicks themselves say.

    In the screen's proportions if it is near them, since servers keep them.
    """
    wide, high = (_extent(pairs, screen, axis) for axis in (0, 1))
    if not wide or not high:
        return []
    alike = wide * screen[1] / screen[0]
    size = round(wide), round(alike if abs(alike - high) < ALIKE * alike else high)
    return [_pixels(_always(size), screen)] if all(size) else []


def _extent(pairs: Sequence[tuple[Raw, Target]], screen: Size, axis: int) -> float:
    """What numbers count to along an axis, 0 if nothing can be said."""
    middles = [(raw[axis], target.middle(screen)) for raw, target in pairs]
    parts = [(number, middle.y if axis else middle.x) for number, middle in middles]
    found = [number / part for number, part in parts if part > EDGE and number > 0]
    return statistics.median(found) if found else 0.0
