"""Which reports the writer lets through, at the edges of the HID usage tables and descriptors."""

from __future__ import annotations

import pytest

from cua.hid.writer import packets
from cua.hid.writer.rules import acts, is_allowed, presses, release_report


@pytest.mark.parametrize(
    ("usage", "is_key"),
    [
        (0x00, True),  # none
        (0x03, False),  # an error
        (0x04, True),  # A
        (0x65, True),  # menu
        (0x66, False),  # power
        (0x67, True),  # = of the number pad
        (0x73, True),  # F24
        (0x74, False),  # execute
        (0x84, False),  # a locking Scroll Lock
        (0x85, True),  # the comma of the number pad
        (0x98, True),  # the last key of Asian layouts
        (0x99, False),  # alternate erase
        (0xE0, False),  # a modifier, which has its own byte
    ],
)
def test_keys(usage: int, is_key: bool) -> None:
    for place in range(2, 8):
        report = bytearray(8)
        report[place] = usage
        assert is_allowed(packets.KEYBOARD, bytes(report)) == is_key
    assert is_allowed(packets.KEYBOARD, bytes([0xFF, *bytes(7)]))


@pytest.mark.parametrize(
    ("endpoint", "report", "fits"),
    [
        (packets.MOUSE, [7, 0x81, 0x7F, 0x81], True),
        (packets.MOUSE, [8, 0, 0, 0], False),
        (packets.MOUSE, [0, 0x80, 0, 0], False),
        (packets.MOUSE, [0, 0, 0x80, 0], False),
        (packets.MOUSE, [0, 0, 0, 0x80], False),
        (packets.POINTER, [31, 0xFF, 0x7F, 0xFF, 0x7F, 0x81], True),
        (packets.POINTER, [32, 0, 0, 0, 0, 0], False),
        (packets.POINTER, [0, 0, 0x80, 0, 0, 0], False),
        (packets.POINTER, [0, 0, 0, 0, 0x80, 0], False),
        (packets.POINTER, [0, 0, 0, 0, 0, 0x80], False),
        (packets.POINTER, [0, 0x80, 0, 0x80, 0, 0], True),
        (packets.POINTER, [0] * 5, False),
        (3, [0] * 8, False),
    ],
)
def test_buttons_movements_and_places(endpoint: int, report: list[int], fits: bool) -> None:
    assert is_allowed(endpoint, bytes(report)) == fits


def test_presses_and_acts_of_a_report() -> None:
    moved = {packets.MOUSE: [0, 1, 1], packets.POINTER: [0, 1, 1, 1, 1]}
    for endpoint, report in moved.items():
        assert not presses(endpoint, bytes([*report, 0]))
        assert not acts(endpoint, bytes([*report, 0]))
        assert not presses(endpoint, bytes([*report, 1]))
        assert acts(endpoint, bytes([*report, 1]))
        assert presses(endpoint, bytes([2, *report[1:], 0]))
        assert acts(endpoint, bytes([2, *report[1:], 0]))
    for at in (0, 2, 7):
        report = [0] * 8
        report[at] = 4
        assert presses(packets.KEYBOARD, bytes(report))
        assert acts(packets.KEYBOARD, bytes(report))
    assert not acts(packets.KEYBOARD, bytes(8))


def test_a_release_leaves_the_pointer_in_its_place() -> None:
    assert release_report(packets.POINTER, bytes([1, 2, 3, 4])) == bytes([0, 1, 2, 3, 4, 0])
    assert release_report(packets.MOUSE, bytes([1, 2, 3, 4])) == bytes(4)
    assert release_report(packets.KEYBOARD, b"") == bytes(8)
