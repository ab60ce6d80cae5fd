"""The tasks that follow the current one, which every page sees.

A task begins when the one before it has ended Done. Any other end leaves the queue waiting, until
that task is done after all or the person continues the queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from ..messages import Message
from ..types import Busy, CuaError
from .session import NewTask, Session

MAX_TASKS = 50


class TaskQueue:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._tasks: dict[int, NewTask] = {}
        """In their order, by number."""
        self._held = ""
        """Why no task begins before `resume()`, or ""."""
        self._ids = count(1)

    async def add(self, task: NewTask) -> None:
        """Add a task; it begins at once if nothing is unfinished."""
        if not task.text.strip():
            raise Busy(Message("session.write_task"))
        if len(self._tasks) >= MAX_TASKS:
            raise Busy(Message("queue.full", most=MAX_TASKS))
        await self._session.lift_idle_stop()
        self._tasks[next(self._ids)] = task
        self._publish()
        await self._begin_next()

    def remove(self, id: int) -> None:
        self._tasks.pop(id, None)
        self._publish()

    def move(self, id: int, by: int) -> None:
        """Move a task by so many places, up if negative."""
        order = list(self._tasks)
        if id in order:
            place = max(0, order.index(id) + by)
            order.remove(id)
            order.insert(place, id)
            self._tasks = {each: self._tasks[each] for each in order}
        self._publish()

    def hold(self, reason: str) -> None:
        """Begin none of the tasks, if there are any, until `resume()`."""
        if self._tasks:
            self._held = reason
            self._publish()

    @contextmanager
    def held_by_reset(self) -> Iterator[None]:
        """Hold the queue before a reset, which may wait, and again after it has cleared the log."""
        self.hold(Message("queue.reset"))
        yield
        self.hold(Message("queue.reset"))

    async def resume(self) -> None:
        """Go on with the next task, in place of one that waits or failed."""
        await self._session.lift_idle_stop()
        self.hold("")
        await self._begin_next(replace=True)

    def _publish(self) -> None:
        self._held = self._held if self._tasks else ""
        tasks = [{"id": id, "text": task.text} for id, task in self._tasks.items()]
        self._session.log.append("queue", tasks=tasks, held=self._held)

    def begin_next_soon(self) -> None:
        """To be called when a task has ended Done."""
        self._starting = asyncio.create_task(self._begin_next())

    async def _begin_next(self, *, replace: bool = False) -> None:
        """Begin the next task unless one is unfinished or stopped; a refusal holds the queue."""

        def find_next() -> NewTask | None:
            if self._held or not self._tasks:
                return None
            if not replace and self._session.status not in ("idle", "done"):
                return None
            return next(iter(self._tasks.values()))

        if self._session.status == "stopped":
            return
        try:
            if await self._session.begin_next(find_next):
                del self._tasks[next(iter(self._tasks))]
                self._publish()
        except CuaError as refusal:
            self.hold(refusal.message)
