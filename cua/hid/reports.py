"""Reports as bytes, and `TimedReport`: one with the pause after it.

Three endpoints, as the KVMs have them: a boot keyboard (8 bytes), a relative mouse (4) and an
absolute pointer (6; 0..32767 over the screen, little-endian).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..types import Point
from .writer.packets import LEASE_S

Endpoint = Literal["keyboard", "mouse", "pointer"]
LENGTHS: dict[Endpoint, int] = {"keyboard": 8, "mouse": 4, "pointer": 6}
ENDPOINTS: tuple[Endpoint, ...] = tuple(LENGTHS)
"""The endpoints in the order of the device files' numbers."""
BUTTONS = {"left": 1, "right": 2, "middle": 4}
FULL_SCALE = 0x7FFF
CROSSING_S = 0.012
"""Pause between endpoints, which are polled independently: else a key may overtake a click."""


class Timing(NamedTuple):
    """Pauses between reports in seconds; the host decides how fast it polls them.

    `typing` follows each report of a text, `hold` is the time that a key or a button stays pressed,
    `step` separates the places of a drag, `notch` the wheel's notches.
    """

    typing: float
    hold: float
    between_clicks: float
    step: float
    notch: float


# Programs need to see the pointer before a button and the button for longer than one poll.
FAST = Timing(typing=0.0, hold=0.025, between_clicks=0.06, step=0.008, notch=0.01)
# A double click still takes 0.2 of the usual 0.5 s.
CAREFUL = Timing(typing=0.025, hold=0.06, between_clicks=0.12, step=0.016, notch=0.06)
DOUBLE_CLICK_S = 0.5
"""Longest time between the presses of a double click, Windows' default."""


@dataclass(frozen=True, slots=True)
class TimedReport:
    """A report for an endpoint; the next report follows after `pause_s`.

    `typed` is the number of characters of the text, or presses of the repeated key, that are
    complete once the host has received the report. `where` is the pointer's position after it.
    `within` is the limit in seconds from the last press of a button to this report.
    """

    endpoint: Endpoint
    data: bytes
    pause_s: float = 0.0
    typed: int = 0
    where: Point | None = None
    within: float = math.inf

    def __post_init__(self) -> None:
        if self.pause_s >= LEASE_S:
            raise ValueError("The writer would release what is pressed: repeat the report.")


def make_keyboard_report(modifiers: int = 0, usages: Sequence[int] = ()) -> bytes:
    """Return an 8-byte boot keyboard report; at most 6 usages."""
    return bytes([modifiers, 0, *usages, *bytes(6 - len(usages))])


def make_pointer_report(at: Point, buttons: int = 0, wheel: int = 0) -> bytes:
    """Return a 6-byte report of the absolute pointer.

    A host shows position p of 0..32767 at pixel floor(p * size / 32768). Rounding up makes pixel /
    size come out at exactly that pixel, and both the first and the last pixel reachable.
    """
    x, y = (min(FULL_SCALE, math.ceil(part * (FULL_SCALE + 1))) for part in (at.x, at.y))
    return bytes([buttons, x & 0xFF, x >> 8, y & 0xFF, y >> 8, wheel & 0xFF])


def make_mouse_report(buttons: int = 0, dx: int = 0, dy: int = 0, wheel: int = 0) -> bytes:
    """Return a 4-byte mouse report; movements of -127..127."""
    return bytes([buttons, dx & 0xFF, dy & 0xFF, wheel & 0xFF])
