"""Follow an event log while a block of code runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from .log import Event, EventLog


@asynccontextmanager
async def follow_events(log: EventLog, on_event: Callable[[Event], None]) -> AsyncIterator[None]:
    """Call `on_event` with each event until the block ends.

    An error of `on_event` cancels the block and is raised.
    """
    block, inside = asyncio.current_task(), True
    assert block is not None

    def stop_block(_: object) -> None:
        if inside:
            block.cancel()

    async def follow() -> None:
        async for _, event in log.subscribe():
            on_event(event)

    follower = asyncio.create_task(follow())
    follower.add_done_callback(stop_block)
    try:
        yield
        await asyncio.sleep(0)  # let the follower start
    finally:
        inside = False
        if follower.done():
            follower.result()
        follower.cancel()
