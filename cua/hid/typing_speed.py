"""Tests whether the computer receives keys as fast as they are sent, by tapping Caps Lock.

Each tap toggles the LED, so after a known number of taps its state shows whether one was lost. An
even number of losses in a row of taps would not be seen, so there are several rows.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal

from ..messages import Message
from ..types import CuaError
from .inputs import CAPS_LOCK, Device
from .keymap import NAMED
from .reports import CAREFUL, FAST, make_keyboard_report

TAPS_PER_ROW = (5, 8, 3, 7)
"""Number of taps in each row."""
STABLE_S, LED_TIMEOUT_S = 0.3, 3.0
"""Time without a change after which the LED counts as stable, and the limit for that."""
SLOW_TAP_S = 0.2


async def find_pace(device: Device) -> Literal["fast", "careful"]:
    """Return the fastest pace at which no key is lost; the state of Caps Lock is restored.

    Raises `CuaError` if the LED is unknown, or keys are lost at every pace.
    """
    before = await _toggle_twice(device)
    try:
        if await _all_arrive(device, FAST.typing):
            return "fast"
        if await _all_arrive(device, CAREFUL.typing):
            return "careful"
        raise CuaError(Message("hid.keys_lost"))
    finally:
        if await _wait_stable(device) != before:
            await _tap(device, SLOW_TAP_S)


async def _toggle_twice(device: Device) -> bool:
    """Return whether the LED is lit, after it was seen to change and change back."""
    await _tap(device, SLOW_TAP_S)
    once = await _wait_stable(device)
    await _tap(device, SLOW_TAP_S)
    twice = await _wait_stable(device)
    if device.leds is None or once == twice:
        raise CuaError(Message("hid.caps_lock_unknown"), setting="pace")
    return twice


async def _all_arrive(device: Device, pause: float) -> bool:
    for taps in TAPS_PER_ROW:
        before = _is_lit(device)
        for _ in range(taps):
            await _tap(device, pause)
        if await _wait_stable(device) != before ^ bool(taps % 2):
            return False
    return True


async def _tap(device: Device, pause: float) -> None:
    try:
        for report in (make_keyboard_report(0, [NAMED["CAPSLOCK"]]), make_keyboard_report()):
            await device.write("keyboard", report)
            await asyncio.sleep(pause)
    finally:
        device.release()


async def _wait_stable(device: Device) -> bool:
    """Return whether the LED is lit once it has not changed for `STABLE_S`."""
    end = time.monotonic() + LED_TIMEOUT_S
    lit, since = _is_lit(device), time.monotonic()
    while time.monotonic() < min(since + STABLE_S, end):
        await asyncio.sleep(0.02)
        if _is_lit(device) != lit:
            lit, since = _is_lit(device), time.monotonic()
    return lit


def _is_lit(device: Device) -> bool:
    return bool((device.leds or 0) & CAPS_LOCK)
