"""The video signal: draw what changed, encode it in a thread, and keep frames coming."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

    from .pc import Computer

JPEG_QUALITY = 80


def encoded(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()


class Display:
    """`jpeg` is the newest frame; `next` waits for the next beat, whether it changed or not.

    `now` is the time as far as the computer knows of it.
    """

    def __init__(self, pc: Computer, fps: float, now: Callable[[], float]) -> None:
        self.pc, self.fps, self.now = pc, fps, now
        self.jpeg = b""
        self._beat = asyncio.Event()

    async def run(self) -> None:
        """Draw frames until cancelled; a late frame is not made up for."""
        due = time.monotonic()
        while True:
            self.pc.tick(self.now())
            if picture := self.pc.look():
                self.jpeg = await asyncio.to_thread(encoded, picture)
            self._beat.set()
            self._beat = asyncio.Event()
            due = max(due + 1 / self.fps, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    async def next(self) -> bytes:
        await self._beat.wait()
        return self.jpeg
