"""Reads whole pictures from a capture device."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ..screen.receiver import IDLE_TIMEOUT_S, Stalled
from ..timeouts import within
from .v4l2 import Capture

DROPPED_PICTURES = 3
"""Number of first pictures to drop, which may have another size or be incomplete."""


async def read_pictures(source: Capture) -> AsyncIterator[bytes]:
    """Yield JPEGs as they arrive. Raises `Stalled` if none arrives in time, and `OSError`."""
    seen = 0
    while True:
        await _wait_until_readable(source.fileno())
        for picture in source.read():
            seen += 1
            is_whole = picture[:2] == b"\xff\xd8" and picture.rfind(b"\xff\xd9", -64) > 0
            if is_whole and seen > DROPPED_PICTURES:
                yield picture


async def _wait_until_readable(device: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(device, ready.set)
    try:
        async with within(IDLE_TIMEOUT_S):
            await ready.wait()
    except asyncio.TimeoutError:
        raise Stalled from None
    finally:
        loop.remove_reader(device)
