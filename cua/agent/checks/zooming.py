"""Lets the model see a part of the screen enlarged, beside the next screenshot."""

from __future__ import annotations

from ...types import Area, Screen, Step, Task, Zoom
from .check import Check


class Zooming(Check):
    """Without it zoom actions do nothing."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    async def before_request(self, task: Task, step: Step) -> str:
        area = _wanted_area(task)
        step.zoomed = await self._screen.zoom(area) if area else None
        return ""


def _wanted_area(task: Task) -> Area | None:
    """The part that the last reply wanted to see, if any."""
    actions = task.steps[-1].parsed.actions if task.steps else ()
    zooms = [each for each in actions if isinstance(each, Zoom)]
    return zooms[-1].area if zooms else None
