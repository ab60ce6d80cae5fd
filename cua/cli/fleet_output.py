"""What a run of a fleet shows: a live table in a terminal, else lines of text or JSON."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Sequence

from ..events.log import Event
from ..fleet.row import Row
from ..fleet.table import describe, draw
from .event_output import as_line
from .output import say

REFRESH_S = 0.5
SHOWN_KINDS = ("task", "reply", "approval")
"""Events that get a line."""


class RowLines:
    """A line for each change.

    Each method raises `OSError` if the output cannot be written, which ends every agent.
    """

    def show(self, row: Row, event: Event | None) -> None:
        """`event`: None at the row's end."""
        if event is None or event.kind in SHOWN_KINDS:
            say(describe(row))

    async def refresh(self) -> None:
        """Run until cancelled."""
        await asyncio.Event().wait()

    def end(self) -> None:
        """Show the last state."""


class EventLines(RowLines):
    """Each event as a line of JSON, with the name of its computer; a last one of kind "ended"."""

    def show(self, row: Row, event: Event | None) -> None:
        if event:
            say(as_line(event, computer=row.name))
        else:
            say(json.dumps({"computer": row.name, "kind": "ended", **row.as_json()}))


class LiveTable(RowLines):
    """Drawn over itself, so that the terminal shows its present state."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._height = 0
        """Lines that are on the screen."""

    def show(self, row: Row, event: Event | None) -> None:
        """The next `refresh` shows it."""

    async def refresh(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(REFRESH_S)

    def end(self) -> None:
        self._draw()

    def _draw(self) -> None:
        columns, lines = shutil.get_terminal_size()
        found = draw(self._rows, columns - 1, lines - 1)
        up = f"\x1b[{self._height}F" if self._height else ""
        sys.stdout.write(up + "\x1b[J" + "".join(f"{line}\n" for line in found))
        sys.stdout.flush()
        self._height = len(found)
