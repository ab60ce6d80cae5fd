"""Adds the part of the screen that the model zooms into, enlarged, to the next screenshot."""

from __future__ import annotations

from ...types import Screen, Step, Task, Zoom
from .check import Check


class Zooming(Check):
    """Without it zoom actions do nothing."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    async def before_request(self, task: Task, step: Step) -> str:
        last = task.steps[-1].parsed.actions if task.steps else ()
        zooms = [each for each in last if isinstance(each, Zoom)]
        step.zoomed = await self._screen.zoom(zooms[-1].area) if zooms else None
        return ""
