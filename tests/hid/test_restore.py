"""What is pressed again after everything was released: modifiers that do nothing alone, no more."""

from __future__ import annotations

import pytest

from cua.hid.inputs import modifiers_to_restore
from cua.hid.keymap import MODIFIERS
from cua.hid.reports import Endpoint, Stroke, keyboard

SHIFT, CTRL, ALT = MODIFIERS["SHIFT"], MODIFIERS["CTRL"], MODIFIERS["ALT"]
A, B = 4, 5
WHEEL = Stroke("mouse", bytes([0, 0, 0, 1]))


def key(modifiers: int = 0, *usages: int) -> Stroke:
    return Stroke("keyboard", keyboard(modifiers, usages))


@pytest.mark.parametrize(
    ("held", "stroke", "pressed"),
    [
        ({}, key(0, A), 0),
        ({}, key(SHIFT, A), SHIFT),
        ({"keyboard": keyboard(SHIFT)}, key(SHIFT, A), SHIFT),
        ({"keyboard": keyboard(SHIFT, [A])}, key(SHIFT), SHIFT),
        ({"keyboard": keyboard(0, [A])}, key(), 0),
        ({"keyboard": keyboard(0, [A])}, key(0, B), 0),
        ({"keyboard": keyboard(CTRL | SHIFT)}, WHEEL, CTRL | SHIFT),
        ({"keyboard": keyboard(CTRL), "pointer": bytes([0, 1, 1, 1, 1, 0])}, WHEEL, CTRL),
        ({"keyboard": keyboard(MODIFIERS["RALT"])}, key(MODIFIERS["RALT"], A), MODIFIERS["RALT"]),
        ({"keyboard": keyboard(MODIFIERS["RSHIFT"])}, key(), 0),
    ],
)
def test_harmless_modifiers_are_restored(
    held: dict[Endpoint, bytes], stroke: Stroke, pressed: int
) -> None:
    assert modifiers_to_restore(held, stroke) == pressed


@pytest.mark.parametrize(
    ("held", "stroke"),
    [
        ({"keyboard": keyboard(0, [A])}, key(0, A)),
        ({"keyboard": keyboard(0, [A, B])}, key(0, B)),
        ({"keyboard": keyboard(0, [A])}, WHEEL),  # the key would have to be held meanwhile
        ({"keyboard": keyboard(ALT)}, key()),
        ({"keyboard": keyboard(ALT)}, key(SHIFT)),
        ({}, key(ALT, A)),
        *[({"keyboard": keyboard(MODIFIERS[name])}, key()) for name in ("WIN", "RCTRL", "RWIN")],
        ({"mouse": bytes([1, 0, 0, 0])}, key(0, A)),
        ({"pointer": bytes([1, 0, 0, 0, 0, 0])}, WHEEL),
    ],
)
def test_nothing_else_is_restored(held: dict[Endpoint, bytes], stroke: Stroke) -> None:
    assert modifiers_to_restore(held, stroke) is None
