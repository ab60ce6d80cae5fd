"""Splits a multipart/x-mixed-replace body into its parts, whatever the chunk edges.

A part ends at its Content-Length where it has one: a splitter that waits for the next boundary is
one frame late, which on a still screen can be seconds. Everything is capped, since the other end
may be broken or hostile.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..types import ScreenError

MAX_HEADER = 4096
MAX_FRAME = 4 * 1024 * 1024


class Splitter:
    """Push bytes in with `feed`, get whole part bodies out. `boundary` comes without its dashes."""

    def __init__(self, boundary: str) -> None:
        if not 0 < len(boundary) <= 70:
            raise ScreenError("The video stream names no usable boundary: it is not MJPEG.")
        self._delimiter = b"--" + boundary.removeprefix("--").encode("latin-1")
        self._buffer = bytearray()
        self._length: int | None = None
        """Of the part whose body is being read; -1 where its header does not say."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Raises `ScreenError` when a header or a part grows beyond reason."""
        self._buffer += chunk
        while True:
            if self._length is None and not self._read_header():
                return
            body = self._read_body()
            if body is None:
                return
            self._length = None
            yield body

    def _read_header(self) -> bool:
        start = self._buffer.find(self._delimiter)
        end = self._buffer.find(b"\r\n\r\n", max(start, 0))
        if start < 0 or end < 0:
            if len(self._buffer) > MAX_HEADER:
                raise ScreenError("The video stream sends something other than MJPEG parts.")
            return False
        self._length = _content_length(bytes(self._buffer[start:end]))
        del self._buffer[: end + 4]
        return True

    def _read_body(self) -> bytes | None:
        assert self._length is not None
        end = self._length if self._length >= 0 else self._buffer.find(b"\r\n" + self._delimiter)
        if end < 0 or len(self._buffer) < end:
            if len(self._buffer) > MAX_FRAME:
                raise ScreenError("The video stream sends pictures of more than 4 MB.")
            return None
        body = bytes(self._buffer[:end])
        del self._buffer[:end]
        return body


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if not digits.isdigit() or len(digits) > 9 or int(digits) > MAX_FRAME:
                raise ScreenError("The video stream announces pictures of more than 4 MB.")
            return int(digits)
    return -1
