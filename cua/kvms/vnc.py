"""Any VNC server: QEMU and Proxmox, Macs, TigerVNC, x11vnc.

Keys are sent as keysyms of a US keyboard: its characters are typed correctly with any layout of the
computer, others are refused. The protocol has no acknowledgement, so one pixel is requested after
each report; its update confirms that the server has read everything before.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Sequence
from urllib.parse import urlsplit

from PIL import Image, ImageChops

from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.image import encode_jpeg
from ..screen.receiver import Stalled
from ..timeouts import within
from ..types import CuaError, DeviceError
from .address import VNC_PORT
from .hid_link import HidLink
from .http_client import WrongPassword
from .kvm import Kvm, KvmCallbacks, KvmConfig
from .remote_hid import RemoteHid
from .rfb_reports import RfbEncoder
from .rfb_screen import ENCODINGS, PIXEL_FORMAT, Framebuffer, RfbError, initialise, skip_message
from .rfb_security import LoginRefusedError, log_in
from .tls_pinning import CertificatePin, unreachable_error

CONNECT_TIMEOUT_S = 10.0
PICTURE_INTERVAL_S = 0.1
READ_BUFFER_BYTES = 1 << 20


class VncLink(HidLink):
    """A connection after its login."""

    answer_timeout_s = 3.0
    window = 4  # servers confirm with their next update, at about 60 Hz

    def __init__(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        screen: Framebuffer,
        on_lost: Callable[[], None],
    ) -> None:
        super().__init__(on_lost)
        self.screen = screen
        self.open = True
        self._writer = writer
        self._asked = 0
        """Number of the send up to which confirmation is requested; 0: none is."""
        self._whole = False
        """Whether the next request is for the whole screen."""
        writer.write(PIXEL_FORMAT + ENCODINGS)
        self._reading = asyncio.ensure_future(self._read(reader))

    def _transmit(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self._writer.write(message)
        self._ask()

    async def refresh(self) -> None:
        """Wait until the pixels are newer than this call."""
        self._whole = True
        await self._wait(self.send([]))

    def drop(self) -> None:
        self._writer.transport.abort()

    def close(self) -> None:
        self._reading.cancel()
        self._writer.close()
        self._end()

    def _ask(self) -> None:
        """Request one pixel at a time: a server may answer several requests before reading all."""
        if self._pending and not self._asked:
            self._asked = self._number
            self._request()

    def _request(self) -> None:
        self._writer.write(self.screen.request(whole=self._whole))
        self._whole = False

    async def _read(self, reader: StreamReader) -> None:
        try:
            while True:
                kind = (await reader.readexactly(1))[0]
                if kind:
                    await skip_message(reader, kind)
                else:
                    await self.screen.read_update(reader)
                    self._handle_update()
        except (OSError, EOFError, ValueError, RfbError):  # ValueError, RfbError: malformed data
            self._writer.close()
            self._end()

    def _handle_update(self) -> None:
        if self.screen.answered:
            self._confirm(self._asked)
            self._asked = 0
            self._ask()
        elif self.screen.blank and self._asked:  # a new size discards the request
            self._request()


class Vnc(Kvm):
    _hid: RemoteHid
    report_layout = "us"

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        parts = urlsplit(config.url)
        self._host, self._port = parts.hostname or "", parts.port or VNC_PORT
        self._place = f"{self._host}:{self._port}"
        self._config = config
        self._trust = CertificatePin(config, callbacks.on_fingerprint)
        self._refusal: WrongPassword | None = None
        self._link: VncLink | None = None
        self._encoder = RfbEncoder()
        hid = RemoteHid(self._connect, self._encode, callbacks.on_input_problem)
        super().__init__(Message("vnc.name", place=self._place), hid, callbacks)

    async def frames(self) -> AsyncIterator[bytes]:
        await self._hid.link()
        link = self._link
        assert link
        seen, jpeg = Image.new("RGB", (0, 0)), b""
        try:
            while True:
                await link.refresh()
                if not link.screen.blank:
                    image = link.screen.image.copy()
                    if not await asyncio.to_thread(_is_same, image, seen):
                        seen, jpeg = image, await asyncio.to_thread(encode_jpeg, image, 85)
                    yield jpeg
                await asyncio.sleep(PICTURE_INTERVAL_S)
        except DeviceError as error:
            if link.open:
                raise Stalled from error

    async def _connect(self, on_lost: Callable[[], None]) -> VncLink:
        if self._refusal:
            raise self._refusal
        try:
            async with within(CONNECT_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(
                    self._host, self._port, limit=READ_BUFFER_BYTES
                )
                who = (self._config.user, self._config.password)
                try:
                    await log_in(reader, writer, self._trust.check, who)
                    screen = await initialise(reader)
                except BaseException:
                    writer.transport.abort()
                    raise
        except LoginRefusedError as error:
            self._refusal = WrongPassword(Message("vnc.wrong_password", kvm=self.name))
            raise self._refusal from error
        except (RfbError, ValueError) as error:
            reason = error.message if isinstance(error, RfbError) else str(error)
            raise CuaError(Message("vnc.failed", kvm=self.name, reason=reason)) from error
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            raise unreachable_error(self._place, error) from error
        self._link = VncLink(reader, writer, screen, on_lost)
        return self._link

    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        assert self._link
        return self._encoder.encode(endpoint, before, now, self._link.screen.image.size)


def _is_same(image: Image.Image, other: Image.Image) -> bool:
    return image.size == other.size and not ImageChops.difference(image, other).getbbox()
