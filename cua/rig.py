"""A virtual computer with the real eyes and hands on it, for as long as it is needed.

It is a process of its own, reached as every KVM is: by its video stream and its HID devices.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http.client import HTTPConnection, HTTPException
from typing import Any, Protocol
from urllib.parse import urlsplit

from .events import EventLog
from .hid import Hands
from .hid.gadget import Gadget
from .screen import MjpegScreen
from .screen.stream import mjpeg
from .types import CuaError
from .within import cancelled

Size = tuple[int, int]
Rule = Callable[[int, int], Size]
"""What becomes of the size of a screenshot before the model sees it."""

PATIENCE = 5.0
"""Seconds that its answer may take."""


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
        """Raises `CuaError` if it is gone."""
        return await asyncio.to_thread(_fetched, self._address)


def _fetched(address: str) -> dict[str, Any]:
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc, timeout=PATIENCE)
    try:
        connection.request("GET", place.path)
        found: dict[str, Any] = json.load(connection.getresponse())
    except (OSError, HTTPException) as error:
        raise CuaError(f"The virtual computer does not answer any more ({error}).") from error
    finally:
        connection.close()
    return found


@asynccontextmanager
async def computer(
    boot: Boot,
    size: Size,
    scenario: dict[str, Any],
    fit: Rule,
    log: EventLog | None = None,
    seed: int = 0,
) -> AsyncIterator[Computer]:
    """Booted with this scenario; `fit` gives the size of the screenshots. Raises `CuaError`.

    `seed` says where its windows and icons are; `log` is told how the picture is.
    """
    options = ("--scenario", json.dumps(scenario), "--seed", str(seed))
    virtual = boot("--size", "{}x{}".format(*size), *options)
    try:
        addresses = await virtual.addresses()
        screen = MjpegScreen(mjpeg(addresses["stream"]), log or EventLog(), fit)
        device = Gadget(virtual.hid_prefix)
        reader = asyncio.create_task(screen.run())
        try:
            yield Computer(screen, Hands(device), addresses["state"])
        finally:
            await cancelled(reader)
            device.close()
    finally:
        await asyncio.to_thread(virtual.stop)
