"""The tasks that follow the current one, which every page sees.

A task begins when the one before it has ended Done. After any other ending the queue waits until
that task is done or the person continues the queue.
"""

from __future__ import annotations

import asyncio
from itertools import count

from ..messages import Message
from ..types import Busy, CuaError
from .session import NewTask, Session

MAX_TASKS = 50


class TaskQueue:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._tasks: dict[int, NewTask] = {}
        """Task number -> task, in the order of the queue."""
        self._pause_reason = ""
        """Why the queue is paused until `resume()`; "": it is not."""
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

    def clear(self) -> None:
        self._tasks.clear()
        self._publish()

    def move(self, id: int, by: int) -> None:
        """Move a task by `by` places; negative: up."""
        order = list(self._tasks)
        if id in order:
            place = max(0, order.index(id) + by)
            order.remove(id)
            order.insert(place, id)
            self._tasks = {each: self._tasks[each] for each in order}
        self._publish()

    def pause(self, reason: str) -> None:
        """Begin no task until `resume()`. Does nothing if the queue is empty."""
        if self._tasks:
            self._pause_reason = reason
            self._publish()

    async def resume(self) -> None:
        """Begin the next task; it replaces one that waits or failed."""
        await self._session.lift_idle_stop()
        self.pause("")
        await self._begin_next(replace=True)

    def _publish(self) -> None:
        self._pause_reason = self._pause_reason if self._tasks else ""
        tasks = [
            {"id": id, "text": task.text, "procedure": task.replay.name if task.replay else ""}
            for id, task in self._tasks.items()
        ]
        self._session.log.append("queue", tasks=tasks, held=self._pause_reason)

    def begin_next_soon(self) -> None:
        """Begin the next task; called when a task has ended Done."""
        self._starting = asyncio.create_task(self._begin_next())

    async def _begin_next(self, *, replace: bool = False) -> None:
        """Begin the next task unless one is unfinished or stopped; a refusal pauses the queue."""

        def find_next() -> NewTask | None:
            if self._pause_reason or not self._tasks:
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
            self.pause(refusal.message)
