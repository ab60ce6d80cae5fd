"""Wakes a computer whose screen is off or black, by a key that does nothing or by the pointer.

This is not an action of the model, which has nothing to look at yet. What appears may be a lock
screen, which the model handles like any other.
"""

from __future__ import annotations

import asyncio

from ...events.log import EventLog
from ...messages import Message
from ...screen.image import sketch
from ...types import (
    DeviceError,
    Frame,
    Inputs,
    Keypress,
    ManualAction,
    Move,
    NoSignal,
    Point,
    Screen,
    Task,
)
from .check import Check
from .stable_screenshot import FIXED_WAIT_S, MAX_WAIT_S, get_stable_s

WAKE_ACTIONS: tuple[ManualAction, ...] = (Keypress(keys=("CTRL",)), Move(at=Point(x=0.5, y=0.5)))
WAKE_S = 8.0
"""Seconds that a computer is given to come back after each."""
DARK_LEVEL = 20
"""Grey level below which all of a black screen is."""
MAX_BLACK_BYTES = 24 * 1024
"""Bytes of a JPEG that can be black; others are not even looked at."""


class Wake(Check):
    """`stable`: the screenshot has to show a stable screen."""

    def __init__(self, screen: Screen, inputs: Inputs, log: EventLog, *, stable: bool) -> None:
        self._screen, self._inputs, self._log, self._stable = screen, inputs, log, stable

    async def take_screenshot(self, task: Task) -> Frame:
        """Raises `NoSignal` if nothing wakes the computer."""
        stable_s, wait = (get_stable_s(task), MAX_WAIT_S) if self._stable else (FIXED_WAIT_S, 0.0)
        try:
            frame = await self._screen.take_screenshot(self._inputs.last_report_at, stable_s, wait)
            if not await _is_dark(frame):
                return frame
        except NoSignal:
            frame = await self._wake(stable_s)
        else:
            await _perform(self._inputs, WAKE_ACTIONS[-1])
            frame = await self._look(stable_s)
        self._log.note("info", Message("agent.woken"))
        return frame

    async def _wake(self, stable_s: float) -> Frame:
        for action in WAKE_ACTIONS:
            await _perform(self._inputs, action)
            try:
                return await self._look(stable_s)
            except NoSignal:
                pass
        return await self._look(stable_s)

    async def _look(self, stable_s: float) -> Frame:
        return await self._screen.take_screenshot(self._inputs.last_report_at, stable_s, WAKE_S)


async def _perform(inputs: Inputs, action: ManualAction) -> None:
    try:
        await inputs.perform(action)
    except DeviceError:
        # A sleeping host takes no reports, and may be woken by the very attempt to send one.
        await asyncio.sleep(1.0)


async def _is_dark(frame: Frame) -> bool:
    if len(frame.jpeg) > MAX_BLACK_BYTES:
        return False
    extremes = await asyncio.to_thread(lambda: sketch(frame.jpeg).getextrema())
    return bool(extremes[1] < DARK_LEVEL)  # type: ignore[operator]
