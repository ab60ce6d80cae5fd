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
    """A display for `cua.simulator.server`. `file` is the X window dump that Xvfb keeps current."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as pixels:
            self._map = mmap.mmap(pixels.fileno(), 0, prot=mmap.PROT_READ)
        head = struct.unpack(">25I", self._map[:100])
        self.size = (head[4], head[5])
        self._stride, self._begin = head[12], head[0] + 12 * head[19]
        self._jpeg = b""
        self._tick = asyncio.Event()

    async def run(self) -> None:
        """Encode frames until cancelled; skip late ones."""
        last, due = b"", time.monotonic()
        while True:
            pixels = self._map[self._begin : self._begin + self._stride * self.size[1]]
            if pixels != last:
                last = pixels
                self._jpeg = await asyncio.to_thread(self._encode, pixels)
            self._tick.set()
            self._tick = asyncio.Event()
            due = max(due + 1 / FPS, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    async def next(self) -> bytes:
        """Return the next frame, whether it changed or not."""
        await self._tick.wait()
        return self._jpeg

    def _encode(self, pixels: bytes) -> bytes:
        picture = Image.frombuffer("RGB", self.size, pixels, "raw", "BGRX", self._stride, 1)
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=QUALITY)
        return out.getvalue()
