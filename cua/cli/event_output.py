"""Output of a command: the events of a log as lines on stdout, results as JSON in a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ..events.log import Event, EventLog
from ..types import CuaError
from .output import say


@asynccontextmanager
async def print_events(log: EventLog, describe: Callable[[Event], str]) -> AsyncIterator[None]:
    """Print what `describe` makes of each event until the block ends. Where stdout cannot be
    written, the block is cancelled and its `OSError` raised.
    """
    block, inside = asyncio.current_task(), True
    assert block is not None

    def stop_block(_: object) -> None:
        if inside:
            block.cancel()

    printer = asyncio.create_task(_print(log, describe))
    printer.add_done_callback(stop_block)
    try:
        yield
        await asyncio.sleep(0)  # the printer's turn
    finally:
        inside = False
        if printer.done():
            printer.result()
        printer.cancel()


async def _print(log: EventLog, describe: Callable[[Event], str]) -> None:
    async for _, event in log.subscribe():
        if line := describe(event):
            say(line)


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
