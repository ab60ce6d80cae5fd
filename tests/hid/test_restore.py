"""What is pressed again after everything was released: modifiers that do nothing alone, no more."""

from __future__ import annotations

import pytest

from cua.hid.inputs import modifiers_to_restore
from cua.hid.keymap import MODIFIERS
from cua.hid.reports import Endpoint, TimedReport, make_keyboard_report

SHIFT, CTRL, ALT = MODIFIERS["SHIFT"], MODIFIERS["CTRL"], MODIFIERS["ALT"]
A, B = 4, 5
WHEEL = TimedReport("mouse", bytes([0, 0, 0, 1]))


def key(modifiers: int = 0, *usages: int) -> TimedReport:
    return TimedReport("keyboard", make_keyboard_report(modifiers, usages))


@pytest.mark.parametrize(
    ("held", "report", "pressed"),
    [
        ({}, key(0, A), 0),
        ({}, key(SHIFT, A), SHIFT),
        ({"keyboard": make_keyboard_report(SHIFT)}, key(SHIFT, A), SHIFT),
        ({"keyboard": make_keyboard_report(SHIFT, [A])}, key(SHIFT), SHIFT),
        ({"keyboard": make_keyboard_report(0, [A])}, key(), 0),
        ({"keyboard": make_keyboard_report(0, [A])}, key(0, B), 0),
        ({"keyboard": make_keyboard_report(CTRL | SHIFT)}, WHEEL, CTRL | SHIFT),
        (
            {"keyboard": make_keyboard_report(CTRL), "pointer": bytes([0, 1, 1, 1, 1, 0])},
            WHEEL,
            CTRL,
        ),
        (
            {"keyboard": make_keyboard_report(MODIFIERS["RALT"])},
            key(MODIFIERS["RALT"], A),
            MODIFIERS["RALT"],
        ),
        ({"keyboard": make_keyboard_report(MODIFIERS["RSHIFT"])}, key(), 0),
    ],
)
def test_harmless_modifiers_are_restored(
    held: dict[Endpoint, bytes], report: TimedReport, pressed: int
) -> None:
    assert modifiers_to_restore(held, report) == pressed


@pytest.mark.parametrize(
    ("held", "report"),
    [
        ({"keyboard": make_keyboard_report(0, [A])}, key(0, A)),
        ({"keyboard": make_keyboard_report(0, [A, B])}, key(0, B)),
        (
            {"keyboard": make_keyboard_report(0, [A])},
            WHEEL,
        ),  # the key would have to be held meanwhile
        ({"keyboard": make_keyboard_report(ALT)}, key()),
        ({"keyboard": make_keyboard_report(ALT)}, key(SHIFT)),
        ({}, key(ALT, A)),
        *[
            ({"keyboard": make_keyboard_report(MODIFIERS[name])}, key())
            for name in ("WIN", "RCTRL", "RWIN")
        ],
        ({"mouse": bytes([1, 0, 0, 0])}, key(0, A)),
        ({"pointer": bytes([1, 0, 0, 0, 0, 0])}, WHEEL),
    ],
)
def test_nothing_else_is_restored(held: dict[Endpoint, bytes], report: TimedReport) -> None:
    assert modifiers_to_restore(held, report) is None
