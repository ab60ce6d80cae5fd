"""The KVM on which this program runs: its USB gadget through the writer process, its own stream.

Its web server asks nobody on this very machine for a login (NanoKVM-Pro).
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

from ..hid.gadget import Gadget
from ..hid.reports import Endpoint
from ..screen.stream import Stalled, frames
from ..types import DeviceError, NoSignal, Press
from . import Notices, Target

RECEIVER = Path("/proc/lt6911_info/fps")
"""What the HDMI receiver of a NanoKVM-Pro says."""
MILLISECONDS: dict[Press, tuple[str, int]] = {
    "power": ("power", 800),
    "hold_power": ("power", 5000),
    "reset": ("reset", 800),
}
"""Button and duration, as NanoKVMs name them."""


class OwnDevice:
    name = "this KVM"
    presses: tuple[Press, ...] = tuple(MILLISECONDS)
    lacks: frozenset[int] = frozenset()
    relative = False
    layout = ""
    keymap = ""

    def __init__(self, stream_url: str, gadget: Gadget) -> None:
        self.stream_url = stream_url
        self._gadget = gadget

    async def open(self) -> None:
        self._gadget.release_everything()
        await self._gadget.state()  # from now on it is listened to as well

    async def frames(self) -> AsyncIterator[bytes]:
        try:
            async for jpeg in frames(self.stream_url):
                yield jpeg
        except Stalled:
            if _hdmi_is_off():
                raise NoSignal from None
            raise

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._gadget.write(endpoint, report)

    def release(self) -> None:
        self._gadget.release()

    async def press(self, button: Press) -> None:
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        kind, duration = MILLISECONDS[button]
        parts = urlsplit(self.stream_url)
        url = f"{parts.scheme}://{parts.netloc}/api/vm/gpio"
        try:
            async with http.AsyncClient(verify=False, trust_env=False, timeout=10) as client:
                answer = await client.post(url, json={"type": kind, "duration": duration})
            if answer.json().get("code") != 0:
                raise ValueError(answer.text[:200])
        except (http.HTTPError, ValueError) as error:
            raise DeviceError(f"The KVM did not press the {kind} button: {error}.") from error

    async def close(self) -> None:
        self._gadget.close()


def create(target: Target, notices: Notices) -> OwnDevice:
    tell = (notices.stranger, notices.reach, notices.lamps)
    return OwnDevice(target.stream_url, Gadget(target.hid_prefix, *tell))


def _hdmi_is_off() -> bool:
    """A stream without pictures can have other reasons."""
    try:
        return RECEIVER.read_text().strip() == "0"
    except OSError:
        return False
