"""The KVM on which this program runs: its USB gadget through the writer process, its own stream.

Its web server needs no login from this machine (NanoKVM-Pro).
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..hid.gadget import Gadget
from ..messages import Message
from ..screen.http_stream import frames
from ..screen.receiver import Stalled
from ..types import DeviceError, NoSignal
from .kvm import KvmCallbacks, KvmConfig
from .nanokvm_api import NanoKvmApi
from .nanokvm_media import NanoKvmProMedia

RECEIVER = Path("/proc/lt6911_info/fps")
"""The state file of a NanoKVM-Pro's HDMI receiver."""
HTTP_TIMEOUT_S = 10.0


class LocalDevice(NanoKvmApi):
    _hid: Gadget

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        self._stream_url = config.stream_url
        self._keyboard = f"{config.hid_prefix}0"
        gadget = Gadget(config.hid_prefix, callbacks.on_foreign_write, callbacks.on_input_problem)
        self.media = NanoKvmProMedia(self)
        super().__init__(Message("kvm.this"), gadget, callbacks)

    @property
    def leds(self) -> int | None:
        return self._hid.leds

    async def open(self) -> None:
        self._hid.release(everything=True)
        await self._hid.state()  # starts reading the writer's notices

    async def frames(self) -> AsyncIterator[bytes]:
        if not os.access(self._keyboard, os.F_OK):
            raise DeviceError(Message("kvm.not_a_kvm", device=self._keyboard), setting="kvm")
        try:
            async for jpeg in frames(self._stream_url):
                yield jpeg
        except Stalled:
            if _hdmi_is_off():
                raise NoSignal from None
            raise

    async def _request(self, method: str, path: str, **options: Any) -> Any:
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        parts = urlsplit(self._stream_url)
        url = f"{parts.scheme}://{parts.netloc}"
        options = {"timeout": HTTP_TIMEOUT_S, **options}
        try:
            async with http.AsyncClient(verify=False, trust_env=False, base_url=url) as client:
                return await client.request(method, path, **options)
        except http.HTTPError as error:
            message = Message("kvm.failed", kvm=self.name, reason=str(error))
            raise DeviceError(message) from error


def _hdmi_is_off() -> bool:
    try:
        return RECEIVER.read_text().strip() == "0"
    except OSError:
        return False
