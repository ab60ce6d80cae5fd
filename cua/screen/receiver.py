"""The asyncio protocol that receives one MJPEG response into one large buffer.

The kernel, or TLS, writes into the buffer, from which each frame is copied once. A general HTTP
client reads 16 KB at a time and copies each several times, which takes three times the CPU time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from ..messages import Message
from .http_body import MAX_HEAD_BYTES, ChunkedBody, Head, HttpError, parse_head
from .multipart import Splitter

BUFFER_BYTES = 256 * 1024
MIN_ROOM_BYTES = 32 * 1024
"""Least free space for a read; smaller reads are inefficient."""
IDLE_TIMEOUT_S = 3.0
"""Longest time without a byte. A KVM without a signal does not even send its status line."""
MAX_WAITING_FRAMES = 16
"""Number of frames kept for a slow consumer; older ones are dropped."""


class Stalled(Exception):
    """The connection is open, but no byte came for `IDLE_TIMEOUT_S`."""


class Receiver(asyncio.BufferedProtocol):
    """Sends `request`, then parses the response. `check` returns the boundary of the stream, or
    raises if the head is not a stream's.
    """

    def __init__(self, request: bytes, check: Callable[[Head], str]) -> None:
        self._request, self._check = request, check
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray(BUFFER_BYTES)
        self._end = 0
        self._head = bytearray()
        self._chunks: ChunkedBody | None = None
        self._splitter: Splitter | None = None
        self._frames: deque[bytes] = deque(maxlen=MAX_WAITING_FRAMES)
        self._error: Exception | None = None
        self._over = False
        self._changed = asyncio.Event()
        self._last_data_at = 0.0

    async def next(self) -> bytes | None:
        """Return the next frame; None when the response has ended.

        Raises `Stalled`, `HttpError`, `OSError`, `ScreenError` and what `check` raises.
        """
        while not self._frames:
            if self._error:
                raise self._error
            if self._over:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._frames.popleft()

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport
        transport.write(self._request)
        self._last_data_at = self._loop.time()
        self._watchdog = self._loop.call_later(IDLE_TIMEOUT_S, self._check_idle)

    def connection_lost(self, error: Exception | None) -> None:
        self._watchdog.cancel()
        self._end_with(error)

    def get_buffer(self, _sizehint: int) -> memoryview:
        if len(self._buffer) - self._end < MIN_ROOM_BYTES:
            # Frames still refer to the old buffer.
            self._buffer, self._end = bytearray(BUFFER_BYTES), 0
        return memoryview(self._buffer)[self._end :]

    def buffer_updated(self, nbytes: int) -> None:
        self._last_data_at = self._loop.time()
        new = memoryview(self._buffer)[self._end : self._end + nbytes]
        self._end += nbytes
        try:
            self._parse(new)
        except Exception as error:  # noqa: BLE001 - raised in `next`
            self._fail(error)
        if not (self._splitter and self._splitter.pending):
            self._end = 0

    def _parse(self, data: memoryview) -> None:
        if self._splitter is None:
            data = self._read_head(data)
        if self._splitter is None:
            return
        for piece in self._chunks.feed(data) if self._chunks else (data,):
            self._frames.extend(self._splitter.feed(piece))
        if self._frames:
            self._changed.set()
        if self._chunks and self._chunks.ended:
            self._transport.close()

    def _read_head(self, data: memoryview) -> memoryview:
        known = len(self._head)
        self._head += data[:MAX_HEAD_BYTES]
        end = self._head.find(b"\r\n\r\n")
        if end < 0:
            if len(self._head) >= MAX_HEAD_BYTES:
                raise HttpError(Message("screen.endless_headers"))
            return data[:0]
        head = parse_head(bytes(self._head[:end]))
        self._splitter = Splitter(self._check(head))
        self._chunks = ChunkedBody() if head.chunked else None
        return data[end + 4 - known :]

    def _check_idle(self) -> None:
        quiet = self._loop.time() - self._last_data_at
        if quiet >= IDLE_TIMEOUT_S:
            self._fail(Stalled())
        else:
            self._watchdog = self._loop.call_later(IDLE_TIMEOUT_S - quiet, self._check_idle)

    def _fail(self, error: Exception) -> None:
        self._end_with(error)
        self._transport.abort()

    def _end_with(self, error: Exception | None) -> None:
        self._error = self._error or error
        self._over = True
        self._changed.set()
