"""The simulated computer in its own process, and its built-in KVM, used like a real one."""

from __future__ import annotations

import asyncio
import atexit
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from typing import Any

from ..extras import ROOT
from ..hid.gadget import Gadget
from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.http_stream import frames
from ..types import CuaError
from .kvm import Kvm, KvmCallbacks


class SimulatedComputer:
    """A simulated computer as a child process, which boots while this program starts.

    It ends and removes its folder at `stop` or when this process ends.
    """

    MODULE = "cua.simulator"

    def __init__(self, *options: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cua-demo-")
        command = [sys.executable, "-m", self.MODULE, "--dir", self._folder.name, *options]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, our own arguments
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C in the terminal is for the agent
        )
        atexit.register(self.stop)

    @property
    def hid_prefix(self) -> str:
        return f"{self._folder.name}/hidg"

    async def addresses(self) -> dict[str, Any]:
        """Wait until it has booted; return the URLs `stream` and `state`. Raises `CuaError`."""
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        if not line:
            raise CuaError(Message("kvm.simulated_failed"))
        addresses: dict[str, Any] = json.loads(line)
        return addresses

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        atexit.unregister(self.stop)
        self._process.stdin.close()
        self._process.terminate()  # during boot it does not read stdin
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()


class SimulatedKvm(Kvm):
    _hid: Gadget
    report_layout = "us"

    def __init__(self, computer: SimulatedComputer, callbacks: KvmCallbacks) -> None:
        self._computer = computer
        gadget = Gadget(computer.hid_prefix, callbacks.on_foreign_write, callbacks.on_input_problem)
        self._stream = ""
        self._booting: asyncio.Future[dict[str, Any]] | None = None
        super().__init__(Message("kvm.simulated"), gadget, callbacks)

    async def open(self) -> None:
        addresses = await self._boot()
        self._stream = addresses["stream"]
        self._callbacks.log("info", Message("kvm.simulated_state", url=addresses["state"]))
        self._hid.release(everything=True)

    async def _boot(self) -> dict[str, Any]:
        """Wait until the devices exist; return the addresses. Raises `CuaError`."""
        if self._booting is None:
            self._booting = asyncio.ensure_future(self._computer.addresses())
        return await asyncio.shield(self._booting)

    def frames(self) -> AsyncIterator[bytes]:
        return frames(self._stream)

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._boot()
        await super().write(endpoint, report)

    async def close(self) -> None:
        await super().close()
        await asyncio.to_thread(self._computer.stop)
        if self._booting is not None:
            await asyncio.gather(self._booting, return_exceptions=True)
