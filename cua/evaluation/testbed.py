"""A computer for tests, simulated or a real desktop, with our screen and input on it.

It is a process of its own, connected like every KVM: by its video stream and its HID devices.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.request import ProxyHandler, build_opener

from ..events.log import EventLog
from ..hid.gadget import Gadget
from ..hid.inputs import HidInputs
from ..messages import Message
from ..screen.http_stream import mjpeg
from ..screen.video_screen import VideoScreen
from ..timeouts import cancel_and_wait
from ..types import CuaError, SentSize

if TYPE_CHECKING:
    from ..kvms.simulated_computer import SimulatedComputer

Size = tuple[int, int]

STATE_TIMEOUT_S = 5.0
_WITHOUT_PROXY = build_opener(ProxyHandler({}))


Boot = Callable[..., "SimulatedComputer"]
"""Boots a computer; returns its process. The options are those of `python -m cua.simulator`."""


class Computer:
    """A computer: its screen, its input, and its true state."""

    def __init__(self, screen: VideoScreen, inputs: HidInputs, address: str) -> None:
        self.screen, self.inputs = screen, inputs
        self._address = address

    async def state(self) -> dict[str, Any]:
        """Return the state. Raises `CuaError` if the computer has ended."""
        return await asyncio.to_thread(_fetch_json, self._address)


def _fetch_json(address: str) -> dict[str, Any]:
    try:
        with _WITHOUT_PROXY.open(address, timeout=STATE_TIMEOUT_S) as answer:
            found: dict[str, Any] = json.load(answer)
    except (OSError, HTTPException) as error:
        raise CuaError(Message("evaluation.computer_gone", reason=str(error))) from error
    return found


@asynccontextmanager
async def open_computer(
    boot: Boot,
    size: Size,
    scenario: dict[str, Any],
    sent_size: SentSize,
    log: EventLog | None = None,
    seed: int = 0,
) -> AsyncIterator[Computer]:
    """Boot a computer with this scenario. Raises `CuaError`.

    `seed` places its windows and icons; the screen reports to `log`.
    """
    options = ("--scenario", json.dumps(scenario), "--seed", str(seed))
    process = boot("--size", "{}x{}".format(*size), *options)
    try:
        addresses = await process.addresses()
        screen = VideoScreen(mjpeg(addresses["stream"]), log or EventLog(), sent_size)
        device = Gadget(process.hid_prefix)
        reader = asyncio.create_task(screen.run())
        try:
            yield Computer(screen, HidInputs(device), addresses["state"])
        finally:
            await cancel_and_wait(reader)
            device.close()
    finally:
        await asyncio.to_thread(process.stop)
