"""Notices a computer that ignores the KVM's absolute pointer, as a BIOS or an installer may.

The sign: clicks at different places after which the screen shows no change, not even the pointer.
Then another mouse is tried, or a note tells the model to use the keyboard.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import islice

from ...types import Point, Step, Task
from .check import Check
from .screen_changes import get_pointer

CLICKS = 2
MIN_DISTANCE_PROPORTION = 0.05
"""Distance between the places at least, as a proportion of the screen."""
KEYBOARD = "The pointer does not seem to move on this computer. Work with the keyboard."
CLICK_AGAIN = (
    "The computer had ignored the pointer; another mouse is used from now on. Click again."
)


class PointerCheck(Check):
    """`other_mouse`: tries another type of mouse; returns whether the pointer moves now."""

    def __init__(self, other_mouse: Callable[[], Awaitable[bool]] | None) -> None:
        self._other_mouse = other_mouse

    async def before_request(self, task: Task, step: Step) -> str:  # noqa: ARG002
        if not task.steps or not task.steps[-1].outcome or not is_dead(task):
            return ""
        moves = self._other_mouse is not None and await self._other_mouse()
        return CLICK_AGAIN if moves else KEYBOARD


def is_dead(task: Task) -> bool:
    """Whether the first `CLICKS` actions with a place since the person's last input, the last of
    them in the last step, should have moved the pointer, but nothing on the screen changed.
    """
    steps = task.steps_since_user
    if not steps or not _last_place(steps[-1]):
        return False
    places = ((step, place) for step in steps for place in [_last_place(step)] if place)
    pointed = list(islice(places, CLICKS + 1))
    if len(pointed) != CLICKS:
        return False
    unseen = all(step.change and step.change.kind == "unchanged" for step, _ in pointed)
    (_, a), (_, b) = pointed
    return unseen and max(abs(a.x - b.x), abs(a.y - b.y)) > MIN_DISTANCE_PROPORTION


def _last_place(step: Step) -> Point | None:
    return next(filter(None, map(get_pointer, reversed(step.started_actions))), None)
