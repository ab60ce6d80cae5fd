"""Fresh eyes: nothing is done on a screen that is not the one that the model saw.

While a model thinks, a dialog comes up or a list moves on, and a correct click hits what slid under
it. So just before an action what it is aimed at is compared with what the model saw; keys, which go
to whatever has the focus, are held back only when much has changed.
"""

from __future__ import annotations

from ..screen.areas import Cells
from ..types import Ask, Click, Deed, Drag, Frame, Keypress, Point, Step, Task, Type
from ..wording import describe
from . import cells
from .effect import pointed

PATIENCE = 3
"""Times in a row after which the person is asked."""
MUCH = 0.05
"""Share of the screen: a small dialog."""
HELD = "Held back, so nothing of it was done:"


async def differs(task: Task, index: int, now: Frame) -> bool:
    """Whether action `index` of the last step would meet something else than the model saw."""
    step = task.steps[-1]
    assert step.turn is not None
    action = step.turn.actions[index]
    if (now.width, now.height) != (step.frame.width, step.frame.height):
        return True
    found = await cells.plainly_changed(step.frame, now, pointed(task.steps))
    found -= cells.of_areas(step.frame.restless)
    if isinstance(action, (Type, Keypress)):
        return index == 0 and cells.share(found) > MUCH
    return bool(found & _near(targets(action), close=index > 0))


async def moved_on(task: Task, before: Frame, now: Frame) -> bool:
    """Whether much has changed, such as while the person was asked."""
    if (now.width, now.height) != (before.width, before.height):
        return True
    found = await cells.plainly_changed(before, now, pointed(task.steps))
    return cells.share(found - cells.of_areas(before.restless)) > MUCH


def targets(action: object) -> list[Point]:
    """The places that an action presses a button at."""
    if isinstance(action, Click):
        return [action.at] if action.at else []
    return list({action.path[0], action.path[-1]}) if isinstance(action, Drag) else []


def _near(places: list[Point], *, close: bool) -> Cells:
    """`close`: an action before it changed something that may well be beside its target."""
    near = cells.under if close else cells.around
    return frozenset(cell for at in places for cell in near(at))


def words(step: Step, action: Deed, index: int) -> str:
    """What is told of an action that was held back."""
    what = describe(action, step.frame.width, step.frame.height)
    if index:
        return (
            f"Stopped before action {index + 1} ({what}): what was done before it has changed the "
            "screen there. Look at it again."
        )
    return f"{HELD} the screen has changed since you saw it, where you wanted to act ({what})."


def question(task: Task) -> Ask | None:
    """For the person, when the screen does not come to rest for the model."""
    times = 0
    for step in reversed(task.steps):
        if not step.outcome.startswith(HELD):
            break
        times += 1
    if not times or times % PATIENCE:
        return None
    return Ask(
        question=f"The screen has changed {times} times just before I could act on it. "
        "Please look at what is going on there. Shall I go on?"
    )
