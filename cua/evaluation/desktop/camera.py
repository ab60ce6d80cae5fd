"""The framebuffer of Xvfb as a video signal; the pointer is in it, as it is on HDMI."""

from __future__ import annotations

import asyncio
import io
import mmap
import struct
import time
from pathlib import Path

from PIL import Image

FPS, QUALITY = 30, 85


class Camera:
    """What `cua.simulator.server` wants of a display. `file` is an X window dump that is alive."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as pixels:
            self._map = mmap.mmap(pixels.fileno(), 0, prot=mmap.PROT_READ)
        head = struct.unpack(">25I", self._map[:100])
        self.size = (head[4], head[5])
        self._stride, self._begin = head[12], head[0] + 12 * head[19]
        self._jpeg = b""
        self._beat = asyncio.Event()

    async def run(self) -> None:
        """Encode frames until cancelled; a late frame is not made up for."""
        last, due = b"", time.monotonic()
        while True:
            pixels = self._map[self._begin : self._begin + self._stride * self.size[1]]
            if pixels != last:
                last = pixels
                self._jpeg = await asyncio.to_thread(self._encoded, pixels)
            self._beat.set()
            self._beat = asyncio.Event()
            due = max(due + 1 / FPS, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    async def next(self) -> bytes:
        """The picture at the next beat, whether it changed or not."""
        await self._beat.wait()
        return self._jpeg

    def _encoded(self, pixels: bytes) -> bytes:
        picture = Image.frombuffer("RGB", self.size, pixels, "raw", "BGRX", self._stride, 1)
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=QUALITY)
        return out.getvalue()
