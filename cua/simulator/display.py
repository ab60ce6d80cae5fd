"""The video signal: frames at a steady beat, encoded in a thread."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

    from .pc import Computer


FPS = 30


class VideoSource:
    """A source of JPEG frames; subclasses draw them in `look`."""

    quality = 80

    def __init__(self) -> None:
        self._jpeg = b""
        self._beat = asyncio.Event()

    def look(self) -> Image.Image | None:
        """Return the picture, or None if it has not changed."""
        raise NotImplementedError

    async def run(self) -> None:
        """Make frames until cancelled; a late frame is not made up for."""
        due = time.monotonic()
        while True:
            if picture := self.look():
                self._jpeg = await asyncio.to_thread(self._encode, picture)
            self._beat.set()
            self._beat = asyncio.Event()
            due = max(due + 1 / FPS, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    def _encode(self, picture: Image.Image) -> bytes:
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=self.quality)
        return out.getvalue()

    async def next(self) -> bytes:
        """Wait for the next beat; return the newest frame, whether it changed or not."""
        await self._beat.wait()
        return self._jpeg


class Display(VideoSource):
    """The screen of the virtual computer; `now` is the time up to which every report is known."""

    def __init__(self, pc: Computer, now: Callable[[], float]) -> None:
        super().__init__()
        self.pc, self.now = pc, now

    def look(self) -> Image.Image | None:
        self.pc.tick(self.now())
        return self.pc.look()
