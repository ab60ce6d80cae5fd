"""What a step changed on the screen: where, how much, and in words for the model.

That something changed is no proof that it was the right thing; that nothing did is worth telling. A
clock, a video and the pointer itself are not taken for an answer of the computer.
"""

from __future__ import annotations

from ..screen.areas import Cells, size
from ..types import Area, Click, Drag, Effect, Frame, Move, Point, Scroll, Step
from . import cells

CLOCK = 0.015
"""Share of the screen that a clock takes at most, at its upper or its lower edge."""
EDGE = 0.08
MOST = 0.6
NOTHING = "Nothing visible changed on the screen."
AT_POINTER = "Nothing changed on the screen but a small spot where the pointer is."
BY_ITSELF = "Nothing changed on the screen but what moves by itself."
CLOCKWORK = "Only a small spot {} changed, where a clock may be."
RESIZED = "The screen has another size than before."


async def effect(steps: list[Step], after: Frame) -> Effect:
    """Of the last step; `after` shows what came of it."""
    step = steps[-1]
    before = step.before or step.frame
    if (before.width, before.height) != (after.width, after.height):
        return Effect((Area(left=0, top=0, right=1, bottom=1),), RESIZED, none=False)
    found = await cells.changed(before, after)
    restless = cells.of_areas((*step.frame.restless, *before.restless, *after.restless))
    alone = await cells.changed(step.frame, before) | restless
    return _judged(found, alone, pointed(steps))


def pointed(steps: list[Step]) -> list[Point]:
    """Where the pointer was before the last step and is after it, as far as is known."""
    found = [place for step in steps[-12:] if step.turn for place in map(place_of, step.done)]
    return [place for place in found if place][-2:]


def place_of(action: object) -> Point | None:
    """Where an action leaves the pointer."""
    if isinstance(action, (Click, Move, Scroll)):
        return action.at
    return action.path[-1] if isinstance(action, Drag) else None


def _judged(found: Cells, alone: Cells, pointers: list[Point]) -> Effect:
    here = frozenset(cell for at in pointers for cell in cells.under_pointer(at))
    real = found - alone
    places = cells.boxes(real)
    if not real:
        return Effect(places, BY_ITSELF if found else NOTHING, none=True)
    if real <= here:
        return Effect(places, AT_POINTER, none=True)
    places = cells.boxes(real - here)
    if all(map(may_be_clock, places)) and len(places) == 1:
        return Effect(places, CLOCKWORK.format(where(places[0])), none=True)
    return Effect(places, _extent(places, cells.share(real)), none=False)


def may_be_clock(area: Area) -> bool:
    return size(area) <= CLOCK and (area.top >= 1 - EDGE or area.bottom <= EDGE)


def _extent(places: tuple[Area, ...], share: float) -> str:
    if share > MOST:
        return "Most of the screen changed."
    percent = f"{share:.0%}" if share >= 0.01 else "Less than 1%"
    return f"{percent} of the screen changed, most {where(places[0])}."


_NINTHS = (
    ("at the top left", "at the top", "at the top right"),
    ("at the left", "in the middle", "at the right"),
    ("at the bottom left", "at the bottom", "at the bottom right"),
)


def where(area: Area) -> str:
    """In words, by ninths of the screen."""
    column = int(min(0.99, (area.left + area.right) / 2) * 3)
    row = int(min(0.99, (area.top + area.bottom) / 2) * 3)
    return _NINTHS[row][column]
