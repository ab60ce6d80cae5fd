"""Executes nothing on a screen that has changed since the model saw it.

While a model thinks, a dialog may open or a list move on, and a correct click would hit what is
there now. So just before an action its target is compared with what the model saw; keys, which go
to whatever has the focus, are held back only when much has changed.
"""

from __future__ import annotations

from ...messages import Message
from ...screen.regions import Cells
from ...types import Ask, Click, Drag, Frame, Keypress, Outcome, Point, Screen, Step, Task, Type
from ...types.describe import describe
from . import image_diff
from .check import Check, Stop
from .effects import frame_before, pointed
from .settling import current_frame

MAX_HELD_BACK = 3
"""Times in a row after which the person is asked."""
DIALOG_PROPORTION = 0.05
"""Of the screen: a small dialog."""


class StaleScreen(Check):
    """Compares the screen before an action with what the model, or the person asked, saw."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._asked_about: Frame | None = None
        """The screen just before the person may be asked about an action."""

    async def before_approval(self, step: Step, index: int) -> None:
        """The first action, and those with a target, are compared with what the model saw."""
        assert step.parsed is not None
        compared = not index or targets(step.parsed.actions[index])
        self._asked_about = None if compared else await current_frame(self._screen)

    async def before_action(self, task: Task, index: int) -> Stop | None:
        if await self._changed_since_asked(task, index):
            return Stop(stopped(task, index))
        if index or not await differs(task, 0, await frame_before(task.steps[-1], self._screen)):
            return None
        return Stop(_held_back(task.steps[-1]), _question(task))

    async def _changed_since_asked(self, task: Task, index: int) -> bool:
        step, before = task.steps[-1], self._asked_about
        assert step.parsed is not None
        if before is None or step.allowed is not step.parsed.actions[index]:
            return False
        return await _has_changed(task, before, await current_frame(self._screen))


async def differs(task: Task, index: int, now: Frame) -> bool:
    """Whether action `index` of the last step would meet something else than the model saw."""
    step = task.steps[-1]
    assert step.parsed is not None
    action = step.parsed.actions[index]
    if (now.width, now.height) != (step.frame.width, step.frame.height):
        return True
    found = await image_diff.plainly_changed(step.frame, now, pointed(task.steps))
    found -= image_diff.of_areas(step.frame.moving_areas)
    if isinstance(action, (Type, Keypress)):
        return index == 0 and image_diff.proportion(found) > DIALOG_PROPORTION
    return bool(found & _near(targets(action), close=index > 0))


async def _has_changed(task: Task, before: Frame, now: Frame) -> bool:
    """Whether much has changed."""
    if (now.width, now.height) != (before.width, before.height):
        return True
    found = await image_diff.plainly_changed(before, now, pointed(task.steps))
    found -= image_diff.of_areas(before.moving_areas)
    return image_diff.proportion(found) > DIALOG_PROPORTION


def targets(action: object) -> list[Point]:
    """The places at which an action presses a button."""
    if isinstance(action, Click):
        return [action.at] if action.at else []
    return list({action.path[0], action.path[-1]}) if isinstance(action, Drag) else []


def _near(places: list[Point], *, close: bool) -> Cells:
    """`close`: an action before it changed something that may well be beside its target."""
    near = image_diff.under if close else image_diff.around
    return frozenset(cell for at in places for cell in near(at))


def stopped(task: Task, index: int) -> Outcome:
    """The outcome of a row of actions that was stopped before action `index`, not the first."""
    action = _describe_action(task.steps[-1], index)
    message = Message("agent.target_changed", number=index + 1, action=action)
    return Outcome("target_changed", message)


def _held_back(step: Step) -> Outcome:
    return Outcome("stale", Message("agent.held_back", action=_describe_action(step, 0)))


def _describe_action(step: Step, index: int) -> str:
    assert step.parsed is not None
    return describe(step.parsed.actions[index], step.frame.width, step.frame.height)


def _question(task: Task) -> Ask | None:
    """For the person, each time that `MAX_HELD_BACK` more steps in a row are held back."""
    times = 1
    for step in reversed(task.steps[:-1]):
        if not step.outcome or step.outcome.kind != "stale":
            break
        times += 1
    if times % MAX_HELD_BACK:
        return None
    return Ask(question=Message("agent.question.stale", count=times))
