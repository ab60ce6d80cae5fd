"""Check the KVM's video stream, as the service reads it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from ...screen.image import jpeg_size
from ...screen.receiver import Stalled
from ...timeouts import within
from ...types import CuaError
from .finding import Finding, check_size

MEASURE_S = 1.5
MAX_SIZE = (1280, 720)
MIN_WIDTH_PX = 160
FIRST_PICTURE_TIMEOUT_S = 12.0
NO_PICTURE_CURE = (
    "In the KVM's own page set Video Mode to MJPEG, and check that the computer sends a picture."
)
ADDRESS_CURE = "Correct the KVM's address, its login or the stream's address in Settings."


async def examine(frames: Callable[[], AsyncIterator[bytes]]) -> Finding:
    try:
        async with within(FIRST_PICTURE_TIMEOUT_S):
            return await _measure(frames())
    except (Stalled, asyncio.TimeoutError):
        seen = "connected, but no picture arrives"
        return Finding("video stream", "fault", seen, NO_PICTURE_CURE)
    except CuaError as error:
        return Finding("video stream", "fault", str(error), ADDRESS_CURE)


async def _measure(frames: AsyncIterator[bytes]) -> Finding:
    count, started, jpeg = 0, 0.0, b""
    async with aclosing(frames) as pictures:  # type: ignore[type-var]
        async for picture in pictures:
            jpeg, count, started = picture, count + 1, started or time.monotonic()
            if time.monotonic() - started > MEASURE_S:
                break
    size = jpeg_size(jpeg)
    if size is None:
        return Finding("video stream", "fault", "its pictures cannot be read", NO_PICTURE_CURE)
    if size[0] < MIN_WIDTH_PX:
        seen = f"a placeholder of {size[0]}x{size[1]}"
        return Finding("video stream", "fault", seen, NO_PICTURE_CURE)
    rate = f"{(count - 1) / MEASURE_S:.0f} pictures a second, {len(jpeg) // 1024} kB each"
    return check_size("video stream", size, rate, MAX_SIZE)
