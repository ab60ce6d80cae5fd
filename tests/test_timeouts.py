"""The time limit under every request."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import sys
import time
from collections.abc import Callable

import pytest

from cua.timeouts import cancel_and_wait, finish, run_together, wait_for_answer, within


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


async def _again_and_again() -> None:
    """Waits with a limit that is up in no time, as one who looks round does."""
    while True:
        with contextlib.suppress(asyncio.TimeoutError):
            async with within(0.01):
                await asyncio.sleep(60)


def _at_once(*callbacks: Callable[[], object]) -> None:
    """All of them in one turn of the loop, and after the time limit's own."""
    loop = asyncio.get_running_loop()
    for each in callbacks:
        loop.call_later(0.012, each)
    time.sleep(0.05)  # a machine that is busy


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 cannot tell the two apart")
async def test_a_cancellation_that_meets_the_limit_is_not_lost() -> None:
    task = asyncio.create_task(_again_and_again())
    await asyncio.sleep(0)
    _at_once(task.cancel)
    await asyncio.wait([task], timeout=1)
    assert task.cancelled()


async def test_what_lost_one_is_cancelled_again() -> None:
    lost = 0

    async def deaf() -> None:
        nonlocal lost
        while lost < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost += 1
        await asyncio.sleep(60)

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    await cancel_and_wait(task)
    assert task.cancelled()
    assert lost == 2


async def test_a_stall_of_our_own_is_no_missing_answer() -> None:
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    async def reading() -> None:
        await loop.sock_recv(ours, 1)
        await asyncio.sleep(0)  # some readers need a turn more
        read.set_result(None)

    def stall() -> None:
        time.sleep(0.4)
        theirs.send(b"x")

    read = loop.create_future()
    reader = asyncio.create_task(reading())
    loop.call_soon(stall)
    await wait_for_answer(read, 0.05)
    await reader
    ours.close()
    theirs.close()


async def test_a_missing_answer_is_told() -> None:
    with pytest.raises(asyncio.TimeoutError):
        await wait_for_answer(asyncio.get_running_loop().create_future(), 0.01)


async def test_of_several_that_fail_one_error_is_raised_and_none_is_logged() -> None:
    logged: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: logged.append(what))
    ended: list[str] = []

    async def fail(name: str) -> None:
        raise OSError(name)

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("wait")

    with pytest.raises(OSError, match="first"):
        await run_together(fail("first"), fail("second"), wait(), until=asyncio.FIRST_COMPLETED)
    gc.collect()
    await asyncio.sleep(0)
    assert ended == ["wait"]
    assert logged == []


async def test_jobs_have_ended_when_they_are_cancelled_again_and_again() -> None:
    ended: list[str] = []

    async def release() -> None:
        await asyncio.sleep(0.5)
        ended.append("released")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await finish(release())

    running = asyncio.create_task(run_together(run_together(work())))
    await asyncio.sleep(0.1)
    await cancel_and_wait(running)
    assert running.cancelled()
    assert ended == ["released"]
