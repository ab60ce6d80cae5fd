"""Executes nothing on a screen that has changed since the model saw it.

While a model thinks, a dialog may open or a list move on, and a correct click would hit what is
there now. So just before an action its target is compared with what the model saw; keys, which go
to whatever has the focus, and scrolls are held back only when much has changed.
"""

from __future__ import annotations

from ...messages import Message
from ...screen.regions import Cells
from ...types import Ask, Click, Drag, Frame, Keypress, Outcome, Point, Screen, Step, Task, Type
from ...types.actions import Scroll
from ...types.describe import describe
from . import image_diff
from .check import Check, StepResult
from .screen_changes import find_pointers
from .stable_screenshot import take_current

MAX_HELD_BACK = 3
"""Steps held back in a row after which the person is asked."""
DIALOG_PROPORTION = 0.05
"""Proportion of the screen that a small dialog takes."""
SCRIPTED_PROPORTION = 0.01
"""The limit for a reply that cost no request: another one is cheap."""


class StaleScreen(Check):
    """Compares the screen before an action with what the model, or the person asked, saw."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._asked_about: Frame | None = None
        """The screen just before the person may be asked about an action."""

    async def before_approval(self, step: Step, index: int) -> None:
        """Take a screenshot, unless `before_action` compares with what the model saw."""
        compared = not index or get_targets(step.parsed.actions[index])
        self._asked_about = None if compared else await take_current(self._screen)

    async def before_action(self, task: Task, index: int) -> StepResult | None:
        if await self._changed_since_asked(task, index):
            return StepResult(describe_stop(task, index))
        step = task.steps[-1]
        if index or not step.before or not await has_target_changed(task, 0, step.before):
            return None
        held_back = Message("agent.held_back", action=_describe_action(step, 0))
        return StepResult(Outcome("stale", held_back), _find_question(task))

    async def _changed_since_asked(self, task: Task, index: int) -> bool:
        step, before = task.steps[-1], self._asked_about
        if before is None or step.allowed is not step.parsed.actions[index]:
            return False
        return await _differ(task, before, await take_current(self._screen))


async def has_target_changed(task: Task, index: int, now: Frame) -> bool:
    """Whether the target of action `index` of the last step differs from what the model saw."""
    step = task.steps[-1]
    action = step.parsed.actions[index]
    near = None
    if not isinstance(action, (Type, Keypress, Scroll)):
        # an action before it changed something that may well be beside its target
        near_to = image_diff.cells_under if index else image_diff.cells_around
        near = frozenset(cell for at in get_targets(action) for cell in near_to(at))
    is_scripted = step.reply is not None and step.reply.is_scripted
    allowed = SCRIPTED_PROPORTION if is_scripted else DIALOG_PROPORTION
    return await _differ(task, step.frame, now, near, allowed)


async def _differ(
    task: Task,
    before: Frame,
    now: Frame,
    near: Cells | None = None,
    allowed: float = DIALOG_PROPORTION,
) -> bool:
    """Whether a cell of `near` changed; None: whether more than `allowed` of the screen did."""
    if now.size != before.size:
        return True
    found = await image_diff.find_plain_changes(before, now, find_pointers(task))
    found -= image_diff.moving_cells(before)
    return image_diff.proportion(found) > allowed if near is None else bool(found & near)


def get_targets(action: object) -> list[Point]:
    """Return the places at which an action presses a button."""
    if isinstance(action, Click):
        return [action.at] if action.at else []
    return list({action.path[0], action.path[-1]}) if isinstance(action, Drag) else []


def describe_stop(task: Task, index: int) -> Outcome:
    """Return the outcome of a reply that was stopped before action `index` (not the first)."""
    action = _describe_action(task.steps[-1], index)
    message = Message("agent.target_changed", number=index + 1, action=action)
    return Outcome("target_changed", message)


def _describe_action(step: Step, index: int) -> str:
    return describe(step.parsed.actions[index], *step.frame.size)


def _find_question(task: Task) -> Ask | None:
    """Return a question to the person after each `MAX_HELD_BACK` steps in a row held back."""
    times = 1
    for step in reversed(task.steps[:-1]):
        if not step.outcome or step.outcome.kind != "stale":
            break
        times += 1
    if times % MAX_HELD_BACK:
        return None
    return Ask(question=Message("agent.question.stale", count=times))
