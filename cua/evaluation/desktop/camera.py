"""The framebuffer of Xvfb as a video signal; the pointer is in it, as it is on HDMI."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from PIL import Image


class Camera:
    """The pixels of `file`, an X window dump that the X server writes to."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as pixels:
            self._map = mmap.mmap(pixels.fileno(), 0, prot=mmap.PROT_READ)
        head = struct.unpack(">25I", self._map[:100])
        self.size = (head[4], head[5])
        self._stride, self._begin = head[12], head[0] + 12 * head[19]
        self._last = b""

    def look(self) -> Image.Image | None:
        """Return the picture, or None if it has not changed."""
        pixels = self._map[self._begin : self._begin + self._stride * self.size[1]]
        if pixels == self._last:
            return None
        self._last = pixels
        return Image.frombuffer("RGB", self.size, pixels, "raw", "BGRX", self._stride, 1)
