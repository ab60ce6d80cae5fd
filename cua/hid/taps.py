"""Whether the computer takes keys as fast as they are sent: Caps Lock is tapped, its lamp tells.

A computer that loses keys says nothing of it. But each tap turns the lamp over, so after a known
number of them it is known how it has to be. A loss of two in one row would not be seen; so there
are several rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from ..types import CuaError
from . import CAPS_LOCK, Device
from .keymap import NAMED
from .reports import CAREFUL, FAST, keyboard

ROWS = (5, 8, 3, 7)
"""Taps in each row."""
STEADY, PATIENCE = 0.3, 3.0
"""Seconds without a change after which the lamp counts as settled, and that it may take."""
SLOWLY = 0.2

_UNREADABLE = (
    "The KVM does not tell whether Caps Lock is lit, so it cannot be seen whether keys are lost. "
    "Let it type into an editor and look; if characters are missing, choose the careful Pace in "
    "Settings."
)
_EVEN_SO = (
    "The computer loses keys even when they are sent with care. Look at its USB cable, and "
    "whether something else uses its keyboard; then try again."
)

Lamps = Callable[[], int | None]


async def pace(device: Device, lamps: Lamps) -> Literal["fast", "careful"]:
    """At which nothing is lost. Caps Lock is as before. Raises `CuaError` if that is not seen."""
    before = await _readable(device, lamps)
    try:
        if await _all_arrive(device, lamps, FAST.typing):
            return "fast"
        if await _all_arrive(device, lamps, CAREFUL.typing):
            return "careful"
        raise CuaError(_EVEN_SO)
    finally:
        if await _settled(lamps) != before:
            await _tap(device, SLOWLY)


async def _readable(device: Device, lamps: Lamps) -> bool:
    """How it is lit, after it has been seen to change and change back."""
    await _tap(device, SLOWLY)
    once = await _settled(lamps)
    await _tap(device, SLOWLY)
    twice = await _settled(lamps)
    if lamps() is None or once == twice:
        raise CuaError(_UNREADABLE)
    return twice


async def _all_arrive(device: Device, lamps: Lamps, pause: float) -> bool:
    for taps in ROWS:
        before = _lit(lamps)
        for _ in range(taps):
            await _tap(device, pause)
        if await _settled(lamps) != before ^ bool(taps % 2):
            return False
    return True


async def _tap(device: Device, pause: float) -> None:
    try:
        for report in (keyboard(0, [NAMED["CAPSLOCK"]]), keyboard()):
            await device.write("keyboard", report)
            await asyncio.sleep(pause)
    finally:
        device.release()


async def _settled(lamps: Lamps) -> bool:
    """How it is lit when it has not changed for a while."""
    end = time.monotonic() + PATIENCE
    lit, since = _lit(lamps), time.monotonic()
    while time.monotonic() < min(since + STEADY, end):
        await asyncio.sleep(0.02)
        if _lit(lamps) != lit:
            lit, since = _lit(lamps), time.monotonic()
    return lit


def _lit(lamps: Lamps) -> bool:
    return bool((lamps() or 0) & CAPS_LOCK)
