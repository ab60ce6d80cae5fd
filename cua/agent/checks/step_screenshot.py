"""Takes each step's screenshot: of a stable screen, and of a computer that is awake.

A screen that is off or black is woken by a key that does nothing, or by the pointer. This is not an
action of the model, which has nothing to look at yet. What appears may be a lock screen, which the
model handles like any other.
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
"""Seconds to wait for a picture after each."""
DARK_LEVEL = 20
"""Grey level below which every pixel of a black screen is."""
MAX_BLACK_BYTES = 24 * 1024
"""Bytes of a JPEG of a black screen at most; larger ones are not decoded."""


class StepScreenshot(Check):
    """`stable`: waits for a stable screen, else `FIXED_WAIT_S`. `wake`: wakes the computer."""

    def __init__(
        self, screen: Screen, inputs: Inputs, log: EventLog, *, stable: bool, wake: bool
    ) -> None:
        self._screen, self._inputs, self._log = screen, inputs, log
        self._stable, self._wakes = stable, wake

    async def take_screenshot(self, task: Task) -> Frame:
        """Raises `NoSignal` if nothing wakes the computer."""
        stable_s, timeout_s = FIXED_WAIT_S, 0.0
        if self._stable:
            stable_s, timeout_s = get_stable_s(task), MAX_WAIT_S
        try:
            frame = await self._take(stable_s, timeout_s)
            if not self._wakes or not await _is_dark(frame):
                return frame
        except NoSignal:
            if not self._wakes:
                raise
            frame = await self._wake(stable_s)
        else:
            await _perform(self._inputs, WAKE_ACTIONS[-1])
            frame = await self._take(stable_s)
        self._log.note("info", Message("agent.woken"))
        return frame

    async def _wake(self, stable_s: float) -> Frame:
        for action in WAKE_ACTIONS:
            await _perform(self._inputs, action)
            try:
                return await self._take(stable_s)
            except NoSignal:
                pass
        return await self._take(stable_s)

    async def _take(self, stable_s: float, timeout_s: float = WAKE_S) -> Frame:
        last_report_at = self._inputs.last_report_at
        return await self._screen.take_screenshot(last_report_at, stable_s, timeout_s)


async def _perform(inputs: Inputs, action: ManualAction) -> None:
    try:
        await inputs.perform(action)
    except DeviceError:
        # A sleeping host takes no reports, but the attempt to send one may wake it.
        await asyncio.sleep(1.0)


async def _is_dark(frame: Frame) -> bool:
    if len(frame.jpeg) > MAX_BLACK_BYTES:
        return False
    extremes = await asyncio.to_thread(lambda: sketch(frame.jpeg).getextrema())
    return bool(extremes[1] < DARK_LEVEL)  # type: ignore[operator]
