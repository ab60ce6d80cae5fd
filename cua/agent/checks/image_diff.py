"""Two pictures of a screen compared cell by cell: fine enough for a letter, too coarse for noise.

The cells are numbered row by row; a cell is 40 x 40 pixels of a 1280 x 720 screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...screen.image import (
    EDGE_LEVELS,
    MAX_NOISE_RATIO,
    SKETCH,
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
SEEN = 3.0
"""Grey levels by which a cell differs in which a letter appeared."""
MOST = 8.0
"""The same on the noisiest stream."""
ABOVE_NOISE = 1.8
POINTER = (-1, -1, 4, 6)
"""Pixels of a sketch that a mouse pointer covers around its tip."""
NONE: Cells = frozenset()


async def changed(before: Frame, after: Frame, pointers: Sequence[Point] = ()) -> Cells:
    """The cells that differ, but for what is covered by a pointer at one of `pointers`."""
    if before.jpeg == after.jpeg:
        return NONE
    return await asyncio.to_thread(_changed, before.jpeg, after.jpeg, pointers, SEEN)


async def plainly_changed(before: Frame, after: Frame, pointers: Sequence[Point] = ()) -> Cells:
    """The same, but for what a blinking caret or a single letter makes."""
    if before.jpeg == after.jpeg:
        return NONE
    return await asyncio.to_thread(_changed, before.jpeg, after.jpeg, pointers, MOST)


def _changed(before: bytes, after: bytes, pointers: Sequence[Point], above: float) -> Cells:
    a, b = (_without(sketch(jpeg), pointers) for jpeg in (before, after))
    found = differences(a, b, CELL)
    quiet = ABOVE_NOISE * sorted(found)[len(found) // 5]
    detailed = details(a, CELL)
    rough = MAX_NOISE_RATIO * noise(found, detailed)
    return frozenset(
        cell
        for cell, (by, edges) in enumerate(zip(found, detailed, strict=True))
        if by > min(MOST, max(above, quiet, rough if edges >= EDGE_LEVELS else 0.0))
    )


def _without(picture: Image.Image, pointers: Sequence[Point]) -> Image.Image:
    if not pointers:
        return picture
    picture = picture.copy()
    for at in pointers:
        x, y = round(at.x * SKETCH[0]), round(at.y * SKETCH[1])
        left, top, right, bottom = POINTER
        picture.paste(0, (max(0, x + left), max(0, y + top), x + right, y + bottom))
    return picture


def around(at: Point) -> Cells:
    """The cell of a point and its neighbours."""
    return expand((_cell(at.x, at.y),), COLUMNS, ROWS)


def under(at: Point) -> Cells:
    """The cells within half a cell of a point."""
    return _of_box(at, (-CELL // 2, -CELL // 2, CELL // 2, CELL // 2))


def under_pointer(at: Point) -> Cells:
    """The cells that a pointer there covers."""
    return _of_box(at, POINTER)


def _of_box(at: Point, box: tuple[int, int, int, int]) -> Cells:
    """A box of at most a cell's size around a point, in pixels of a sketch."""
    left, top, right, bottom = (n / SKETCH[i % 2] + (at.x, at.y)[i % 2] for i, n in enumerate(box))
    return frozenset(_cell(x, y) for x in (left, right) for y in (top, bottom))


def of_areas(places: Iterable[Area]) -> Cells:
    """The cells of areas, and their neighbours: what moves there may move a little further."""
    return expand(
        (
            row * COLUMNS + column
            for area in places
            for row in range(int(area.top * ROWS), min(ROWS, int(area.bottom * ROWS) + 1))
            for column in range(
                int(area.left * COLUMNS), min(COLUMNS, int(area.right * COLUMNS) + 1)
            )
        ),
        COLUMNS,
        ROWS,
    )


def boxes(cells: Cells) -> tuple[Area, ...]:
    return areas(cells, COLUMNS, ROWS)


def proportion(cells: Cells) -> float:
    return len(cells) / (COLUMNS * ROWS)


def _cell(x: float, y: float) -> int:
    column = min(COLUMNS - 1, max(0, int(x * COLUMNS)))
    return min(ROWS - 1, max(0, int(y * ROWS))) * COLUMNS + column
