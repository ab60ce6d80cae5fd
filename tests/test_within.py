"""The time limit under every request."""

from __future__ import annotations

import asyncio

import pytest

from cua.within import within


async def test_what_is_quick_enough_is_left_alone() -> None:
    async with within(5):
        await asyncio.sleep(0)


async def test_what_is_too_slow_is_ended() -> None:
    with pytest.raises(asyncio.TimeoutError):
        async with within(0.01):
            await asyncio.sleep(60)


async def test_a_cancellation_from_outside_stays_one() -> None:
    async def work() -> None:
        async with within(60):
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_cancellation_in_the_moment_of_success_is_not_lost() -> None:
    ready = asyncio.get_running_loop().create_future()

    async def work() -> str:
        async with within(60):
            await ready
        return "went on"

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    ready.set_result(None)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
