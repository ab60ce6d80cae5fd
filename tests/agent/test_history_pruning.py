"""What a long task keeps of its steps and screenshots, and what its requests tell."""

from __future__ import annotations

from collections.abc import Iterator

from cua.agent import history_pruning
from cua.agent.checks.loop_detection import find_nudge
from cua.agent.history_pruning import MAX_STEPS, RECENT_STEPS, drop_old
from cua.agent.step_results import EXECUTED
from cua.dialects.conversation import PLACEHOLDER, count_sent
from cua.dialects.registry import create
from cua.types import ChatMessage, Frame, Keypress, ParsedReply, Reply, Step, Task
from tests.support.fakes import PICTURE

KEEP = 3
ENTER = ParsedReply("", (Keypress(keys=("ENTER",)),))


def growing(steps: int, keep: int = KEEP) -> Iterator[Task]:
    """A task before each of its replies, as the loop makes it."""
    task = Task("set the DNS server")
    for number in range(1, steps + 1):
        if task.steps:
            last = task.steps[-1]
            last.reply = Reply(f"# step {last.number}\nsleep 1")
            last.parsed, last.actions_started, last.outcome = ENTER, 1, EXECUTED
        step = Step(number, f"before step {number}", Frame(PICTURE, 1280, 720, number, 0.0))
        step.before = step.frame
        task.steps.append(step)
        drop_old(task, keep)
        yield task


def flat(messages: list[ChatMessage]) -> list[object]:
    return [part for message in messages for part in (message.role, *message.parts)]


def test_a_task_of_any_length_keeps_a_bounded_number_of_steps_and_screenshots() -> None:
    for task in growing(10 * MAX_STEPS):
        assert len(task.steps) <= MAX_STEPS
        assert task.dropped.steps + len(task.steps) == task.steps[-1].number
        assert sum(bool(step.frame.jpeg) for step in task.steps) <= RECENT_STEPS
        assert sum(step.before is not None for step in task.steps) == 1


def test_requests_only_grow_between_two_blocks_of_dropped_steps() -> None:
    before: list[object] = []
    changed: list[int] = []
    for task in growing(3 * MAX_STEPS):
        now = flat(create("kvm").messages("prompt", task, KEEP))
        if now[: len(before)] != before and now.count(PLACEHOLDER) <= before.count(PLACEHOLDER):
            changed.append(task.steps[-1].number)
        before = now
    assert changed == list(range(MAX_STEPS + 1, 3 * MAX_STEPS, MAX_STEPS // 2 + 1))


def test_as_many_screenshots_are_sent_as_from_a_whole_history() -> None:
    for keep in (1, 3, 30):
        for task in growing(MAX_STEPS * 2, keep):
            request = flat(create("kvm").messages("prompt", task, keep))
            sent = [part.seq for part in request if isinstance(part, Frame)]
            last = task.steps[-1].number
            assert sent == list(range(last - count_sent(last, keep) + 1, last + 1))


def test_what_was_said_and_noted_outlives_dropped_steps_as_far_as_it_fits() -> None:
    task = Task("go")
    for number in range(1, MAX_STEPS * 3):
        said = (f"wish {number}",) if number in (2, 250) else ()
        task.steps.append(Step(number, "", Frame(b"jpeg", 640, 480, number, 0.0)))
        task.steps[-1].user_words = said
        if number == 2:
            task.steps[-1].references = (Frame(b"jpeg", 9, 9, 0, 0.0, name="cat.png"),)
        task.steps[-1].notes = (f"note {number} " + "x" * 200,)
        task.steps[-1].reply = Reply("sleep 1")
        drop_old(task, KEEP)
    task.steps[-1].reply = None
    first = create("opencua").messages("{width} x {height}", task, KEEP)[:2]
    assert first[0].parts == ("640 x 480",)
    words = "\n".join(map(str, first[1].parts))
    assert "The person says: wish 2\n" in words
    assert "wish 250" in words
    named = [part.name for part in first[1].parts if isinstance(part, Frame) and part.name]
    assert named == ["cat.png"]
    assert "- note 1 " not in words
    assert f"- note {task.dropped.steps} " in words
    assert len(words) < history_pruning.MAX_NOTES_CHARS + 1000


async def test_a_repetition_is_seen_in_a_history_that_was_cut() -> None:
    *_, task = growing(MAX_STEPS + 1)
    task.run.first_step = len(task.steps) - 3
    task.omitted_steps = len(task.steps) - 1  # the server has room for no more
    drop_old(task, KEEP)
    assert len(task.steps) == RECENT_STEPS
    last = task.steps[-1]
    last.parsed, last.actions_started, last.outcome = ENTER, 1, EXECUTED
    assert "You have done this 3 times on the same screen" in await find_nudge(task)
