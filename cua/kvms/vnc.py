"""Any VNC server: QEMU and Proxmox, Macs, TigerVNC, x11vnc. The library `asyncvnc` logs in and
keeps the pixels; they become JPEGs here.

Keys go as what is printed on them, and the server finds out where they are; so what is typed is
right whatever the computer's layout. The protocol has no acknowledgement: a pixel that is asked for
anew comes back when the server has read everything before.
"""

from __future__ import annotations

import asyncio
import io
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..extras import command
from ..hid.reports import Endpoint
from ..screen.stream import Stalled
from ..types import CuaError, DeviceError, Press
from ..within import within
from . import Notices, Target
from .cable import Cable
from .rfb import Pointer
from .site import WrongPassword
from .trust import changed, unreachable
from .vencrypt import begin

PORT = 5900
OPENING, PATIENCE = 10.0, 3.0
WINDOW = 4
"""Reports that may be under way; servers answer with their next picture, 60 times a second."""
TICK = 0.1
"""Seconds between two pictures."""
RAW, RESIZED = 0, -223
"""Encodings. Unpacking a compressed screen would hold up everything else here; the second one is no
encoding but asks to be told when the size changes, which the library does not do."""

_MISSING = f"VNC needs the package asyncvnc. Install it: {command('vnc')}"
_GONE = "The VNC server closed the connection. It is opened again; send again."
_SILENT = (
    "The VNC server does not answer, so the connection was dropped. Check it, then send again."
)


class Link:
    """One connection (`cable.Link`)."""

    def __init__(self, client: Any, lost: Callable[[], None]) -> None:
        self.client = client
        self.open = True
        self._lost = lost
        self._asked: list[asyncio.Future[None]] = []
        self._fresh: list[asyncio.Future[None]] = []
        encodings = struct.pack(">BxHii", 2, 2, RAW, RESIZED)
        client.writer.write(encodings)
        client.video.read = self._rectangle
        client.video.refresh()
        self._reading = asyncio.ensure_future(self._read())

    def send(self, messages: Sequence[bytes]) -> asyncio.Future[None]:
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        read.add_done_callback(lambda done: done.cancelled() or done.exception())
        if not self.open:
            read.set_exception(DeviceError(_GONE))
            return read
        for message in messages:
            self.client.writer.write(message)
        self._fresh.append(read)
        self._ask()
        return read

    async def deliver(self, messages: Sequence[bytes]) -> None:
        self.send(messages)
        waiting = [*self._asked, *self._fresh]
        if len(waiting) >= WINDOW:
            await self._answer(waiting[0])

    async def fresh(self) -> None:
        """Returns when the pixels are those of a moment after the call."""
        await self._answer(self.send([]))

    def colours(self) -> list[Any]:
        """Red, green and blue as they are from now on; none while the size changes."""
        video = self.client.video
        return [] if video.data is None else [video.data[:, :, video.mode.index(c)] for c in "rgb"]

    def drop(self) -> None:
        self.client.writer.transport.abort()

    def close(self) -> None:
        self._reading.cancel()
        self.client.writer.close()
        self._end()

    async def _answer(self, read: asyncio.Future[None]) -> None:
        try:
            async with within(PATIENCE):
                await asyncio.shield(read)
        except asyncio.TimeoutError:
            self.drop()
            raise DeviceError(_SILENT) from None

    def _ask(self) -> None:
        """One question at a time: a server may answer several at once, before it has read all."""
        if self._asked or not self._fresh or self.client.video.data is None:
            return
        self._asked, self._fresh = self._fresh, []
        self._corner()[...] = 0  # opaque again with the answer
        self.client.writer.write(struct.pack(">BBHHHH", 3, 0, 0, 0, 1, 1))

    def _corner(self) -> Any:
        """The opacity of the first pixel, which nobody looks at otherwise."""
        video = self.client.video
        return video.data[0:1, 0:1, video.mode.index("a")]

    async def _read(self) -> None:
        import asyncvnc

        try:
            while True:
                if await self.client.read() is asyncvnc.UpdateType.VIDEO:
                    self._seen()
                    self.client.video.refresh()
        except (OSError, EOFError, ValueError):  # the last one is an answer that nobody knows
            self.client.writer.close()
            self._end()

    async def _rectangle(self) -> None:
        """A part of the screen, or its new size."""
        import numpy

        video = self.client.video
        head = await video.reader.readexactly(12)
        x, y, width, height, encoding = struct.unpack(">HHHHi", head)
        if encoding == RESIZED:
            video.width, video.height, video.data = width, height, None
            return
        pixels = await video.reader.readexactly(width * height * 4)
        if video.data is None:
            video.data = numpy.zeros((video.height, video.width, 4), "B")
        part = video.data[y : y + height, x : x + width]
        part[...] = numpy.frombuffer(pixels, "B").reshape(height, width, 4)
        part[:, :, video.mode.index("a")] = 255

    def _seen(self) -> None:
        if self._asked and self.client.video.data is not None and self._corner().all():
            for read in self._asked:
                if not read.done():
                    read.set_result(None)
            self._asked = []
        self._ask()

    def _end(self) -> None:
        was_open, self.open = self.open, False
        for read in (*self._asked, *self._fresh):
            if not read.done():
                read.set_exception(DeviceError(_GONE))
        if was_open:
            self._lost()


