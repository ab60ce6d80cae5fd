"""Remote NanoKVM-Pro: a NanoKVM with different firmware.

It accepts a plain password since 1.2.6, drops a report that the computer does not fetch in 8 ms,
does not release keys when a connection ends, and streams either MJPEG or H.264.
"""

from __future__ import annotations

from ..hid.reports import LENGTHS
from .nanokvm import NanoKvm
from .nanokvm_media import NanoKvmProMedia
from .websocket_link import WebSocketLink


class NanoKvmPro(NanoKvm):
    brand = "NanoKVM-Pro"
    media_type = NanoKvmProMedia
    hdmi_path = "/api/vm/hdmi/capture"
    passphrase = b"nanokvmpro-sipeed-2025"
    encrypted_first = False
    repeats_s = (0.03, 0.15)
    _mode = ""
    """The stream mode to restore at the end; empty: not read yet."""

    async def _set_up(self, socket: WebSocketLink) -> None:
        """Release keys and buttons that a killed program may have left pressed.

        Not those of the absolute pointer: its release has a position and would move it.
        """
        await super()._set_up(socket)
        for endpoint in ("keyboard", "mouse"):
            await socket.deliver(self._encode(endpoint, None, bytes(LENGTHS[endpoint])))

    async def _prepare(self) -> None:
        if not self._mode:
            self._mode = (await self.data("GET", "/api/stream/mode")).get("mode", "mjpeg")
        await self.data("POST", "/api/stream/mode", {"mode": "mjpeg"})

    async def _restore(self) -> None:
        if self._mode not in ("", "mjpeg"):
            await self.data("POST", "/api/stream/mode", {"mode": self._mode})
