"""The hands: plays the strokes of an action on a device, and lets go on every way out.

Reports are written on the event loop, one by one, without a thread or a queue between: a cancelled
task stops between two reports, and the `finally` below is the only thing that can follow.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from ..types import Manual, Point, Type, Wait
from .strokes import Endpoint, Stroke, position, strokes


class Device(Protocol):
    """A keyboard and mouse that takes raw reports."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Raises `DeviceError` if the report is not taken in a bounded time."""

    def release(self) -> None:
        """All keys and buttons up, now, synchronously: it cannot itself be cancelled."""


class Hands:
    """Carries out actions on a device (`types.Hands`)."""

    def __init__(self, device: Device, layout: str = "us") -> None:
        self._device = device
        self._layout = layout
        self._pointer: Point | None = None
        self.touched = 0.0
        self.progress = ""

    def check(self, action: Manual) -> None:
        strokes(action, self._pointer, self._layout)

    async def perform(self, action: Manual) -> None:
        plan = strokes(action, self._pointer, self._layout)
        self.progress = "nothing of it was done yet"
        self._device.release()
        if isinstance(action, Wait):
            await asyncio.sleep(action.seconds)
            return
        try:
            for stroke in plan:
                # Noted first: a report whose answer was not waited for may have arrived, and a
                # letter must not be typed twice.
                self._note(action, stroke)
                await self._device.write(stroke.endpoint, stroke.report)
                await asyncio.sleep(stroke.hold)
        finally:
            self._device.release()
            self.touched = time.monotonic()

    def _note(self, action: Manual, stroke: Stroke) -> None:
        self.progress = _progress(action, stroke)
        if stroke.endpoint == "pointer":
            self._pointer = position(stroke.report)


def _progress(action: Manual, stroke: Stroke) -> str:
    if isinstance(action, Type):
        return f"{stroke.typed} of its {len(action.text)} characters were typed"
    return "it was begun but not finished"
