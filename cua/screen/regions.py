"""Cells of a grid on the screen, numbered row by row, and the areas that they form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..types import Area

Cells = frozenset[int]


def areas(cells: Cells, columns: int, rows: int) -> tuple[Area, ...]:
    """Return the bounding boxes of adjacent cells, largest first."""
    left, found = set(cells), []
    while left:
        group = _touching(left.pop(), left, columns)
        xs, ys = [cell % columns for cell in group], [cell // columns for cell in group]
        found.append(
            Area(
                left=min(xs) / columns,
                top=min(ys) / rows,
                right=(max(xs) + 1) / columns,
                bottom=(max(ys) + 1) / rows,
            )
        )
    return tuple(sorted(found, key=lambda area: area.proportion, reverse=True))


def expand(cells: Iterable[int], columns: int, rows: int) -> Cells:
    """Return the cells and their neighbours."""
    return frozenset(near for cell in cells for near in _around(cell, columns, rows))


def _around(cell: int, columns: int, rows: int) -> Iterator[int]:
    x, y = cell % columns, cell // columns
    for row in range(max(0, y - 1), min(rows, y + 2)):
        for column in range(max(0, x - 1), min(columns, x + 2)):
            yield row * columns + column


def _touching(first: int, left: set[int], columns: int) -> set[int]:
    """Remove all cells connected with `first` from `left` and return them."""
    group, edge = {first}, [first]
    rows = max(left, default=first) // columns + 2
    while edge:
        near = left & set(_around(edge.pop(), columns, max(rows, 1)))
        left -= near
        group |= near
        edge += near
    return group
