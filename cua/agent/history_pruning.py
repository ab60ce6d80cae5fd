"""Bound a task's history in memory: drop old steps and the JPEGs of old screenshots.

Steps are omitted from requests in blocks, so that a server's prefix cache works between two blocks.
The model's notes and the person's words are kept. `cua/dialects/conversation.py` selects the
screenshots that a request contains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..types import Step, Task
from .checks import loop_detection

MAX_STEPS = 200
"""Steps in a request at most; with one more only the newest half remains."""
RECENT_STEPS = loop_detection.WINDOW_STEPS + 1
"""Steps whose screenshots may still be compared with a later one."""
MAX_NOTES_CHARS = 10_000
"""Characters of the model's notes from dropped steps; the newest that fit are kept."""
MAX_SAID_CHARS = 40_000
"""The same for the person's words."""


def drop_old(task: Task, keep: int, max_steps: int = MAX_STEPS) -> None:
    """Drop what is no longer needed after the last step was added.

    `keep`: how many screenshots a request carries at most.
    """
    count = len(task.steps) - task.omitted_steps
    if count > max_steps:
        task.omitted_steps += count - max_steps // 2
    _drop_steps(task, min(task.omitted_steps, len(task.steps) - RECENT_STEPS))
    for step in task.steps[-2:-1]:
        step.before = None
    _drop_screenshots(task.steps[: -max(keep, RECENT_STEPS)])


def _drop_steps(task: Task, count: int) -> None:
    if count <= 0:
        return
    for step in task.steps[:count]:
        _keep_words(task, step)
    del task.steps[:count]
    task.omitted_steps -= count
    task.run.first_step = max(0, task.run.first_step - count)


def _keep_words(task: Task, step: Step) -> None:
    dropped = task.dropped
    dropped.size = dropped.size or step.frame.size
    dropped.steps += 1
    dropped.screenshots += step.screenshots
    notes = dict.fromkeys([*dropped.notes, *step.notes])
    dropped.notes = _newest(list(notes), MAX_NOTES_CHARS)
    dropped.references += step.references
    dropped.said = _newest([*dropped.said, *step.user_words], MAX_SAID_CHARS)
    if step.allowed or step.is_refused:
        dropped.leaves_out = step.is_refused


def _newest(texts: list[str], most_chars: int) -> list[str]:
    kept: list[str] = []
    for text in reversed(texts):
        most_chars -= len(text)
        if most_chars < 0:
            break
        kept.insert(0, text)
    return kept


def _drop_screenshots(steps: Sequence[Step]) -> None:
    """Drop screenshots from the newest step back to one whose screenshot was dropped before."""
    for step in reversed(steps):
        if not step.frame.jpeg:
            break
        step.frame = replace(step.frame, jpeg=b"")
        step.zoomed = step.zoomed and replace(step.zoomed, jpeg=b"")
