"""The tasks that follow the current one: what begins them, and what holds them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cua.agent.session import NewTask
from cua.agent.task_queue import MAX_TASKS, TaskQueue
from cua.messages import Message
from cua.types import Busy
from tests.agent.test_session import House, until


class Queued(House):
    """A session with a queue; `refusal` is why no task may begin."""

    def __init__(self, *replies: str) -> None:
        super().__init__(*replies)
        self.refusal = ""
        self.queue = TaskQueue(self.session, self.check)

    def check(self) -> None:
        if self.refusal:
            raise Busy(self.refusal)

    @property
    def shown(self) -> dict[str, Any]:
        """What the pages see."""
        events = self.log.in_memory_since(0)
        return next((e.data for e in reversed(events) if e.kind == "queue"), {"tasks": []})

    @property
    def waiting(self) -> list[str]:
        return [each["text"] for each in self.shown["tasks"]]

    @property
    def begun(self) -> list[str]:
        return [e.data["text"] for e in self.log.in_memory_since(0) if e.kind == "task"]

    async def paused(self, *queued: str) -> None:
        """A task that is paused, and tasks that follow it."""
        await self.session.send("first")
        for text in queued:
            await self.queue.add(NewTask(text))
        await self.session.pause()

    async def ended(self, count: int) -> None:
        await until(lambda: len(self.begun) == count and not self.session.is_busy)


async def test_the_next_task_begins_when_the_one_before_it_is_done() -> None:
    house = Queued("Done", "Done", "Done", "Done")
    await house.session.send("first")
    await house.queue.add(NewTask("second"))
    await house.queue.add(NewTask("third"))
    assert house.waiting == ["second", "third"]
    await house.ended(3)
    assert house.begun == ["first", "second", "third"]
    assert house.status() == "done"
    assert house.waiting == []
    await house.queue.add(NewTask("at once"))
    await house.ended(4)


@pytest.mark.parametrize(
    ("reply", "status"), [("Fail no such file", "failed"), ("$ Which one?", "asking")]
)
async def test_a_task_that_is_not_done_holds_the_queue(reply: str, status: str) -> None:
    house = Queued(reply, "Done", "Done")
    await house.session.send("first")
    await house.queue.add(NewTask("second"))
    await house.ended(1)
    await asyncio.sleep(0.01)
    assert (house.status(), house.waiting) == (status, ["second"])
    await house.session.send("this one")  # it is done after all
    await house.ended(2)
    assert house.status() == "done"


async def test_a_person_goes_on_with_the_queue_in_place_of_a_paused_task() -> None:
    house = Queued("Done")
    await house.paused("second")
    assert house.waiting == ["second"]
    await house.queue.resume()
    await house.ended(2)
    assert house.status() == "done"


async def test_only_resume_and_reset_clear_a_stop() -> None:
    house = Queued("Done", "Done")
    await house.paused("second")
    await house.session.stop()
    await house.queue.resume()
    assert house.begun == ["first"]
    assert "It was stopped." in house.shown["held"]
    house.queue.hold(Message("queue.reset"))
    await house.session.reset()
    await house.queue.add(NewTask("third"))
    assert house.begun == []
    await house.queue.resume()
    await until(lambda: house.status() == "done" and not house.waiting)


async def test_no_task_begins_while_the_check_refuses() -> None:
    house = Queued("Done", "Done", "Done")
    await house.session.send("first")
    await house.queue.add(NewTask("second"))
    house.refusal = "No page is in sight."
    await house.ended(1)
    await until(lambda: house.shown.get("held") == house.refusal)
    assert house.waiting == ["second"]
    await house.queue.resume()
    assert house.shown["held"] == house.refusal
    house.refusal = ""
    await house.queue.add(NewTask("third"))
    assert house.begun == ["first"]
    await house.queue.resume()
    await house.ended(3)


async def test_queued_tasks_are_moved_and_removed() -> None:
    house = Queued()
    await house.paused("a", "b", "c")
    a, _, c = (each["id"] for each in house.shown["tasks"])
    house.queue.move(c, -1)
    assert house.waiting == ["a", "c", "b"]
    house.queue.move(a, -1)
    house.queue.move(a, 1)
    assert house.waiting == ["c", "a", "b"]
    house.queue.remove(a)
    house.queue.remove(a)
    house.queue.move(a, 1)
    assert house.waiting == ["c", "b"]
    with pytest.raises(Busy, match="Write what is to be done"):
        await house.queue.add(NewTask(" "))
    for _ in range(MAX_TASKS - 2):
        await house.queue.add(NewTask("more"))
    with pytest.raises(Busy, match="at most 50 tasks"):
        await house.queue.add(NewTask("one too many"))


async def test_an_empty_queue_is_not_held() -> None:
    house = Queued("Done")
    house.queue.hold(Message("queue.reset"))
    await house.queue.add(NewTask("first"))
    assert house.status() == "running"
    await house.session.wait_ended()
