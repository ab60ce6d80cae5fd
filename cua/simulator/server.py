"""The HTTP server of the virtual KVM: its stream and its state.

The stream has the framing of NanoKVM-Pro. Each viewer has a task of its own that takes the newest
frame when its socket has taken the last one, so a slow viewer skips frames and delays no other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from .display import VideoSource

STREAM, STATE = "/api/stream/mjpeg", "/state"
REQUEST_TIMEOUT_S = 5.0


class Server:
    def __init__(self, video: VideoSource, state: Callable[[], dict[str, Any]]) -> None:
        self._video, self._state = video, state

    async def start(self, port: int = 0) -> int:
        """Listen on 127.0.0.1 until the event loop ends, and return the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(
            ConnectionError, asyncio.TimeoutError, asyncio.IncompleteReadError
        ):
            request = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), REQUEST_TIMEOUT_S)
            _, path, _ = (request + b"  ").split(b" ", 2)
            await self._answer(path.decode("latin-1"), writer)
        writer.close()

    async def _answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        if path == STREAM:
            await self._stream(writer)
        elif path == STATE:
            self._send(writer, "200 OK", "application/json", json.dumps(self._state()).encode())
        else:
            self._send(writer, "404 Not Found", "text/plain", b"There is no such page.\n")
        await writer.drain()

    def _send(self, writer: asyncio.StreamWriter, status: str, kind: str, body: bytes) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)

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
