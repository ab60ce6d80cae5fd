"""The KVM's video stream, as the service reads it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from ..screen.picture import jpeg_size
from ..screen.stream import Stalled
from ..types import CuaError
from ..within import within
from .finding import Finding

WATCHED, PATIENCE = 1.5, 12.0
"""Seconds for which it is looked at, and until which the first picture has to come."""
SILENT = (
    "In the KVM's own page set Video Mode to MJPEG, and see whether the computer sends a picture."
)
ELSEWHERE = "Correct the KVM's address, its login or the stream's address in Settings."


async def look(frames: Callable[[], AsyncIterator[bytes]]) -> Finding:
    try:
        async with within(PATIENCE):
            return await _watched(frames())
    except (Stalled, asyncio.TimeoutError):
        return Finding("video stream", "fault", "connected, but no picture comes", SILENT)
    except CuaError as error:
        return Finding("video stream", "fault", str(error), ELSEWHERE)


async def _watched(frames: AsyncIterator[bytes]) -> Finding:
    count, began, jpeg = 0, 0.0, b""
    async with aclosing(frames) as pictures:  # type: ignore[type-var]
        async for picture in pictures:
            jpeg, count, began = picture, count + 1, began or time.monotonic()
            if time.monotonic() - began > WATCHED:
                break
    size = jpeg_size(jpeg)
    if size is None:
        return Finding("video stream", "fault", "no pictures that can be read", SILENT)
    rate = f"{(count - 1) / WATCHED:.0f} pictures a second, {len(jpeg) // 1024} kB each"
    if size[0] < 160:
        return Finding("video stream", "fault", f"a placeholder of {size[0]}x{size[1]}", SILENT)
    seen = f"{size[0]}x{size[1]}, {rate}"
    if size[0] > 1280 or size[1] > 720:
        cure = "1280x720 is cheaper and hits surer: set it in the KVM or on the computer."
        return Finding("video stream", "care", seen, cure)
    return Finding("video stream", "ok", seen)
