"""When a screen is at rest: no tile of it changes more than the stream's own noise does.

Small places that never stop (a spinner, a clock, a blinking caret) are waited for a moment only. A
place that outlasted all patience (a video) is known from then on, and not waited for again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from statistics import median

from ..types import Area, Frame
from .areas import Cells, areas, grown
from .picture import ABOVE_ROUGH, EDGES, details, differences, noise, sketch

COLUMNS, ROWS, TILE = 16, 9, 16
REST = 2.5
"""Grey levels by which a tile may differ between frames of a screen at rest: above usual capture
noise and a blinking caret, below a typed word."""
MOST = 8.0
"""The same on the noisiest stream; beyond, a program's own changes would be missed."""
ABOVE_NOISE = 1.8
"""By how much the most changed tile of a noisy picture may exceed its middle one."""
SMALL = 6
"""Tiles that a spinner or a progress bar takes at most."""
PATIENCE_WITH_SMALL = 0.9
"""Seconds after the last report that are waited for such a place."""
MUCH = 0.3
"""Share of the screen after whose change more is likely to come: a page, a program that opens."""
QUIET_AFTER_MUCH = 0.45


class Rest:
    """What is known of one screen: how noisy it is, and where it never rests."""

    def __init__(self) -> None:
        self._floors: deque[float] = deque(maxlen=16)
        self._rough: deque[float] = deque(maxlen=16)
        self._restless: Cells = frozenset()

    async def changed(self, frames: Sequence[Frame]) -> Cells:
        """The tiles in which one of the frames differs from the first; all, if one is broken."""
        pictures = list(dict.fromkeys(frame.jpeg for frame in frames))
        if len(pictures) == 1:
            return frozenset()
        try:
            first, *others = await asyncio.gather(
                *(asyncio.to_thread(sketch, jpeg) for jpeg in pictures)
            )
        except OSError:
            return frozenset(range(COLUMNS * ROWS))
        found = [differences(first, other, TILE) for other in others]
        detailed = details(first, TILE)
        self._floors += [median(each) for each in found]
        self._rough += [noise(each, detailed) for each in found]
        most = [self._threshold(edges) for edges in detailed]
        return frozenset(tile for each in found for tile, by in enumerate(each) if by > most[tile])

    def suffices(self, moving: Cells, seconds: float) -> bool:
        """Whether to take the screen as it is, `seconds` after the last report."""
        if moving <= grown(self._restless, COLUMNS, ROWS):
            return True
        return len(moving) <= SMALL and seconds >= PATIENCE_WITH_SMALL

    def taken(self, moving: Cells) -> tuple[Area, ...]:
        """The screen was taken while these tiles moved: from now on they are known to."""
        self._restless = moving
        return areas(moving, COLUMNS, ROWS)

    def _threshold(self, edges: int) -> float:
        """For a tile with so many edges."""
        rough = ABOVE_ROUGH * min(self._rough) if edges >= EDGES else 0.0
        return min(MOST, max(REST, ABOVE_NOISE * min(self._floors), rough))


def much(changed: Cells) -> bool:
    return len(changed) > MUCH * COLUMNS * ROWS
