"""A time limit that does not lose a cancellation, and cancelling what may lose one all the same.

`asyncio.wait_for` of Python 3.10 and 3.11 does: when the person presses Pause in the very moment in
which the awaited thing is ready, it returns as if nothing had been pressed. What is left is a
cancellation that meets the limit itself: only from Python 3.11 on can a task tell the two apart.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

LATE_S = 0.25
"""By how much a timer is late when this process was stopped or stood still."""
AGAIN = 0.2
"""Seconds after which a task that has not ended is cancelled once more."""


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raises `asyncio.TimeoutError` when the body takes longer."""
    task, loop, late = asyncio.current_task(), asyncio.get_running_loop(), False
    assert task is not None
    before = _cancellations(task)

    def cut() -> None:
        nonlocal late
        late = True
        task.cancel()

    timer = loop.call_later(seconds, cut)
    try:
        yield
    except asyncio.CancelledError:
        if late and _withdrawn(task) <= before:
            raise asyncio.TimeoutError from None
        raise
    finally:
        timer.cancel()


async def answer(read: asyncio.Future[None], seconds: float) -> None:
    """Wait for an answer that is not cancelled with the wait. Raises `asyncio.TimeoutError`.

    A time-out that comes late is not counted: then this process stood still, not the other side.
    """
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + seconds
        try:
            async with within(seconds):
                return await asyncio.shield(read)
        except asyncio.TimeoutError:
            if loop.time() - due < LATE_S:
                raise


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Ends it: cancelled again where a time limit, or a library, took the first for its own."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=AGAIN)


def _cancellations(task: asyncio.Task[Any]) -> int:
    if sys.version_info >= (3, 11):
        return task.cancelling()
    return 0


def _withdrawn(task: asyncio.Task[Any]) -> int:
    """How many cancellations there are without our own."""
    if sys.version_info >= (3, 11):
        return task.uncancel()
    return 0
