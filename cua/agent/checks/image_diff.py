"""Compares two pictures of a screen cell by cell: fine enough for a letter, too coarse for noise.

The cells are numbered row by row; a cell is 40 x 40 pixels of a 1280 x 720 screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...screen.image import (
    EDGE_LEVELS,
    MAX_NOISE_RATIO,
    SKETCH_PX,
    details,
    differences,
    noise,
    sketch,
)
from ...screen.regions import Cells, areas, expand
from ...types import Area, Frame, Point

if TYPE_CHECKING:
    from PIL import Image

COLUMNS, ROWS, CELL = 32, 18, 8
LETTER_LEVELS = 3.0
"""Difference in grey levels of a cell in which a letter appeared."""
PLAIN_LEVELS = 8.0
"""Difference that is more than the strongest noise, a blinking caret or a single letter."""
NOISE_FACTOR = 1.8
POINTER_BOX_PX = (-1, -1, 4, 6)
"""Box that a mouse pointer covers around its tip: left, top, right, bottom in a sketch."""
NONE: Cells = frozenset()


async def find_plain_changes(before: Frame, after: Frame, pointers: Sequence[Point] = ()) -> Cells:
    """Return the cells that differ by more than a caret or a single letter; see `find_changes`."""
    return await asyncio.to_thread(find_changes, before, after, pointers, PLAIN_LEVELS)


def find_changes(
    before: Frame, after: Frame, pointers: Sequence[Point] = (), levels: float = LETTER_LEVELS
) -> Cells:
    """Return the cells that differ, without those covered by a pointer at one of `pointers`.

    Neither frame may be one that was dropped from the history: it has no picture.
    """
    if before.jpeg == after.jpeg:
        return NONE
    a, b = (_mask_pointers(sketch(each.jpeg), pointers) for each in (before, after))
    found = differences(a, b, CELL)
    if max(found) <= levels:  # no cell can differ, whatever the noise
        return NONE
    quiet = max(levels, NOISE_FACTOR * sorted(found)[len(found) // 5])
    detailed = details(a, CELL)
    rough = max(quiet, MAX_NOISE_RATIO * noise(found, detailed))
    plain, edged = min(PLAIN_LEVELS, quiet), min(PLAIN_LEVELS, rough)
    return frozenset(
        cell
        for cell, (by, edges) in enumerate(zip(found, detailed, strict=True))
        if by > (edged if edges >= EDGE_LEVELS else plain)
    )


def _mask_pointers(picture: Image.Image, pointers: Sequence[Point]) -> Image.Image:
    if not pointers:
        return picture
    picture = picture.copy()
    for at in pointers:
        x, y = round(at.x * SKETCH_PX[0]), round(at.y * SKETCH_PX[1])
        left, top, right, bottom = POINTER_BOX_PX
        picture.paste(0, (x + left, y + top, x + right, y + bottom))
    return picture


def cells_around(at: Point) -> Cells:
    """Return the cell of a point and its neighbours."""
    return expand((_cell(at.x, at.y),), COLUMNS, ROWS)


def cells_under(at: Point) -> Cells:
    """Return the cells within half a cell of a point."""
    return _cells_of_box(at, (-CELL // 2, -CELL // 2, CELL // 2, CELL // 2))


def cells_under_pointer(at: Point) -> Cells:
    return _cells_of_box(at, POINTER_BOX_PX)


def _cells_of_box(at: Point, box: tuple[int, int, int, int]) -> Cells:
    """`box`: relative to the point, in pixels of a sketch, at most as large as a cell."""
    left, top, right, bottom = (
        n / SKETCH_PX[i % 2] + (at.x, at.y)[i % 2] for i, n in enumerate(box)
    )
    return frozenset(_cell(x, y) for x in (left, right) for y in (top, bottom))


def moving_cells(*frames: Frame) -> Cells:
    """Return the cells that moved when the frames were taken, and their neighbours."""
    cells: set[int] = set()
    for area in (area for frame in frames for area in frame.moving_areas):
        first, last = _cell(area.left, area.top), _cell(area.right, area.bottom)
        width = last % COLUMNS - first % COLUMNS + 1
        for start in range(first, last + 1, COLUMNS):
            cells.update(range(start, start + width))
    return expand(cells, COLUMNS, ROWS)


def boxes(cells: Cells) -> tuple[Area, ...]:
    return areas(cells, COLUMNS, ROWS)


def proportion(cells: Cells) -> float:
    return len(cells) / (COLUMNS * ROWS)


def _cell(x: float, y: float) -> int:
    column = min(COLUMNS - 1, max(0, int(x * COLUMNS)))
    return min(ROWS - 1, max(0, int(y * ROWS))) * COLUMNS + column
