"""A time limit that never loses a cancellation.

`asyncio.wait_for` of Python 3.10 and 3.11 does: when the person presses Pause in the very moment in
which the awaited thing is ready, it returns as if nothing had been pressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raises `asyncio.TimeoutError` when the body takes longer."""
    task, loop, late = asyncio.current_task(), asyncio.get_running_loop(), False

    def cut() -> None:
        nonlocal late
        late = True
        if task:
            task.cancel()

    timer = loop.call_later(seconds, cut)
    try:
        yield
    except asyncio.CancelledError:
        if late:
            raise asyncio.TimeoutError from None
        raise
    finally:
        timer.cancel()
