"""Rules for reports that may be sent: the last check before the device."""

from __future__ import annotations

from .packets import ENDPOINTS, KEYBOARD, LENGTHS, POINTER

USAGES = frozenset([0, *range(0x04, 0x66), *range(0x67, 0x74), *range(0x85, 0x99)])
"""Allowed keys, with F13..F24 and the keys of Asian layouts; without Power (0x66), error
codes (1..3) and unassigned codes."""
INVALID_STEP, FULL_SCALE = 0x80, 0x7FFF
"""A movement of -128 and positions above 32767 break the descriptors."""


def is_allowed(endpoint: int, report: bytes) -> bool:
    if endpoint not in ENDPOINTS or len(report) != LENGTHS[endpoint]:
        return False
    return (_keyboard, _mouse, _pointer)[endpoint](report)


def presses(endpoint: int, report: bytes) -> bool:
    """Whether a key or button is pressed after the report."""
    return any(report) if endpoint == KEYBOARD else report[0] != 0


def acts(endpoint: int, report: bytes) -> bool:
    """Whether the report does more than move the pointer or release."""
    return presses(endpoint, report) or (endpoint != KEYBOARD and report[-1] != 0)


def release_report(endpoint: int, place: bytes) -> bytes:
    """Return a report that releases everything; the absolute pointer stays at `place`."""
    return bytes([0, *place, 0]) if endpoint == POINTER else bytes(LENGTHS[endpoint])


def _keyboard(report: bytes) -> bool:
    return report[1] == 0 and USAGES.issuperset(report[2:])


def _mouse(report: bytes) -> bool:
    return report[0] < 1 << 3 and INVALID_STEP not in report[1:]


def _pointer(report: bytes) -> bool:
    x, y = int.from_bytes(report[1:3], "little"), int.from_bytes(report[3:5], "little")
    return report[0] < 1 << 5 and max(x, y) <= FULL_SCALE and report[5] != INVALID_STEP
