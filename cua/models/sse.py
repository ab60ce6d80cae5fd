"""Server-sent events as model servers send them: one JSON value each, up to `[DONE]`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator


async def parse_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[object]:
    """Yield each event's value. Raises `ValueError` for invalid JSON, and what `chunks` raises."""
    data: list[bytes] = []
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            whole = b"\n".join(data)
            data.clear()
            if whole.startswith(b"[DONE]"):
                break
            yield json.loads(whole)
    async for _ in chunks:  # read to the end, so that the connection can be reused
        pass


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield lines without their ends (CR LF, LF or CR)."""
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        if b"\n" not in chunk and b"\r" not in chunk:
            continue
        lines = bytes(rest).splitlines(keepends=True)
        # LF may follow a final CR
        rest = bytearray() if lines[-1].endswith(b"\n") else bytearray(lines.pop())
        for line in lines:
            yield line.rstrip(b"\r\n")
    for line in bytes(rest).splitlines():
        yield line
