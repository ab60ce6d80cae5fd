"""The video signal of the simulated KVM, and the HTTP server of its stream and its state.

The stream has the framing of NanoKVM-Pro. Each viewer has a task that sends the newest frame once
its socket has accepted the last one, so a slow viewer skips frames and delays no other.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

    from .fifos import Fifos

STREAM, STATE = "/api/stream/mjpeg", "/state"
FPS = 30


class VideoSource:
    """JPEG frames of the pictures that `look` returns; None: it has not changed."""

    def __init__(self, look: Callable[[], Image.Image | None], quality: int = 80) -> None:
        self._look, self._quality = look, quality
        self._jpeg = b""
        self._beat = asyncio.Event()

    async def run(self) -> None:
        """Produce frames until cancelled; missed ones are skipped."""
        due = time.monotonic()
        while True:
            if picture := self._look():
                self._jpeg = await asyncio.to_thread(self._encode, picture)
            self._beat.set()
            self._beat = asyncio.Event()
            due = max(due + 1 / FPS, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    def _encode(self, picture: Image.Image) -> bytes:
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=self._quality)
        return out.getvalue()

    async def next(self) -> bytes:
        """Wait for the time of the next frame; return the newest one, even if unchanged."""
        await self._beat.wait()
        return self._jpeg


class Server:
    """The state is that after all reports that were written before the request."""

    def __init__(
        self, video: VideoSource, state: Callable[[], dict[str, Any]], fifos: Fifos
    ) -> None:
        self._video, self._state, self._fifos = video, state, fifos

    async def start(self) -> int:
        """Listen on 127.0.0.1 until the event loop ends, and return the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelling it raises nothing, or asyncio would print an error.
        ended = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.suppress(*ended):
            request = await reader.readuntil(b"\r\n\r\n")
            if request.startswith(f"GET {STREAM} ".encode()):
                await self._stream(writer)
            await self._fifos.wait_until_handled()
            body = json.dumps(self._state()).encode()
            head = f"Content-Type: application/json\r\nContent-Length: {len(body)}"
            writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\nConnection: close\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(high=0)
        jpeg = await self._video.next()
        kind = "multipart/x-mixed-replace; boundary=frame"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode())
        while True:
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            writer.write(head.encode() + jpeg + b"\r\n")
            await writer.drain()
            jpeg = await self._video.next()
