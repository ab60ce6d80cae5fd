"""Splits a multipart/x-mixed-replace body, received in any pieces, into its parts.

A part with a Content-Length ends there: a splitter that waits for the next boundary is one frame
late, which can be seconds on an unchanged screen. Every length is limited, because the server may
be faulty or hostile.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..messages import Message
from ..types import ScreenError

MAX_HEADER_BYTES = 4096
MAX_FRAME_BYTES = 4 * 1024 * 1024
HEADER_STEP_BYTES = 256
"""Number of bytes that are searched at once for the end of a header; avoids copying the body."""


class Splitter:
    """Takes data by `feed` and yields whole part bodies. `boundary` has no leading dashes.

    The body of a part with a Content-Length is copied once, from the data passed to `feed`, which
    must not change until `pending` is false.
    """

    def __init__(self, boundary: str) -> None:
        if not 0 < len(boundary) <= 70:
            raise ScreenError(Message("screen.no_boundary"))
        self._delimiter = b"--" + boundary.removeprefix("--").encode("latin-1")
        self._text = bytearray()
        """The first bytes of a header, or of a body of unknown length."""
        self._length: int | None = None
        """Length of the current part's body; -1: not in its header; None: no header yet."""
        self._pieces: list[memoryview] = []
        self._missing = 0
        """Number of bytes that are missing of a body of known length."""

    @property
    def pending(self) -> bool:
        """Whether data passed to `feed` is still needed."""
        return bool(self._pieces)

    def feed(self, data: bytes | memoryview) -> Iterator[bytes]:
        """Yield whole bodies. Raises `ScreenError` when a header or a part is too large."""
        rest = memoryview(data)
        while rest:
            body = None
            if self._length is None:
                rest = self._read_header(rest)
            elif self._length < 0:
                rest, body = self._read_to_boundary(rest)
            else:
                rest, body = self._read_length(rest)
            if body is not None:
                self._length = None
                yield body

    def _read_header(self, data: memoryview) -> memoryview:
        known = len(self._text)
        self._text += data[:HEADER_STEP_BYTES]
        start = self._text.find(self._delimiter)
        end = self._text.find(b"\r\n\r\n", max(start, 0))
        if start < 0 or end < 0:
            if len(self._text) > MAX_HEADER_BYTES:
                raise ScreenError(Message("screen.no_parts"))
            return data[HEADER_STEP_BYTES:]
        self._length = self._missing = _content_length(bytes(self._text[start:end]))
        self._text.clear()
        return data[end + 4 - known :]

    def _read_length(self, data: memoryview) -> tuple[memoryview, bytes | None]:
        piece = data[: self._missing]
        self._pieces.append(piece)
        self._missing -= len(piece)
        if self._missing:
            return data[len(piece) :], None
        body = b"".join(self._pieces)
        self._pieces.clear()
        return data[len(piece) :], body

    def _read_to_boundary(self, data: memoryview) -> tuple[memoryview, bytes | None]:
        mark, known = b"\r\n" + self._delimiter, len(self._text)
        self._text += data
        end = self._text.find(mark, max(0, known - len(mark)))
        if end < 0:
            if known + len(data) > MAX_FRAME_BYTES:
                raise ScreenError(Message("screen.too_large"))
            return data[:0], None
        body = bytes(memoryview(self._text)[:end])
        self._text = bytearray(self._delimiter)  # the next header begins with it
        return data[end + len(mark) - known :], body


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if not digits.isdigit() or len(digits) > 9 or int(digits) > MAX_FRAME_BYTES:
                raise ScreenError(Message("screen.too_large"))
            return int(digits)
    return -1
