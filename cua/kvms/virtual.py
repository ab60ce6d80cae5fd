"""The built-in virtual computer behind its built-in KVM, which is used as a real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ..hid.gadget import Gadget
from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.http_stream import frames
from .registry import Kvm, KvmCallbacks
from .virtual_process import VirtualComputer


class VirtualKvm(Kvm):
    layout = "us"

    def __init__(self, computer: VirtualComputer, callbacks: KvmCallbacks) -> None:
        self._computer = computer
        self._gadget = Gadget(
            computer.hid_prefix, callbacks.on_foreign_write, callbacks.on_input_problem
        )
        self._stream = ""
        self._booting: asyncio.Future[dict[str, Any]] | None = None
        super().__init__(Message("kvm.virtual"), self._gadget, callbacks)

    async def open(self) -> None:
        addresses = await self._boot()
        self._stream = addresses["stream"]
        self._callbacks.log("info", Message("kvm.virtual_state", url=addresses["state"]))
        self._gadget.release_everything()

    async def _boot(self) -> dict[str, Any]:
        """Wait until its devices exist. Returns its addresses. Raises `CuaError`."""
        if self._booting is None:
            self._booting = asyncio.ensure_future(self._computer.addresses())
        return await asyncio.shield(self._booting)

    def frames(self) -> AsyncIterator[bytes]:
        return frames(self._stream)

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._boot()
        await super().write(endpoint, report)

    async def close(self) -> None:
        self._gadget.close()
        await asyncio.to_thread(self._computer.stop)
        if self._booting is not None:
            await asyncio.gather(self._booting, return_exceptions=True)
