"""The screen of an RFB connection, as pixels."""

from __future__ import annotations

import struct
from asyncio import StreamReader

from PIL import Image

from ..messages import Message
from ..types import CuaError

RAW, COPY_RECT, DESKTOP_SIZE = 0, 1, -223
"""Encodings, none of them compressed, since unpacking would block the event loop; the last one only
announces a new size."""
ENCODINGS = struct.pack(">BxH3i", 2, 3, COPY_RECT, RAW, DESKTOP_SIZE)
PIXEL_FORMAT = struct.pack(">B3xBBBBHHHBBB3x", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
"""Pixels of four bytes: blue, green, red, and an unused one."""
BYTES_PER_PIXEL = 4
MAX_PIXELS = 1 << 25
"""Largest number of pixels, a little more than an 8K screen."""
_REQUEST = struct.Struct(">BBHHHH")


class RfbError(CuaError):
    """The server violates the protocol; the message is the reason, part of a sentence."""


class Framebuffer:
    def __init__(self, width: int, height: int) -> None:
        self.answered = False
        """Whether the first pixel was drawn since the last request."""
        self.blank = True
        """Whether no pixels have been requested yet."""
        self._resize(width, height)

    def request(self, *, whole: bool) -> bytes:
        """Return a request for the first pixel and, if `whole`, all changes on the screen.

        A screen of a new size is requested with all its pixels.
        """
        self.answered = False
        if self.blank:
            self.blank = False
            return _REQUEST.pack(3, 0, 0, 0, *self.image.size)
        changes = _REQUEST.pack(3, 1, 0, 0, *self.image.size) if whole else b""
        return changes + _REQUEST.pack(3, 0, 0, 0, 1, 1)

    async def read_update(self, reader: StreamReader) -> None:
        """Read a FramebufferUpdate after its type. Raises `RfbError` if it is not valid."""
        (rectangles,) = struct.unpack(">xH", await reader.readexactly(3))
        for _ in range(rectangles):
            await self._read_rectangle(reader)

    async def _read_rectangle(self, reader: StreamReader) -> None:
        head = await reader.readexactly(12)
        x, y, width, height, encoding = struct.unpack(">HHHHi", head)
        if encoding == DESKTOP_SIZE:
            self._resize(width, height)
            return
        self._check_inside(x, y, width, height)
        if encoding == RAW:
            drawn = await reader.readexactly(width * height * BYTES_PER_PIXEL)
            if drawn:
                part = Image.frombuffer("RGB", (width, height), drawn, "raw", "BGRX", 0, 1)
                self.image.paste(part, (x, y))
                self.answered |= (x, y) == (0, 0)
        elif encoding == COPY_RECT:
            from_x, from_y = struct.unpack(">HH", await reader.readexactly(4))
            self._check_inside(from_x, from_y, width, height)
            part = self.image.crop((from_x, from_y, from_x + width, from_y + height))
            self.image.paste(part, (x, y))
        else:
            raise RfbError(Message("vnc.encoding", encoding=encoding))

    def _resize(self, width: int, height: int) -> None:
        if width * height > MAX_PIXELS:
            raise RfbError(Message("vnc.too_large", width=width, height=height))
        self.image = Image.new("RGB", (width, height))
        self.blank, self.answered = True, False

    def _check_inside(self, x: int, y: int, width: int, height: int) -> None:
        if x + width > self.image.width or y + height > self.image.height:
            raise RfbError(Message("vnc.outside"))


async def initialise(reader: StreamReader) -> Framebuffer:
    """Read a ServerInit, ignoring its pixel format."""
    width, height, name = struct.unpack(">HH16xI", await reader.readexactly(24))
    await skip(reader, name)
    return Framebuffer(width, height)


async def skip(reader: StreamReader, length: int) -> None:
    while length:
        length -= len(await reader.readexactly(min(length, 1 << 16)))


async def skip_message(reader: StreamReader, kind: int) -> None:
    """Skip a message other than FramebufferUpdate, after its type."""
    if kind == 1:  # SetColourMapEntries: our format has no palette
        (colours,) = struct.unpack(">3xH", await reader.readexactly(5))
        await skip(reader, 6 * colours)
    elif kind == 3:  # ServerCutText
        (length,) = struct.unpack(">3xI", await reader.readexactly(7))
        await skip(reader, length)
    elif kind != 2:  # Bell
        raise RfbError(Message("vnc.unexpected", kind=kind))
