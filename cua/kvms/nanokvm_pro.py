"""NanoKVM-Pro from elsewhere: as a NanoKVM, with what its firmware does otherwise.

It takes the password as it is since 1.2.6, drops a report that the computer does not fetch within
8 ms, does not let go when a connection ends, and shows MJPEG or H.264, never both.
"""

from __future__ import annotations

from ..hid.reports import LENGTHS
from . import Notices, Target
from .nanokvm import NanoKvm, framed
from .socket import Socket


class NanoKvmPro(NanoKvm):
    passphrase = b"nanokvmpro-sipeed-2025"
    scrambled_first = False
    hdmi = "/api/vm/hdmi/capture"
    repeats = (0.03, 0.15)

    def __init__(self, target: Target, notices: Notices) -> None:
        super().__init__(target, notices)
        self.name = f"the NanoKVM-Pro at {target.url.partition('://')[2]}"
        self._mode = ""
        """In which it was found, where it tells."""

    async def _greet(self, socket: Socket) -> None:
        """What was left by a program that was killed with its sentinel is let go of first. The
        pointer is not: to say where it is would move it."""
        await super()._greet(socket)
        for endpoint in ("keyboard", "mouse"):
            await socket.deliver(framed(endpoint, bytes(LENGTHS[endpoint])))

    async def _prepare(self) -> None:
        if not self._mode:
            self._mode = (await self._data("GET", "/api/stream/mode")).get("mode", "mjpeg")
        await self._data("POST", "/api/stream/mode", {"mode": "mjpeg"})

    async def _restore(self) -> None:
        if self._mode not in ("", "mjpeg"):
            await self._data("POST", "/api/stream/mode", {"mode": self._mode})


def create(target: Target, notices: Notices) -> NanoKvmPro:
    return NanoKvmPro(target, notices)
