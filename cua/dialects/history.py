"""The conversation so far as chat turns: the one shape that all families here are spoken to in.

A server that caches prefixes computes only what is new, so each request extends the one before
byte for byte; only when screenshots are dropped something in the middle changes. They are dropped
several at a time, so that this is seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..types import Frame, Message, Step, Task, ToolCall
from ..wording import PERSON

RESIZED = "From now on the screenshots are {} x {} pixels."
FORGOTTEN = "({} earlier steps are left out here.)"
NOTED = "What you noted in them:"
CLOSER = (
    "The part that you wanted to see, enlarged: from {} to {} of the screen's width and from {} to "
    "{} of its height. Coordinates still mean the whole screen."
)
PLACEHOLDER = "(earlier screenshot, no longer shown)"


def conversation(
    prompt: str,
    task: Task,
    keep: int,
    spoken: Callable[[Step], tuple[str | ToolCall, ...]],
    around: tuple[tuple[str, str], tuple[str, str]],
    sizes: bool,
) -> list[Message]:
    """The prompt, then per step what the model was told and shown, and what it has `spoken`.

    The goal stands in the first turn. The text of every step stays, unless the server cannot take
    it; then what the model noted and what the person said stays. Of the screenshots at most the
    `keep` newest are sent, the others leave a placeholder. `around`: what the family puts around
    the first screenshot and around the others. `sizes`: the model counts in pixels, so it is told
    when their number changes; the prompt holds that of the first screenshot.
    """
    first = task.steps[0].frame
    filled = prompt.replace("{width}", str(first.width)).replace("{height}", str(first.height))
    turns = [Message("system", (filled,))]
    pictures = _Pictures(task, keep)
    size = (first.width, first.height)
    gone = task.forgotten
    for index, step in enumerate(task.steps[gone:], gone):
        words = [step.told]
        if index == gone:
            words = [task.goal, *_digest(task.steps[:gone]), step.told]
        if sizes and size != (step.frame.width, step.frame.height):
            size = (step.frame.width, step.frame.height)
            words.append(RESIZED.format(*size))
        before, after = around[1 if index > gone else 0]
        parts = (*words, before, *pictures.of(step), after)
        turns.append(Message("user", tuple(part for part in parts if part)))
        if step.reply is not None:
            turns.append(Message("assistant", spoken(step)))
    return turns


class _Pictures:
    """The screenshots of each step in turn, those too many replaced."""

    def __init__(self, task: Task, keep: int) -> None:
        count = sum(2 if step.closer else 1 for step in task.steps)
        seen = sum(2 if step.closer else 1 for step in task.steps[: task.forgotten])
        self._drop = count - shown(count, keep) - seen

    def of(self, step: Step) -> list[str | Frame]:
        if step.closer is None or step.closer.area is None:
            return [self._next(step.frame)]
        area = step.closer.area
        edges = (area.left, area.right, area.top, area.bottom)
        words = CLOSER.format(*(f"{edge:.0%}" for edge in edges))
        return [self._next(step.frame), words, self._next(step.closer)]

    def _next(self, frame: Frame) -> str | Frame:
        self._drop -= 1
        return frame if self._drop < 0 else PLACEHOLDER


def _digest(steps: Sequence[Step]) -> list[str]:
    """What stays of steps that are no longer told."""
    if not steps:
        return []
    words = [FORGOTTEN.format(len(steps))]
    notes = dict.fromkeys(note for step in steps if step.turn for note in step.turn.notes)
    if notes:
        words.append("\n".join((NOTED, *(f"- {note}" for note in notes))))
    said = [step.told.partition(PERSON) for step in steps]
    return [*words, *(mark + text for _, mark, text in said if mark)]


def shown(count: int, keep: int) -> int:
    """How many of `count` screenshots are sent: at most `keep`, and about half after a drop."""
    if count <= keep:
        return count
    chunk = keep // 2 + 1
    drops = -(-(count - keep) // chunk)
    return count - drops * chunk
