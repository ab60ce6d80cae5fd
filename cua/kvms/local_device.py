"""The KVM on which this program runs: its USB gadget through the writer process, its own stream.

Its web server asks for no login on this machine (NanoKVM-Pro).
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

from ..hid.gadget import Gadget
from ..messages import Message
from ..screen.http_stream import frames
from ..screen.receiver import Stalled
from ..types import DeviceError, NoSignal, Press
from .registry import Kvm, KvmCallbacks, KvmConfig

RECEIVER = Path("/proc/lt6911_info/fps")
"""State of the HDMI receiver of a NanoKVM-Pro."""
BUTTON_PRESSES: dict[Press, tuple[str, int]] = {
    "power": ("power", 800),
    "hold_power": ("power", 5000),
    "reset": ("reset", 800),
}
"""Name of the button and duration in ms in a NanoKVM's API."""


class LocalDevice(Kvm):
    presses = tuple(BUTTON_PRESSES)

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        self._stream_url = config.stream_url
        self._keyboard = f"{config.hid_prefix}0"
        self._gadget = Gadget(
            config.hid_prefix,
            callbacks.on_foreign_write,
            callbacks.on_input_problem,
            callbacks.on_leds,
        )
        super().__init__(Message("kvm.this"), self._gadget, callbacks)

    async def open(self) -> None:
        self._gadget.release(everything=True)
        await self._gadget.state()  # starts reading the writer's notices

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

    async def press(self, button: Press) -> None:
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        kind, duration = BUTTON_PRESSES[button]
        parts = urlsplit(self._stream_url)
        url = f"{parts.scheme}://{parts.netloc}/api/vm/gpio"
        try:
            async with http.AsyncClient(verify=False, trust_env=False, timeout=10) as client:
                answer = await client.post(url, json={"type": kind, "duration": duration})
            if answer.json().get("code") != 0:
                raise ValueError(answer.text[:200])
        except (http.HTTPError, ValueError) as error:
            message = Message("kvm.not_pressed", button=kind, reason=str(error))
            raise DeviceError(message) from error

    async def close(self) -> None:
        self._gadget.close()


def _hdmi_is_off() -> bool:
    """Return whether the HDMI receiver sees no signal."""
    try:
        return RECEIVER.read_text().strip() == "0"
    except OSError:
        return False
