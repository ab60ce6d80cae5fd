"""What the console says of the computer at its other end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from cua.console import Console
from cua.events import EventLog
from cua.settings import SettingsFile
from cua.within import within


async def broken() -> AsyncIterator[bytes]:
    raise ValueError("nobody thought of this")
    yield b""


async def test_a_reader_that_breaks_down_says_so(tmp_path: Path) -> None:
    log = EventLog()
    file = SettingsFile(None, {}, hid_prefix=str(tmp_path / "hidg"))
    console = Console(file, log, print, print)
    console.screen.source = broken
    console.screen.wanted = lambda: True
    console.open()
    async with within(20):
        async for _, event in log.follow():
            if "nobody thought of this" in str(event.data):
                break
    await console.close()
