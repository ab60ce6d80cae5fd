"""A KVM on this machine's USB: a CH9329 on a serial port and a capture stick.

NanoKVM-USB, Openterface, or a serial cable with any stick that provides MJPEG.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import time
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs, urlsplit

from ..hid.reports import Endpoint
from ..messages import Message, os_reason
from ..screen.receiver import IDLE_TIMEOUT_S, Stalled
from ..timeouts import within
from ..types import CuaError, DeviceError, NoSignal, ScreenError
from .capture_chip import has_signal
from .ch9329 import ChipLink, connect, encode
from .kvm import Kvm, KvmCallbacks, KvmConfig
from .remote_hid import RemoteHid
from .usb_pair import find_pair
from .v4l2 import Capture, NotMjpegError

BAUDS = ("57600", "115200", "9600")
"""Baud rates of a NanoKVM-USB, an Openterface and a new chip."""
SIZE = "1920x1080"
SIGNAL_POLL_S = 2.0
DROPPED_PICTURES = 3
"""Number of first pictures to drop, which may have another size or be incomplete."""
FAULTS = {
    errno.EACCES: "no_access", errno.EAGAIN: "busy", errno.EBUSY: "busy",
    errno.ENOENT: "missing", errno.ENODEV: "missing", errno.ENXIO: "missing",
    errno.ENOTTY: "wrong", errno.EPROTO: "bad_cable",
}  # fmt: skip


class UsbKvm(Kvm):
    _hid: RemoteHid

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        address = urlsplit(config.url)
        options = parse_qs(address.query)
        self._named = address.path, options.get("video", [""])[0]
        self._size = options.get("size", [SIZE])[0]
        self._bauds = [*options.get("baud", BAUDS)]
        hid = RemoteHid(self._connect, encode, callbacks.on_input_problem)
        super().__init__(Message("usb.name"), hid, callbacks)

    async def frames(self) -> AsyncIterator[bytes]:
        await self._hid.link()
        _, video = find_pair(*self._named)
        size = _parse_size(self._size)
        try:
            with contextlib.closing(await asyncio.to_thread(Capture, video, size)) as source:
                asked = 0.0
                async for jpeg in _read_pictures(source):
                    if time.monotonic() > asked + SIGNAL_POLL_S:
                        await _check_signal(video)
                        asked = time.monotonic()
                    yield jpeg
        except NotMjpegError as error:
            message = Message("usb.not_mjpeg", device=video, format=error.format)
            raise ScreenError(message, setting="kvm") from error
        except OSError as error:
            raise ScreenError(_describe(video, error), setting="kvm") from error

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await super().write(endpoint, report)  # also to an unattached computer: a key may wake it
        if not self._attached:
            raise DeviceError(Message("hid.not_attached"))

    async def _connect(self, on_lost: Callable[[], None]) -> ChipLink:
        serial, _ = find_pair(*self._named)
        try:
            link = await connect(serial, self._bauds, on_lost)
        except OSError as error:
            raise DeviceError(_describe(serial, error), setting="kvm") from error
        self._bauds.sort(key=lambda each: each != link.baud)  # try this one first next time
        try:
            await self._hid.watchdog.start(f"serial://{serial}?{link.baud}", {}, "")
        except BaseException:
            link.close()
            raise
        self._attached = True
        link.serve(self._handle_state)
        return link

    def _handle_state(self, attached: bool, leds: int) -> None:
        self._leds = leds
        self._set_attached(attached)


async def _read_pictures(source: Capture) -> AsyncIterator[bytes]:
    """Yield JPEGs as they arrive. Raises `Stalled` if none arrives in time, and `OSError`."""
    seen = 0
    while True:
        await _wait_until_readable(source.fileno())
        for picture in source.read():
            seen += 1
            is_whole = picture[:2] == b"\xff\xd8" and picture.rfind(b"\xff\xd9", -64) > 0
            if is_whole and seen > DROPPED_PICTURES:
                yield picture


async def _wait_until_readable(device: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(device, ready.set)
    try:
        async with within(IDLE_TIMEOUT_S):
            await ready.wait()
    except asyncio.TimeoutError:
        raise Stalled from None
    finally:
        loop.remove_reader(device)


async def _check_signal(video: str) -> None:
    """Raise `NoSignal` if the stick's chip reports that there is none."""
    if await asyncio.to_thread(has_signal, video) is False:
        raise NoSignal


def _parse_size(text: str) -> tuple[int, int]:
    try:
        width, height = map(int, text.split("x"))
    except ValueError:
        raise CuaError(Message("usb.invalid_size", size=repr(text)), setting="kvm") from None
    return width, height


def _describe(device: str, error: OSError) -> str:
    if error.errno in FAULTS:
        return Message(f"usb.device_{FAULTS[error.errno]}", device=device)
    return Message("usb.failed", device=device, reason=os_reason(error))
