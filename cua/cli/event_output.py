"""Output of a command: the events of a log as lines on stdout, results as JSON in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from ..events.follow import follow_events
from ..events.log import Event, EventLog
from ..types import CuaError
from .output import say


def print_events(
    log: EventLog, describe: Callable[[Event], str]
) -> AbstractAsyncContextManager[None]:
    """Print what `describe` makes of each event until the block ends. Where stdout cannot be
    written, the block is cancelled and its `OSError` raised.
    """

    def show(event: Event) -> None:
        if line := describe(event):
            say(line)

    return follow_events(log, show)


def check_writable(file: Path | None) -> None:
    """Raises `CuaError` if `write_json` would."""
    if file:
        _write(file, "a", "")


def write_json(file: Path, found: dict[str, Any]) -> None:
    """Raises `CuaError` if it cannot be written."""
    _write(file, "w", json.dumps(found, indent=2, ensure_ascii=False) + "\n")


def _write(file: Path, mode: str, text: str) -> None:
    try:
        with file.open(mode, encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise CuaError(f"{file} cannot be written: {error.strerror}.") from error
