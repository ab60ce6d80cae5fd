"""An MJPEG stream as a NanoKVM-Pro sends it, and the ways in which such streams go wrong.

python -m tests.servers.mjpeg_server --port 8098 [--cert FILE --key FILE] [--fps 30] JPEG...
"""

from __future__ import annotations

import argparse
import asyncio
import io
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw

Fault = Literal[
    "", "silent", "unauthorized", "html", "no_length", "no_frames", "redirect", "closed",
    "endless_header", "endless_frame",
]  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"


def picture(text: str = "", size: tuple[int, int] = (1280, 720), grey: int = 90) -> bytes:
    """A JPEG with a text in its middle."""
    image = Image.new("RGB", size, (grey, grey, grey))
    if text:
        ImageDraw.Draw(image).text((size[0] // 2, size[1] // 2), text, fill="white", font_size=40)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()


@dataclass
class Stream:
    """What is sent: `frames` in turn, for ever. Change the fields while it runs."""

    frames: list[bytes] = field(default_factory=lambda: [picture()])
    fps: float = 30.0
    fault: Fault = ""
    frozen: bool = False
    connections: int = 0
    open_connections: int = 0
    sent: int = 0
    over: bool = False
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def drop(self) -> None:
        """Tear down all connections; those made from now on have the fault that is set now."""
        for writer in self._writers:
            writer.transport.abort()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_connections += 1
        self._writers.add(writer)
        try:
            await reader.readuntil(b"\r\n\r\n")
            await self._send(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_connections -= 1
            self._writers.discard(writer)
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        refusals = {
            "unauthorized": b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "html": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<h1>",
            "redirect": b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
        }
        if self.fault in refusals:
            writer.write(refusals[self.fault])
            await writer.drain()
            return
        if self.fault == "closed":
            return
        while self.fault == "silent" and not self.over:
            await asyncio.sleep(0.01)
        writer.write(HEAD)
        if self.fault in ("endless_header", "endless_frame"):
            await self._without_end(writer)
        number = 0
        while not writer.is_closing() and not self.over:
            if not self.frozen and self.fault != "no_frames":
                writer.write(self._part(self.frames[number % len(self.frames)]))
                await writer.drain()
                number += 1
                self.sent += 1
            await asyncio.sleep(1 / self.fps)

    async def _without_end(self, writer: asyncio.StreamWriter) -> None:
        if self.fault == "endless_frame":
            writer.write(
                b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 1000000000\r\n\r\n"
            )
        while not writer.is_closing() and not self.over:
            writer.write(b"x-more: " + b"m" * 2**16)
            await writer.drain()
            await asyncio.sleep(0.001)

    def _part(self, jpeg: bytes) -> bytes:
        length = b"" if self.fault == "no_length" else b"Content-Length: %d\r\n" % len(jpeg)
        return b"--frame\r\nContent-Type: image/jpeg\r\n" + length + b"\r\n" + jpeg + b"\r\n"


@asynccontextmanager
async def serving(
    stream: Stream, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """The stream's URL while it is served on 127.0.0.1."""
    server = await asyncio.start_server(stream.answer, "127.0.0.1", port, ssl=tls)
    scheme = "https" if tls else "http"
    try:
        yield f"{scheme}://localhost:{server.sockets[0].getsockname()[1]}/api/stream/mjpeg"
    finally:
        server.close()
        stream.over = True
        while stream.open_connections:
            await asyncio.sleep(0.01)


async def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8098)
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--cert", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("jpeg", nargs="*", type=Path)
    options = parser.parse_args()
    tls = None
    if options.cert:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(options.cert, options.key)
    stream = Stream([path.read_bytes() for path in options.jpeg] or [picture()], options.fps)
    async with serving(stream, options.port, tls):
        print("ready", flush=True)  # noqa: T201 - its callers wait for this line
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
