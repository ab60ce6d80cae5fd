"""A virtual computer with the real eyes and hands on it, for as long as it is needed.

It is a process of its own, reached as every KVM is: by its video stream and its HID devices.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from ..events import EventLog
from ..hid import Hands
from ..hid.gadget import Gadget
from ..screen import MjpegScreen
from .subject import Rule, Size


class Virtual(Protocol):
    """The process; it boots as soon as it is made."""

    @property
    def hid_prefix(self) -> str: ...

    async def addresses(self) -> dict[str, Any]:
        """`stream` and `state` as URLs. Raises `CuaError`."""

    def stop(self) -> None: ...


Boot = Callable[..., Virtual]
"""Options as those of `python -m cua.virtual` -> the process."""


class Computer:
    """Its screen and its keyboard and mouse, and the truth about it."""

    def __init__(self, screen: MjpegScreen, hands: Hands, address: str) -> None:
        self.screen, self.hands = screen, hands
        self._address = address

    async def state(self) -> dict[str, Any]:
        import httpx2

        async with httpx2.AsyncClient(trust_env=False) as client:
            found: dict[str, Any] = (await client.get(self._address)).json()
        return found


@asynccontextmanager
async def computer(
    boot: Boot, size: Size, scenario: dict[str, Any], fit: Rule
) -> AsyncIterator[Computer]:
    """Booted with this scenario; `fit` gives the size of the screenshots. Raises `CuaError`."""
    width, height = size
    virtual = boot("--size", f"{width}x{height}", "--scenario", json.dumps(scenario))
    try:
        addresses = await virtual.addresses()
        screen = MjpegScreen(addresses["stream"], EventLog(), fit)
        device = Gadget(virtual.hid_prefix)
        reader = asyncio.create_task(screen.run())
        try:
            yield Computer(screen, Hands(device), addresses["state"])
        finally:
            reader.cancel()
            await asyncio.wait([reader])
            device.close()
    finally:
        await asyncio.to_thread(virtual.stop)
