"""A model that repeats itself: nudged with growing weight, then the person is asked.

Repeating is not bad in itself (Tab, scrolling): what counts is the same action on a screen that
looks the same, and a row of actions of any kind that changed nothing. Waiting and ending the task
are exempt.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..types import (
    Action,
    Ask,
    Click,
    Drag,
    Frame,
    Keypress,
    Move,
    Point,
    Scroll,
    Step,
    Task,
    Turn,
    Type,
)
from ..wording import describe
from . import cells
from .effect import may_be_clock

WINDOW = 16
"""Steps that are looked back upon."""
NUDGES = (2, 4)
"""Repetitions after which a nudge comes."""
REPEATED = 5
"""Repetitions after which the next one is not done, and the person is asked."""
WITHOUT_EFFECT = (3, 6)
"""Steps in a row without any effect after which a nudge comes."""
IDLE = 9
"""The same for the question."""
GRAIN = 0.02
"""Places nearer than this share of the screen are the same."""

ASKED = "Stopped, so nothing of it was done: it did not help before, and the person was asked."
_AGAIN = "You have done this {} times on the same screen ({}), and it has not helped."
_ADVICE = (
    "Look closely at the screen and try another way: another target, the keyboard, a menu.",
    "Do not do it again. Say in one sentence why it does not work, then do something different; "
    "if you cannot go on, ask the person.",
)
_IDLE = "Your last {} actions have changed nothing on the screen."

Sign = tuple[object, ...]


async def nudge(task: Task) -> str:
    """Words for the model after its last step; mostly "" ."""
    steps = _window(task)
    if not steps:
        return ""
    idle, sign = _without_effect(steps), signature(steps[-1].done)
    if idle in WITHOUT_EFFECT:
        return f"{_IDLE.format(idle)} {_ADVICE[WITHOUT_EFFECT.index(idle)]}"
    again = await _repeated(steps, sign, steps[-1]) if sign else 0
    if again in NUDGES:
        words = _AGAIN.format(again + 1, _words(steps[-1]))
        return f"{words} {_ADVICE[NUDGES.index(again)]}"
    return ""


async def question(task: Task, turn: Turn) -> Ask | None:
    """Instead of what the model wants to do next, if that would lead nowhere again."""
    steps, now = _window(task), task.steps[-1]
    sign = signature(turn.actions)
    if sign is None:
        return None
    if await _repeated(steps, sign, now) >= REPEATED:
        what = _words(now)
        return Ask(question=f"I keep doing the same ({what}) and get nowhere. What should I do?")
    if _without_effect(steps) >= IDLE:
        return Ask(
            question=f"My last {IDLE} actions changed nothing on the screen. "
            "Does the computer react at all? What should I do?"
        )
    return None


def signature(actions: Sequence[Action]) -> Sign | None:
    """What makes a row of actions the same as another one; None for what may be repeated."""
    signs = tuple(filter(None, map(_sign, actions)))
    return signs or None


def _sign(action: Action) -> Sign | None:
    if isinstance(action, Click):
        return ("click", action.button, action.count, action.keys, _place(action.at))
    if isinstance(action, Drag):
        return ("drag", action.button, *map(_place, action.path))
    if isinstance(action, Scroll):
        return ("scroll", action.dx > 0, action.dy > 0, _place(action.at))
    if isinstance(action, Type):
        return ("type", action.text)
    if isinstance(action, Keypress):
        return ("keypress", action.keys)
    return ("move", _place(action.at)) if isinstance(action, Move) else None


def _place(at: Point | None) -> tuple[int, int] | None:
    return (round(at.x / GRAIN), round(at.y / GRAIN)) if at else None


def _window(task: Task) -> list[Step]:
    """The steps of this stretch that are over; it begins where the person last had a say."""
    steps = [step for step in task.steps[task.stretch :] if step.outcome]
    return steps[-WINDOW:]


def _without_effect(steps: Sequence[Step]) -> int:
    """How many of the last steps in a row did something that changed nothing."""
    count = 0
    for step in reversed(steps):
        if signature(step.done) is None:
            continue
        if step.effect is None or not step.effect.none:
            break
        count += 1
    return count


async def _repeated(steps: Sequence[Step], sign: Sign, now: Step) -> int:
    """How often that was done before on a screen that looked as it does now."""
    count = 0
    for step in steps:
        if step is not now and signature(step.done) == sign:
            count += await _alike(step.frame, now.frame)
    return count


async def _alike(a: Frame, b: Frame) -> bool:
    """But for a caret, a clock and what never rests."""
    found = await cells.plainly_changed(a, b) - cells.of_areas((*a.restless, *b.restless))
    return all(map(may_be_clock, cells.boxes(found)))


def _words(step: Step) -> str:
    assert step.turn is not None
    size = step.frame.width, step.frame.height
    return "; ".join(describe(action, *size) for action in step.turn.actions)
