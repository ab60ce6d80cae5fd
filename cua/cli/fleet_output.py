"""Output of a fleet's run: a live table in a terminal, else lines of text or JSON."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Sequence

from ..events.log import Event
from ..exit_codes import DONE
from ..fleet.row import NOT_BEGUN, STATES, WAITING, Row, count_states
from .event_output import as_line
from .output import format_table, say

REFRESH_S = 0.5
SHOWN_KINDS = ("task", "reply", "approval")
"""Events that get a line."""
HEAD = ("computer", "state", "step", "time", "cost", "last sentence")
LEFT_OUT_FIRST = (WAITING, NOT_BEGUN, STATES[DONE])
"""States whose rows are omitted first if the terminal has too few lines."""
DRAW = "\x1b[J\x1b[?7l{}\x1b[?7h"
"""Erases below the cursor; the terminal cuts lines of Chinese, which is twice as wide."""


def print_row(row: Row, event: Event | None) -> None:
    """Print a line of text for the events that matter, and for the row's end (None)."""
    if event is None or event.kind in SHOWN_KINDS:
        say(row.as_line())


def print_json(row: Row, event: Event | None) -> None:
    """Print each event as JSON with the name of its computer; a last one of kind "ended"."""
    if event:
        say(as_line(event, computer=row.name))
    else:
        say(json.dumps({"computer": row.name, "kind": "ended", **row.as_json()}))


def print_nothing(row: Row, event: Event | None) -> None:
    """Leave the row to the table."""


def print_reasons(rows: Sequence[Row]) -> None:
    """Print the whole line of each computer that ended, but not Done: the table may have cut it."""
    for row in rows:
        if row.code not in (None, DONE):
            say(row.as_line())


async def draw_table(rows: Sequence[Row]) -> None:
    """Draw a table over its last state until cancelled, and then once more."""
    height = 0
    try:
        while True:
            height = _draw_over(rows, height)
            await asyncio.sleep(REFRESH_S)
    except asyncio.CancelledError:
        _draw_over(rows, height)
        raise


def _draw_over(rows: Sequence[Row], height: int) -> int:
    """Draw over the last `height` lines; return the number of lines of the table."""
    columns, lines = shutil.get_terminal_size()
    found = draw(rows, columns, lines - 1)
    up = f"\x1b[{height}F" if height else ""
    sys.stdout.write(up + DRAW.format("".join(f"{line}\n" for line in found)))
    sys.stdout.flush()
    return len(found)


def draw(rows: Sequence[Row], width: int, height: int) -> list[str]:
    """Return at most `height` lines of at most `width` characters that do not move the cursor."""
    first = sorted(rows, key=lambda row: row.state in LEFT_OUT_FIRST)[: max(height - 2, 0)]
    kept = [row for row in rows if row in first]
    hidden = f", {len(rows) - len(kept)} not shown" if len(kept) < len(rows) else ""
    lines = [*format_table([HEAD, *map(_cells, kept)]), count_states(rows) + hidden]
    return [line[:width] for line in lines]


def _cells(row: Row) -> tuple[str, ...]:
    minutes, seconds = divmod(round(row.seconds), 60)
    cost = f"{row.cost:.4f}" if row.cost else ""
    sentence = "".join(filter(str.isprintable, " ".join(row.sentence.split())))
    return (row.name, row.state, str(row.step), f"{minutes}:{seconds:02}", cost, sentence)
