"""What is logged about the computer at the other end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from cua.app.computer import ControlledComputer
from cua.events.log import EventLog
from cua.settings import SettingsFile
from cua.timeouts import within


async def broken() -> AsyncIterator[bytes]:
    raise ValueError("an unexpected error")
    yield b""


async def test_a_reader_that_breaks_down_says_so(tmp_path: Path) -> None:
    log = EventLog()
    file = SettingsFile(None, {}, hid_prefix=str(tmp_path / "hidg"))
    computer = ControlledComputer(file, log, print, print)
    computer.screen.source = broken
    computer.open()
    async with within(20):
        async for _, event in log.subscribe():
            if "an unexpected error" in str(event.data):
                break
    await computer.close()
