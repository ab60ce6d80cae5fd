"""What may be pressed again after the writer released it by itself.

The writer releases what is held when this process stalls for longer than its lease. Pressing it
again is only safe where the press had no effect yet.
"""

from __future__ import annotations

from collections.abc import Mapping

from .keymap import MODIFIERS
from .reports import Endpoint, Stroke

HARMLESS = MODIFIERS["SHIFT"] | MODIFIERS["RSHIFT"] | MODIFIERS["CTRL"] | MODIFIERS["RALT"]
"""Modifiers that do nothing when they are pressed and released alone. Alt opens a menu, Win a start
menu, and a virtual machine's window lets go of the keyboard at the right Ctrl."""


def modifiers_to_press(held: Mapping[Endpoint, bytes], stroke: Stroke) -> int | None:
    """Return the modifiers to press before `stroke`, None if the action cannot go on.

    `held` has the last report of each endpoint before the release. A button is never pressed
    again, since the pointer may be elsewhere by now, and no key that was down is.
    """
    keys = held.get("keyboard", bytes(8))
    wanted = stroke.report if stroke.endpoint == "keyboard" else keys
    buttons = any(report[0] for endpoint, report in held.items() if endpoint != "keyboard")
    twice = set(keys[2:]) & set(wanted[2:]) - {0}
    if buttons or twice or (keys[0] | wanted[0]) & ~HARMLESS:
        return None
    return wanted[0]
