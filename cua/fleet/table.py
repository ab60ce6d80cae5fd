"""The live table of a run, as lines of text."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from .row import NOT_BEGUN, RUNNING, STATES, WAITING, Row

HEAD = ("computer", "state", "step", "time", "cost", "last sentence")
SHOWN_FIRST = (RUNNING, *reversed(STATES.values()), NOT_BEGUN, WAITING)
"""States in the order in which rows are kept where the terminal is too low for all."""
GAP = "  "


def draw(rows: Sequence[Row], width: int, height: int) -> list[str]:
    """Return at most `height` lines of at most `width` columns."""
    kept = _choose(rows, height - 2)
    cells = [HEAD, *map(_cells, kept)]
    columns = [max(_width(row[at]) for row in cells) for at in range(len(HEAD) - 1)]
    lines = [_line(row, columns, width) for row in cells]
    hidden = f", {len(rows) - len(kept)} not shown" if len(kept) < len(rows) else ""
    return [*lines, _cut(count_states(rows) + hidden, width)]


def count_states(rows: Sequence[Row]) -> str:
    return ", ".join(f"{count} {state}" for state, count in Counter(r.state for r in rows).items())


def describe(row: Row) -> str:
    """Return a row as one line without a table."""
    return " ".join(f"{row.name}: {row.state}, step {row.step}. {row.sentence}".split())


def _choose(rows: Sequence[Row], most: int) -> list[Row]:
    if len(rows) <= most:
        return list(rows)
    order = {state: number for number, state in enumerate(SHOWN_FIRST)}
    first = sorted(rows, key=lambda row: order.get(row.state, len(order)))[: max(most, 0)]
    names = {row.name for row in first}
    return [row for row in rows if row.name in names]


def _cells(row: Row) -> tuple[str, ...]:
    minutes, seconds = divmod(round(row.seconds), 60)
    cost = f"{row.cost:.4f}" if row.cost else ""
    sentence = " ".join(row.sentence.split())
    return (row.name, row.state, str(row.step), f"{minutes}:{seconds:02}", cost, sentence)


def _line(cells: Sequence[str], columns: Sequence[int], width: int) -> str:
    padded = [cell + " " * (wide - _width(cell)) for cell, wide in zip(cells, columns)]  # noqa: B905
    return _cut(GAP.join([*padded, cells[-1]]), width)


def _width(text: str) -> int:
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    return 1 + (unicodedata.east_asian_width(char) in "WF")


def _cut(text: str, width: int) -> str:
    """Cut to the width, and leave out what would move the cursor."""
    kept, used = "", 0
    for char in filter(str.isprintable, text):
        used += _char_width(char)
        if used > width:
            return kept
        kept += char
    return kept.rstrip()
