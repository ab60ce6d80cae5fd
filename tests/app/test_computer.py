"""The computer at the other end: what is logged about it, and its resolution."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from cua.app.computer import ControlledComputer
from cua.events.log import EventLog
from cua.hid.pointing import Mouse
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


async def test_a_relative_mouse_counts_over_the_screen_as_it_is(tmp_path: Path) -> None:
    prefix = str(tmp_path / "hidg")
    file = SettingsFile(None, {}, hid_prefix=prefix, pointer="relative", pointer_gain=2.0)
    computer = ControlledComputer(file, EventLog(), print, print)
    computer.apply_settings()
    assert computer.inputs.profile.mouse == Mouse(1280, 720, 2.0)
    computer.screen.on_resize(1920, 1080)
    assert computer.inputs.profile.mouse == Mouse(1920, 1080, 2.0)
    await computer.close()
