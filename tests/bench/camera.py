"""A KVM's video stream in a process of its own: HTTPS, self-signed, 1280x720, about 127 KB a frame,
and the body chunked, as Go's server sends one that has no length.

    python -m tests.bench.camera [--fps 30] [--stamped] [--moving]

`--stamped` writes the time of sending into each JPEG (a comment segment), so that its age can be
known wherever it arrives; then no two frames are the same bytes, as with a noisy source.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import os
import ssl
import struct
import time
from dataclasses import dataclass

import trustme
from PIL import Image, ImageDraw

from tests.servers.mjpeg_server import Stream, serving

SIZE = (1280, 720)
BYTES = 127_000
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_STAMP = struct.Struct(">HHd")
_COMMENT = 0xFFFE


@dataclass
class Camera(Stream):
    stamped: bool = False

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        clock = asyncio.get_running_loop().time
        number, due = 0, clock()
        while not writer.is_closing() and not self.over:
            jpeg = self.frames[number % len(self.frames)]
            part = self._part(stamp(jpeg) if self.stamped else jpeg)
            writer.write(b"%x\r\n%b\r\n" % (len(part), part))
            await writer.drain()
            number += 1
            due = max(due + 1 / self.fps, clock())
            await asyncio.sleep(due - clock())


def stamp(jpeg: bytes) -> bytes:
    return jpeg[:2] + _STAMP.pack(_COMMENT, _STAMP.size - 2, time.monotonic()) + jpeg[2:]


def age(jpeg: bytes) -> float:
    """Seconds since a stamped JPEG was sent; all processes of a machine share that clock."""
    comment, _, sent = _STAMP.unpack_from(jpeg, 2)
    assert comment == _COMMENT, "the picture is not stamped"
    return time.monotonic() - float(sent)


def noisy(mark: int = 0) -> bytes:
    """A picture as large in bytes as a busy desktop's; a square begins at column `mark`."""
    least, most = 1.0, 100.0
    while most - least > 0.5:
        sigma = (least + most) / 2
        least, most = (sigma, most) if len(_jpeg(sigma, mark)) < BYTES else (least, sigma)
    return _jpeg(least, mark)


def _jpeg(sigma: float, mark: int) -> bytes:
    image = Image.effect_noise(SIZE, sigma).convert("RGB")
    if mark:
        ImageDraw.Draw(image).rectangle((mark, 200, mark + 200, 400), fill="white")
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()


async def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--stamped", action="store_true")
    parser.add_argument("--moving", action="store_true")
    options = parser.parse_args()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("localhost").configure_cert(tls)
    marks = range(100, 1000, 150) if options.moving else (0,)
    stream = Camera([noisy(mark) for mark in marks], options.fps, stamped=options.stamped)
    async with serving(stream, tls=tls) as url:
        print(url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(PermissionError):
        os.nice(-10)  # hardware does not wait for other programs
    asyncio.run(_main())
