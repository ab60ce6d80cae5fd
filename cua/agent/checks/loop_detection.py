"""Nudges a model that repeats itself or has no effect, twice, then asks the person.

Repetition alone is fine (Tab, scrolling). Two things are counted: the same action on a screen that
looks the same, and steps in a row that changed nothing. At each of two counts the model gets a
note, the second one stronger; at a third the person is asked. Waiting and ending are exempt.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import Message
from ...types import (
    Action,
    Ask,
    Click,
    Drag,
    Frame,
    Keypress,
    Move,
    Outcome,
    Point,
    Scroll,
    Step,
    Task,
    Type,
)
from ...types.describe import describe
from . import image_diff
from .check import Check, StepResult
from .screen_changes import may_be_clock

WINDOW_STEPS = 16
"""Newest steps in which repetitions are counted."""
WARNING_COUNTS = (2, 4)
"""Repetitions after which the model gets a note."""
MAX_REPETITIONS = 5
"""Repetitions after which the person is asked instead of executing the next one."""
WITHOUT_EFFECT = (3, 6)
"""Steps in a row without any effect after which the model gets a note."""
MAX_WITHOUT_EFFECT = 9
"""Steps in a row without any effect after which the person is asked."""
SAME_PLACE_PROPORTION = 0.02
"""Places nearer than this proportion of the screen are the same."""

ASKED = Outcome("repeated", Message("agent.repeated"))
_AGAIN = "You have done this {} times on the same screen ({}), and it has not helped."
_ADVICE = (
    "Look closely at the screen and try another way: another target, the keyboard, a menu.",
    "Do not do it again. Say in one sentence why it does not work, then do something different; "
    "if you cannot go on, ask the person.",
)
_NO_EFFECT = "Your last {} actions have changed nothing on the screen."

ActionKey = tuple[object, ...]


class LoopDetection(Check):
    async def before_request(self, task: Task, step: Step) -> str:  # noqa: ARG002
        return await find_nudge(task) if task.steps and task.steps[-1].outcome else ""

    async def before_actions(self, task: Task) -> StepResult | None:
        question = await _find_question(task)
        return StepResult(ASKED, question) if question else None


async def find_nudge(task: Task) -> str:
    """Return a note for the model about its last step, or ""."""
    steps = _window(task)
    if not steps:
        return ""
    count, key = _without_effect(steps), actions_key(steps[-1].started_actions)
    if count in WITHOUT_EFFECT:
        return f"{_NO_EFFECT.format(count)} {_ADVICE[WITHOUT_EFFECT.index(count)]}"
    again = await _repetitions(steps, key, steps[-1]) if key else 0
    if again in WARNING_COUNTS:
        words = _AGAIN.format(again + 1, "; ".join(_describe_step(steps[-1])))
        return f"{words} {_ADVICE[WARNING_COUNTS.index(again)]}"
    return ""


async def _find_question(task: Task) -> Ask | None:
    """Return a question to the person if the model's next actions would have no effect again."""
    steps, now = _window(task), task.steps[-1]
    key = actions_key(now.parsed.actions)
    if key is None:
        return None
    if await _repetitions(steps, key, now) >= MAX_REPETITIONS:
        return Ask(question=Message("agent.question.repeating", actions=_describe_step(now)))
    if _without_effect(steps) >= MAX_WITHOUT_EFFECT:
        return Ask(question=Message("agent.question.no_effect", count=MAX_WITHOUT_EFFECT))
    return None


def actions_key(actions: Sequence[Action]) -> ActionKey | None:
    """Return what identifies the actions of a reply; None if they may be repeated."""
    keys = tuple(filter(None, map(_action_key, actions)))
    return keys or None


def _action_key(action: Action) -> ActionKey | None:
    if isinstance(action, Click):
        return ("click", action.button, action.count, action.keys, _place(action.at))
    if isinstance(action, Drag):
        return ("drag", action.button, action.keys, *map(_place, action.path))
    if isinstance(action, Scroll):
        return ("scroll", action.dx > 0, action.dy > 0, action.keys, _place(action.at))
    if isinstance(action, Type):
        return ("type", action.text)
    if isinstance(action, Keypress):
        return ("keypress", action.keys)
    return ("move", _place(action.at)) if isinstance(action, Move) else None


def _place(at: Point | None) -> tuple[int, int] | None:
    return (
        (round(at.x / SAME_PLACE_PROPORTION), round(at.y / SAME_PLACE_PROPORTION)) if at else None
    )


def _window(task: Task) -> list[Step]:
    """Return the newest steps that have ended since the person's last input."""
    steps = task.steps_since_user[-WINDOW_STEPS - 1 :]
    return [step for step in steps if step.outcome][-WINDOW_STEPS:]


def _without_effect(steps: Sequence[Step]) -> int:
    """Count the last steps in a row whose actions changed nothing."""
    count = 0
    for step in reversed(steps):
        if actions_key(step.started_actions) is None:
            continue
        if step.change is None or step.change.is_response:
            break
        count += 1
    return count


async def _repetitions(steps: Sequence[Step], key: ActionKey, now: Step) -> int:
    """Count the other steps with these actions on a screen that looked as in `now`."""
    count = 0
    for step in steps:
        if step is not now and actions_key(step.started_actions) == key:
            count += await _alike(step.frame, now.frame)
    return count


async def _alike(a: Frame, b: Frame) -> bool:
    """Compare screens, except for a caret, a clock and areas that always move."""
    found = await image_diff.find_plain_changes(a, b) - image_diff.moving_cells(a, b)
    return all(map(may_be_clock, image_diff.boxes(found)))


def _describe_step(step: Step) -> list[str]:
    return [describe(each, *step.frame.size) for each in step.parsed.actions]
