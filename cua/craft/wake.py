"""A computer whose screen is off or black is woken, by a key that does nothing or by the pointer.

That is no action of the model's: it has nothing to look at yet. What comes then may be a lock
screen, with which the model deals like with any other.
"""

from __future__ import annotations

import asyncio

from ..screen.picture import sketch
from ..types import DeviceError, Frame, Hands, Keypress, Manual, Move, NoSignal, Point, Screen

WOKEN = "The screen was dark: the computer was woken."
NUDGES: tuple[Manual, ...] = (Keypress(keys=("CTRL",)), Move(at=Point(x=0.5, y=0.5)))
PATIENCE = 8.0
"""Seconds that a computer is given to come back after each."""
DARK = 20
"""Grey level below which all of a black screen is."""
SMALL = 24 * 1024
"""Bytes of a JPEG that can be black; others are not even looked at."""


async def awake(screen: Screen, hands: Hands, quiet: float, patience: float) -> tuple[Frame, bool]:
    """A frame at rest (`Screen.still`), and whether the computer had to be woken for it.

    Raises `NoSignal` if nothing wakes it.
    """
    try:
        frame = await screen.still(hands.touched, quiet, patience)
        if not await _dark(frame):
            return frame, False
    except NoSignal:
        frame = await _woken(screen, hands, quiet)
        return frame, True
    await _nudge(hands, NUDGES[-1])
    return await screen.still(hands.touched, quiet, PATIENCE), True


async def _woken(screen: Screen, hands: Hands, quiet: float) -> Frame:
    for nudge in NUDGES:
        await _nudge(hands, nudge)
        try:
            return await screen.still(hands.touched, quiet, PATIENCE)
        except NoSignal:
            pass
    return await screen.still(hands.touched, quiet, PATIENCE)


async def _nudge(hands: Hands, nudge: Manual) -> None:
    try:
        await hands.perform(nudge)
    except DeviceError:
        # A sleeping host takes no reports, and may be woken by the very attempt to send one.
        await asyncio.sleep(1.0)


async def _dark(frame: Frame) -> bool:
    if len(frame.jpeg) > SMALL:
        return False
    extremes = await asyncio.to_thread(lambda: sketch(frame.jpeg).getextrema())
    return bool(extremes[1] < DARK)  # type: ignore[operator]
