from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from cua.events.log import Event, EventLog


async def work(log: EventLog, take: Callable[[Event], None], error: str, seconds: float) -> None:
    """A block that is followed, and ends with `error` after so many seconds."""
    async with log.followed_by(take):
        log.append("in it")
        if seconds:
            await asyncio.sleep(seconds)
        if error:
            raise ValueError(error)
        log.append("at its end")


async def append_after(log: EventLog) -> None:
    log.append("after it")
    await asyncio.sleep(0.01)


async def test_each_event_is_taken_until_the_block_ends() -> None:
    log, taken = EventLog(), list[str]()
    log.append("before it")
    await work(log, lambda event: taken.append(event.kind), "", 0)
    await append_after(log)
    assert taken == ["before it", "in it", "at its end"]


async def test_an_error_of_the_taker_ends_the_block() -> None:
    log, seen = EventLog(), list[str]()

    def take(event: Event) -> None:
        seen.append(event.kind)
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        await work(log, take, "", 60)
    await append_after(log)
    assert seen == ["in it"]


@pytest.mark.parametrize("seconds", [0, 0.01])
async def test_an_error_of_the_block_ends_the_following(seconds: float) -> None:
    log, taken = EventLog(), list[str]()
    with pytest.raises(ValueError, match="of the block"):
        await work(log, lambda event: taken.append(event.kind), "of the block", seconds)
    await append_after(log)
    assert taken == ["in it"]
