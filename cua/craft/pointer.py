"""A pointer that does not move: a BIOS, or an installer, that ignores the KVM's absolute one.

Only the screen can tell: several clicks at different places of which not even the pointer is to be
seen. Then another mouse may be tried, or the model be told to use the keyboard.
"""

from __future__ import annotations

from ..types import Point, Task
from .effect import NOTHING, place_of

TRIES = 2
APART = 0.05
"""Share of the screen by which the places lie apart, so that the pointer had to move."""
KEYBOARD = "The pointer does not seem to move on this computer. Work with the keyboard."
CLICK_AGAIN = (
    "The computer had ignored the pointer; another mouse is used from now on. Click again."
)


def dead(task: Task) -> bool:
    """Whether the last actions should have moved the pointer, and not a spot of the screen changed.

    True once in a stretch: where the second of them has just been seen.
    """
    places = [(step, place) for step in task.steps[task.stretch :] for place in [_last(step.done)]]
    pointed = [(step, place) for step, place in places if place]
    if len(pointed) != TRIES or pointed[-1][0] is not task.steps[-1]:
        return False
    unseen = all(step.effect and step.effect.words == NOTHING for step, _ in pointed)
    return unseen and _apart(*(place for _, place in pointed))


def _last(actions: tuple[object, ...]) -> Point | None:
    return next(filter(None, map(place_of, reversed(actions))), None)


def _apart(a: Point, b: Point) -> bool:
    return max(abs(a.x - b.x), abs(a.y - b.y)) > APART
