"""What the model hears with the next screenshot: what came of its last reply, then the person.

It is written once and never changed: the history only grows, so that a server's cache of it keeps
working. The local operator reads some of these sentences (`models/local/story.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Area, ModelLimit, Step, Task, Zoom
from ..wording import PERSON, describe

CARRIED_OUT = "Carried out."


def told(task: Task, notes: Sequence[str] = ()) -> str:
    """Takes the person's words out of the inbox.

    A step that never got its answer is taken out of the history; what it told is told again.
    """
    words: list[str] = []
    if task.steps and task.steps[-1].reply is None:
        words += [task.steps.pop().told, "You were interrupted before you answered."]
        task.stretch = min(task.stretch, len(task.steps))
    elif task.steps:
        words.append(task.steps[-1].outcome or _interrupted(task.steps[-1]))
    words += [*notes, task.by_hand, *(PERSON + text for text in task.inbox)]
    task.by_hand = ""
    if task.inbox:
        task.stretch = len(task.steps)
    task.inbox.clear()
    return "\n".join(filter(None, words))


def wanted_closer(task: Task) -> Area | None:
    """The part of the screen that the last reply wanted to see enlarged."""
    turn = task.steps[-1].turn if task.steps else None
    areas = [action.area for action in turn.actions if isinstance(action, Zoom)] if turn else []
    return areas[-1] if areas else None


def _interrupted(step: Step) -> str:
    if not step.turn or not step.begun:
        return "You were interrupted before anything of it was done."
    action = step.turn.actions[step.begun - 1]
    words = describe(action, step.frame.width, step.frame.height)
    return f"You were interrupted at action {step.begun} ({words}): {step.progress}."


def shorter(task: Task, keep: int, limit: ModelLimit) -> str:
    """Makes the next request smaller than one that was too large; "" if nothing can be left out.

    First screenshots go, then the older half of the steps; what the model noted and what the person
    said stays in any case.
    """
    if keep > 1:
        task.most_images = max(1, min(limit.max_images or keep // 2, keep - 1))
        return f"From now on at most {task.most_images} screenshots are sent."
    more = (len(task.steps) - task.forgotten) // 2
    if not more or limit.max_images:
        return ""
    task.forgotten += more
    return f"From now on the first {task.forgotten} steps are not told any more."