class Vnc:
    presses: tuple[Press, ...] = ()
    lacks: frozenset[int] = frozenset()
    relative = False
    layout = "us"
    keymap = ""

    def __init__(self, target: Target, notices: Notices) -> None:
        parts = urlsplit(target.url)
        self._host, self._port = parts.hostname or "", parts.port or PORT
        self.name = f"the VNC server at {self._host}:{self._port}"
        self._target = target
        self._notices = notices
        self._certificate = target.certificate.strip().upper()
        self._refusal: WrongPassword | None = None
        self._link: Link | None = None
        self._pointer = Pointer()
        self._cable = Cable(self._connect, self._messages, notices.reach)

    async def open(self) -> None:
        pass

    async def frames(self) -> AsyncIterator[bytes]:
        link = await self._connected()
        pixels, jpeg = None, b""
        try:
            while True:
                await link.fresh()
                if colours := link.colours():
                    pixels, jpeg = await asyncio.to_thread(_picture, colours, pixels, jpeg)
                    yield jpeg
                await asyncio.sleep(TICK)
        except DeviceError as error:
            if link.open:
                raise Stalled from error

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._cable.write(endpoint, report)

    def release(self) -> None:
        self._cable.release()

    async def press(self, button: Press) -> None:
        raise DeviceError(f"A VNC server has no {button} button.")

    async def close(self) -> None:
        await self._cable.close()

    async def _connected(self) -> Link:
        await self._cable.link()
        assert self._link
        return self._link

    async def _connect(self, lost: Callable[[], None]) -> Link:
        if self._refusal:
            raise self._refusal
        try:
            import asyncvnc
        except ImportError as error:
            raise CuaError(_MISSING) from error
        who = (self._target.user or None, self._target.password or None)
        try:
            async with within(OPENING):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                try:
                    opened = await begin(reader, writer, self._accept)
                    client = await asyncvnc.Client.create(reader, opened, *who)
                except BaseException:
                    writer.close()
                    raise
        except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            raise self._words(error) from error
        self._link = Link(client, lost)
        return self._link

    def _accept(self, certificate: str) -> None:
        """The first one is noted; another one, or none from then on, is refused."""
        if self._certificate not in ("", certificate):
            place = f"{self._host}:{self._port}"
            raise changed(place, self._certificate, certificate or "none")
        if certificate and not self._certificate:
            self._certificate = certificate
            self._notices.pin(certificate)

    def _words(self, error: Exception) -> CuaError:
        if isinstance(error, PermissionError) or "requires" in str(error):
            self._refusal = WrongPassword(
                f"{self.name} does not take this password. Enter the VNC password in Settings, for "
                "a Mac the user as well."
            )
            return self._refusal
        if isinstance(error, ValueError):
            return CuaError(f"{self.name} cannot be talked to: {error}.")
        return unreachable(f"{self._host}:{self._port}", error)

    def _messages(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        assert self._link
        video = self._link.client.video
        return self._pointer.messages(endpoint, before, now, (video.width, video.height))


def _picture(colours: list[Any], before: Any, jpeg: bytes) -> tuple[Any, bytes]:
    """The pixels and their JPEG, which is the one before where nothing has changed. What is drawn
    meanwhile may be half in it, and changes the next one. Takes longer than the event loop has."""
    import numpy

    pixels = numpy.dstack(colours)
    same = before is not None and numpy.array_equal(pixels, before)
    return pixels, jpeg if same else _jpeg(pixels)


def _jpeg(pixels: Any) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=85)
    return out.getvalue()


def create(target: Target, notices: Notices) -> Vnc:
    return Vnc(target, notices)
