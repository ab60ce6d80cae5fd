"""The built-in computer behind its built-in KVM, which is driven as a real one is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Protocol

from ..hid.gadget import Gadget
from ..hid.reports import Endpoint
from ..screen.stream import frames
from ..types import DeviceError, Press
from . import Notices


class Computer(Protocol):
    """Its process, which boots as soon as it is made."""

    @property
    def hid_prefix(self) -> str: ...

    async def addresses(self) -> dict[str, Any]:
        """`stream` and `state` as URLs. Raises `CuaError`."""

    def stop(self) -> None: ...


class VirtualKvm:
    name = "the virtual computer"
    presses: tuple[Press, ...] = ()
    lacks: frozenset[int] = frozenset()
    relative = False
    layout = "us"
    keymap = ""

    def __init__(self, computer: Computer, notices: Notices) -> None:
        self._computer = computer
        self._notices = notices
        self._gadget = Gadget(computer.hid_prefix, notices.stranger, notices.reach)
        self._stream = ""

    async def open(self) -> None:
        addresses = await self._computer.addresses()
        self._stream = addresses["stream"]
        state = addresses["state"]
        self._notices.say("info", f"What the virtual computer is really like: {state}")
        self._gadget.release_everything()

    def frames(self) -> AsyncIterator[bytes]:
        return frames(self._stream)

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._gadget.write(endpoint, report)

    def release(self) -> None:
        self._gadget.release()

    async def press(self, button: Press) -> None:
        raise DeviceError(f"The virtual computer has no {button} button.")

    async def close(self) -> None:
        self._gadget.close()
        await asyncio.to_thread(self._computer.stop)
