"""Detects a stable screen, of which no tile changes more than the noise of the stream.

The wait for small areas that never stop (a spinner, a clock, a blinking caret) is short. An area
that still moved at the time limit (a video) is not waited for again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from statistics import median

from ..types import Area, Frame
from .image import EDGE_LEVELS, MAX_NOISE_RATIO, details, differences, noise, sketch
from .regions import Cells, areas, expand

COLUMNS, ROWS, TILE_PX = 16, 9, 16
NOISE_GREY = 2.5
"""Grey levels by which a tile may differ between frames of a stable screen: above usual capture
noise and a blinking caret, below a typed word."""
MAX_NOISE_GREY = 8.0
"""Highest such limit on a noisy stream; above it, changes by programs would be missed."""
NOISE_FACTOR = 1.8
"""Ratio of the most changed tile to the median one in a noisy picture."""
SMALL_TILES = 6
"""Largest number of tiles of a spinner or a progress bar."""
SMALL_TIMEOUT_S = 0.9
"""Time to wait for such an area after the last report."""
LARGE_PROPORTION = 0.3
"""Proportion of a change after which more are likely: a page or a program opens."""
STABLE_AFTER_LARGE_CHANGE_S = 0.45


class StabilityDetector:
    """Measures the noise of one screen, and remembers the tiles that never stop moving."""

    def __init__(self) -> None:
        self._noise_levels: deque[float] = deque(maxlen=16)
        self._edge_noise_levels: deque[float] = deque(maxlen=16)
        self._moving: Cells = frozenset()

    async def changed(self, frames: Sequence[Frame]) -> Cells:
        """Return the tiles in which a frame differs from the first; all if one is broken."""
        pictures = list(dict.fromkeys(frame.jpeg for frame in frames))
        if len(pictures) == 1:
            return frozenset()
        try:
            found, detailed = await asyncio.to_thread(_compare, pictures)
        except OSError:
            return frozenset(range(COLUMNS * ROWS))
        self._noise_levels += [median(each) for each in found]
        self._edge_noise_levels += [noise(each, detailed) for each in found]
        plain, edged = self._thresholds()
        most = [edged if edges >= EDGE_LEVELS else plain for edges in detailed]
        return frozenset(tile for each in found for tile, by in enumerate(each) if by > most[tile])

    def is_stable(self, moving: Cells, seconds: float) -> bool:
        """Whether a screen with these moving tiles is accepted `seconds` after the last report."""
        if moving <= expand(self._moving, COLUMNS, ROWS):
            return True
        return len(moving) <= SMALL_TILES and seconds >= SMALL_TIMEOUT_S

    def accept(self, moving: Cells) -> tuple[Area, ...]:
        """Remember the tiles that moved in an accepted screenshot; return their areas."""
        self._moving = moving
        return areas(moving, COLUMNS, ROWS)

    def _thresholds(self) -> tuple[float, float]:
        """Return the limits in grey levels for a plain tile, and for one with edges."""
        plain = max(NOISE_GREY, NOISE_FACTOR * min(self._noise_levels))
        return min(MAX_NOISE_GREY, plain), min(
            MAX_NOISE_GREY, max(plain, MAX_NOISE_RATIO * min(self._edge_noise_levels))
        )


def _compare(jpegs: Sequence[bytes]) -> tuple[list[bytes], bytes]:
    """Return the differences of each picture from the first, and the details of the first."""
    first, *others = map(sketch, jpegs)
    return [differences(first, other, TILE_PX) for other in others], details(first, TILE_PX)


def is_large(changed: Cells) -> bool:
    return len(changed) > LARGE_PROPORTION * COLUMNS * ROWS
