"""Pairs serial ports with capture devices by their places in the USB tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..messages import Message
from ..types import CuaError

SYSFS = Path("/sys")
SERIAL, VIDEO = ("tty/ttyUSB*", "tty/ttyACM*"), ("video4linux/video*",)


class Device(NamedTuple):
    path: str
    place: Path = Path("/")
    """The device's folder in sysfs, whose path contains the hubs above it."""


def find_pair(serial: str, video: str) -> tuple[str, str]:
    """Return the device files of a serial port and a capture device; "" accepts any.

    Devices that share most hubs belong together. Raises `CuaError` unless there is one such pair.
    """
    if serial and video:
        return serial, video
    pairs = [
        (_shared_depth(port, capture), port.path, capture.path)
        for port in _candidates(SERIAL, serial)
        for capture in _candidates(VIDEO, video)
    ]
    if not pairs:
        raise CuaError(Message("usb.no_pair"), setting="kvm")
    deepest = max(depth for depth, *_ in pairs)
    best = [(port, capture) for depth, port, capture in pairs if depth == deepest]
    if len(best) > 1:
        addresses = [f"usb://{port}?video={capture}" for port, capture in best]
        raise CuaError(Message("usb.several_pairs", addresses=addresses), setting="kvm")
    return best[0]


def _candidates(patterns: tuple[str, ...], named: str) -> list[Device]:
    found = [each for pattern in patterns for each in _devices(pattern)]
    if not named:
        return found
    real = os.path.realpath(named)
    return [each for each in found if each.path == real] or [Device(named)]


def _devices(pattern: str) -> Iterator[Device]:
    """Yield the devices; only the first device file of a camera is for pictures."""
    for entry in sorted((SYSFS / "class").glob(pattern)):
        index = entry / "index"
        if not index.exists() or index.read_text().strip() == "0":
            yield Device(f"/dev/{entry.name}", entry.resolve())


def _shared_depth(one: Device, other: Device) -> int:
    return len(Path(os.path.commonpath([one.place, other.place])).parts)
