"""Time limits and groups of tasks that do not lose a cancellation.

In Python 3.10 and 3.11 `asyncio.wait_for` loses a cancellation that comes just as the awaited
future completes. `within` can lose one only if it coincides with the timeout,
and only in Python 3.10.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")

LATE_S = 0.25
"""Delay of a timer that shows that this process stalled."""
CANCEL_INTERVAL_S = 0.2
"""After which a task that has not ended is cancelled once more."""


@asynccontextmanager
async def within(seconds: float, extend: Callable[[], float] = lambda: 0.0) -> AsyncIterator[None]:
    """Raises `asyncio.TimeoutError` when the body takes longer.

    `extend` is called when the time is over; it returns more seconds, or 0 for none.
    """
    task, loop, late = asyncio.current_task(), asyncio.get_running_loop(), False
    assert task is not None
    before = _cancellations(task)
    timer: asyncio.TimerHandle

    def cut() -> None:
        nonlocal late, timer
        if more := extend():
            timer = loop.call_later(more, cut)
            return
        late = True
        task.cancel()

    timer = loop.call_later(seconds, cut)
    try:
        yield
    except asyncio.CancelledError:
        if late and _uncancel(task) <= before:
            raise asyncio.TimeoutError from None
        raise
    finally:
        timer.cancel()


async def wait_for_event(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, at most so long."""
    timer = asyncio.get_running_loop().call_later(seconds, event.set)
    try:
        await event.wait()
    finally:
        timer.cancel()


async def wait_for_answer(read: asyncio.Future[T], seconds: float) -> T:
    """Wait for an answer that is not cancelled with the wait. Raises `asyncio.TimeoutError`.

    A time-out that comes late is not counted: then this process stalled, not the other side.
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


async def cancel_and_wait(task: asyncio.Task[Any]) -> None:
    """Cancel a task until it has ended: a library may take the first cancellation for its own."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCEL_INTERVAL_S)


async def finish(job: Awaitable[Any]) -> None:
    """Wait for the end of what a cancellation must not interrupt, then raise the cancellation."""
    running, cancelled = asyncio.ensure_future(job), None
    while not running.done():
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError as error:
            cancelled = error
    running.result()
    if cancelled:
        raise cancelled


async def run_together(
    *jobs: Coroutine[Any, Any, T], until: str = asyncio.FIRST_EXCEPTION
) -> list[T]:
    """Run all jobs until one fails, or with `FIRST_COMPLETED` until one ends; cancel the others.

    Return when all have ended, with the results of those that were not cancelled. Raises the error
    of one that failed.
    """
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=until)
    finally:
        await finish(asyncio.gather(*map(cancel_and_wait, tasks)))
    ended = [task for task in tasks if not task.cancelled()]
    if errors := [error for task in ended if (error := task.exception())]:
        raise errors[0]  # all have been asked for, or asyncio would log the others
    return [task.result() for task in ended]


def _cancellations(task: asyncio.Task[Any]) -> int:
    if sys.version_info >= (3, 11):
        return task.cancelling()
    return 0


def _uncancel(task: asyncio.Task[Any]) -> int:
    """Return the number of cancellations without our own."""
    if sys.version_info >= (3, 11):
        return task.uncancel()
    return 0
