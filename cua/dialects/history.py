"""The conversation so far as chat turns: the one shape that all families here are spoken to in.

A server that caches prefixes computes only what is new, so each request extends the one before
byte for byte; only when screenshots are dropped something in the middle changes. They are dropped
several at a time, so that this is seldom.
"""

from __future__ import annotations

from collections.abc import Callable

from ..types import Message, Step, Task, ToolCall

RESIZED = "From now on the screenshots are {} x {} pixels."
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

    The goal stands in the first turn. The text of every step stays; of the screenshots at most the
    `keep` newest, the others leave a placeholder. `around`: what the family puts around the
    first screenshot and around the others. `sizes`: the model counts in pixels, so it is told when
    their number changes; the prompt holds that of the first screenshot.
    """
    first = task.steps[0].frame
    filled = prompt.replace("{width}", str(first.width)).replace("{height}", str(first.height))
    turns = [Message("system", (filled,))]
    dropped = len(task.steps) - shown(len(task.steps), keep)
    size = (first.width, first.height)
    for index, step in enumerate(task.steps):
        words = [task.goal, step.told] if index == 0 else [step.told]
        if sizes and size != (step.frame.width, step.frame.height):
            size = (step.frame.width, step.frame.height)
            words.append(RESIZED.format(*size))
        picture = PLACEHOLDER if index < dropped else step.frame
        before, after = around[1 if index else 0]
        parts = (*words, before, picture, after)
        turns.append(Message("user", tuple(part for part in parts if part)))
        if step.reply is not None:
            turns.append(Message("assistant", spoken(step)))
    return turns


def shown(count: int, keep: int) -> int:
    """How many of `count` screenshots are sent: at most `keep`, and about half after a drop."""
    if count <= keep:
        return count
    chunk = keep // 2 + 1
    drops = -(-(count - keep) // chunk)
    return count - drops * chunk
