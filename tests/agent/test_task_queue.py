"""The tasks that follow the current one: what begins them, and what holds them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cua.agent.session import NewTask
from cua.agent.task_queue import MAX_TASKS, TaskQueue
from cua.messages import Message
from cua.types import Busy
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until


class Queued(ScriptedSession):
    """A session with a queue; `refusal` is why no task may begin."""

    def __init__(self, *replies: str) -> None:
        super().__init__(*replies)
        self.refusal = ""
        self.queue = TaskQueue(self.session)
        self.session.check_attended = self.check
        self.session.on_done = self.queue.begin_next_soon

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
        return [each["text"] for each in self.facts("task")]

    async def paused(self, *queued: str) -> None:
        """A task that is paused, and tasks that follow it."""
        await self.session.send("first")
        for text in queued:
            await self.queue.add(NewTask(text))
        await self.session.pause()

    async def ended(self, count: int) -> None:
        await until(lambda: len(self.begun) == count and not self.session.is_busy)


async def test_the_next_task_begins_when_the_one_before_it_is_done() -> None:
    scripted = Queued("Done", "Done", "Done", "Done")
    await scripted.session.send("first")
    await scripted.queue.add(NewTask("second"))
    await scripted.queue.add(NewTask("third"))
    assert scripted.waiting == ["second", "third"]
    await scripted.ended(3)
    assert scripted.begun == ["first", "second", "third"]
    assert scripted.status() == "done"
    assert scripted.waiting == []
    await scripted.queue.add(NewTask("at once"))
    await scripted.ended(4)


@pytest.mark.parametrize(
    ("reply", "status"), [("Fail no such file", "failed"), ("$ Which one?", "asking")]
)
async def test_a_task_that_is_not_done_holds_the_queue(reply: str, status: str) -> None:
    scripted = Queued(reply, "Done", "Done")
    await scripted.session.send("first")
    await scripted.queue.add(NewTask("second"))
    await scripted.ended(1)
    await asyncio.sleep(0.01)
    assert (scripted.status(), scripted.waiting) == (status, ["second"])
    await scripted.session.send("this one")  # it is done after all
    await scripted.ended(2)
    assert scripted.status() == "done"


async def test_a_person_goes_on_with_the_queue_in_place_of_a_paused_task() -> None:
    scripted = Queued("Done")
    await scripted.paused("second")
    assert scripted.waiting == ["second"]
    await scripted.queue.resume()
    await scripted.ended(2)
    assert scripted.status() == "done"


async def test_only_resume_and_reset_clear_a_stop() -> None:
    scripted = Queued("Done", "Done")
    await scripted.paused("second")
    await scripted.session.stop()
    await scripted.queue.resume()
    assert scripted.begun == ["first"]
    assert (scripted.waiting, scripted.shown["held"]) == (["second"], "")
    scripted.queue.pause(Message("queue.reset"))
    await scripted.session.reset()
    await scripted.queue.add(NewTask("third"))
    assert scripted.begun == []
    await scripted.queue.resume()
    await until(lambda: scripted.status() == "done" and not scripted.waiting)


async def test_the_queue_goes_on_after_a_stopped_task_that_is_resumed() -> None:
    scripted = Queued("Done", "Done", "Done")
    await scripted.paused("second")
    await scripted.session.stop()
    await scripted.queue.add(NewTask("third"))
    assert scripted.status() == "stopped"
    await scripted.session.resume()
    await scripted.ended(3)
    assert scripted.begun == ["first", "second", "third"]


@pytest.mark.parametrize("failed", [False, True])
async def test_a_stop_that_left_no_task_unfinished_is_lifted_for_what_a_person_begins(
    *, failed: bool
) -> None:
    scripted = Queued("Fail no such file", "Done") if failed else Queued("Done")
    if failed:
        await scripted.run("before")
    await scripted.session.stop()
    with pytest.raises(Busy):
        await scripted.queue.add(NewTask(" "))
    assert scripted.status() == "stopped"
    assert scripted.session.task_status == ("failed" if failed else "stopped")
    await scripted.queue.add(NewTask("first"))
    await scripted.queue.resume()  # a task that failed is not replaced before that
    await scripted.ended(2 if failed else 1)
    assert scripted.status() == "done"


async def test_no_task_begins_while_the_check_refuses() -> None:
    scripted = Queued("Done", "Done", "Done")
    await scripted.session.send("first")
    await scripted.queue.add(NewTask("second"))
    scripted.refusal = "No page is in sight."
    await scripted.ended(1)
    await until(lambda: scripted.shown.get("held") == scripted.refusal)
    assert scripted.waiting == ["second"]
    await scripted.queue.resume()
    assert scripted.shown["held"] == scripted.refusal
    scripted.refusal = ""
    await scripted.queue.add(NewTask("third"))
    assert scripted.begun == ["first"]
    await scripted.queue.resume()
    await scripted.ended(3)


async def test_queued_tasks_are_moved_and_removed() -> None:
    scripted = Queued()
    await scripted.paused("a", "b", "c")
    a, _, c = (each["id"] for each in scripted.shown["tasks"])
    scripted.queue.move(c, -1)
    assert scripted.waiting == ["a", "c", "b"]
    scripted.queue.move(a, -1)
    scripted.queue.move(a, 1)
    assert scripted.waiting == ["c", "a", "b"]
    scripted.queue.remove(a)
    scripted.queue.remove(a)
    scripted.queue.move(a, 1)
    assert scripted.waiting == ["c", "b"]
    with pytest.raises(Busy, match="Write what is to be done"):
        await scripted.queue.add(NewTask(" "))
    for _ in range(MAX_TASKS - 2):
        await scripted.queue.add(NewTask("more"))
    with pytest.raises(Busy, match="at most 50 tasks"):
        await scripted.queue.add(NewTask("one too many"))


async def test_an_empty_queue_is_not_held() -> None:
    scripted = Queued("Done")
    scripted.queue.pause(Message("queue.reset"))
    await scripted.queue.add(NewTask("first"))
    assert scripted.status() == "running"
    await scripted.session.wait_ended()
