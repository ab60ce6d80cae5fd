"""Finds what a step changed on the screen: where, how much, and in words for the model.

A change does not prove that the action was right, but the model should know if nothing changed. A
clock, a video and the pointer itself do not count as a response of the computer.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ...events.log import EventLog
from ...messages import Message
from ...screen.regions import Cells
from ...types import (
    Area,
    Click,
    Drag,
    Frame,
    Keypress,
    Move,
    Point,
    ScreenChange,
    Scroll,
    Step,
    Task,
    Type,
)
from ...types.describe import describe_place
from . import image_diff
from .check import Check

CLOCK_PROPORTION = 0.015
"""Proportion of the screen that a clock takes at most, at the upper or lower edge."""
EDGE_PROPORTION = 0.08
MOST_PROPORTION = 0.6


class ScreenChanges(Check):
    """Measures what each step changed; with `report` it tells the model if nothing did."""

    def __init__(self, log: EventLog, *, report: bool) -> None:
        self._log, self._report = log, report

    async def before_request(self, task: Task, step: Step) -> str:
        last = task.steps[-1] if task.steps else None
        if not last or not last.outcome or not last.started_actions:
            return ""
        change = last.change = await asyncio.to_thread(find_change, task, step.frame)
        areas = [area.model_dump() for area in change.areas]
        none = change.is_without_effect
        self._log.append("effect", step=last.number, words=change.words, none=none, areas=areas)
        return "" if change.is_response or not self._report else change.words


def find_change(task: Task, after: Frame) -> ScreenChange:
    """Return what the last step changed; `after` is the next screenshot."""
    step = task.steps[-1]
    before = step.before or step.frame
    if before.size != after.size:
        whole = Area(left=0, top=0, right=1, bottom=1)
        return ScreenChange("resized", (whole,), Message("agent.change.resized"))
    found = image_diff.find_changes(before, after)
    moving = image_diff.moving_cells(step.frame, before, after)
    alone = image_diff.find_changes(step.frame, before) | moving
    pointers = find_pointers(task)
    here = frozenset(cell for at in pointers for cell in image_diff.cells_under_pointer(at))
    if isinstance(step.started_actions[-1], (Type, Keypress)):  # a click changes what is under it
        here -= image_diff.find_changes(before, after, pointers)
    change = _classify(found, alone, here)
    if change.kind == "pointer" and all(isinstance(each, Move) for each in step.started_actions):
        return replace(change, kind="moved", words=Message("agent.change.moved"))
    return change


def find_pointers(task: Task) -> list[Point]:
    """Return where the pointer was before the last step, and after it, as far as is known."""
    actions = [action for step in task.steps[-12:] for action in step.started_actions]
    return [place for place in (*task.pointers, *map(get_pointer, actions)) if place][-2:]


def get_pointer(action: object, *, start: bool = False) -> Point | None:
    """Return where an action leaves the pointer; `start`: where it begins."""
    if isinstance(action, (Click, Move, Scroll)):
        return action.at
    return action.path[0 if start else -1] if isinstance(action, Drag) else None


def _classify(found: Cells, alone: Cells, here: Cells) -> ScreenChange:
    """`alone`: the cells that change by themselves; `here`: with the pointer, or because of it."""
    real = found - alone
    places = image_diff.boxes(real)
    if not found:
        return ScreenChange("unchanged", (), Message("agent.change.nothing"))
    if not real:
        return ScreenChange("by_itself", (), Message("agent.change.by_itself"))
    under = image_diff.boxes(real & here)
    if real <= here:
        return ScreenChange("pointer", places, Message("agent.change.pointer"))
    spots, places = places, image_diff.boxes(real - here)
    if all(map(may_be_clock, places)) and len(places) == 1:
        if len(spots) == len(under):  # what the pointer covers is marked
            return ScreenChange("pointer", spots, Message("agent.change.pointer"))
        message = Message("agent.change.clock", where=describe_place(*places[0].middle))
        return ScreenChange("clock", places, message)
    return ScreenChange("changed", places, _describe_extent(places, image_diff.proportion(real)))


def may_be_clock(area: Area) -> bool:
    return area.proportion <= CLOCK_PROPORTION and (
        area.top >= 1 - EDGE_PROPORTION or area.bottom <= EDGE_PROPORTION
    )


def _describe_extent(places: tuple[Area, ...], proportion: float) -> str:
    if proportion > MOST_PROPORTION:
        return Message("agent.change.most")
    where = describe_place(*places[0].middle)
    if proportion < 0.01:
        return Message("agent.change.small", where=where)
    return Message("agent.change.part", share=f"{proportion:.0%}", where=where)
