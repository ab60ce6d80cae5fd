"""The head of an HTTP/1.1 response, and its body without the chunked transfer coding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..messages import Message
from ..types import CuaError

MAX_HEAD_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024


class HttpError(CuaError):
    """The response is not valid HTTP/1.1; the message is the reason, part of a sentence."""


class Head(NamedTuple):
    """The head of a response; `headers` by name in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def chunked(self) -> bool:
        return "chunked" in self.headers.get("transfer-encoding", "").lower()


def parse_head(data: bytes) -> Head:
    """Parse a head; `data` ends at the empty line. Raises `HttpError`."""
    first, *lines = data.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    if not version.startswith("HTTP/1.") or not (len(status) == 3 and status.isdecimal()):
        raise HttpError(Message("screen.not_http"))
    pairs = (line.partition(":") for line in lines)
    return Head(int(status), {name.strip().lower(): value.strip() for name, _, value in pairs})


class ChunkedBody:
    """Removes the chunk sizes from a body. `ended` is set by the last chunk."""

    def __init__(self) -> None:
        self.ended = False
        self._line = bytearray()
        self._missing = 0
        """Number of bytes that are missing of the current chunk."""

    def feed(self, data: memoryview) -> Iterator[memoryview]:
        """Yield the content in `data`, without the sizes. Raises `HttpError`."""
        while data and not self.ended:
            if self._missing:
                yield data[: self._missing]
                taken = min(self._missing, len(data))
                self._missing -= taken
                data = data[taken:]
            else:
                data = self._read_size(data)

    def _read_size(self, data: memoryview) -> memoryview:
        known = len(self._line)
        self._line += data[:MAX_CHUNK_LINE_BYTES]
        start = 2 if self._line.startswith(b"\r\n") else 0  # the end of the previous chunk
        end = self._line.find(b"\r\n", start)
        if end < 0:
            if len(self._line) > MAX_CHUNK_LINE_BYTES:
                raise HttpError(Message("screen.chunk_size"))
            return data[MAX_CHUNK_LINE_BYTES:]
        self._missing = _parse_size(bytes(self._line[start:end]))
        self._line.clear()
        self.ended = not self._missing
        return data[end + 2 - known :]


def _parse_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    try:
        if not 0 < len(digits) <= 8 or digits[:1] in b"+-":
            raise ValueError
        return int(digits, 16)
    except ValueError:
        raise HttpError(Message("screen.chunk_size")) from None
