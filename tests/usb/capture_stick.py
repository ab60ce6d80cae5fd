"""A capture stick at the end of a `Cable`: USB Video Class over a bulk endpoint, HID as MS2109."""

from __future__ import annotations

import itertools
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from .cable import GET_REPORT, OK, SET_REPORT, Cable
from .descriptors import (
    CONFIGURATION,
    DEVICE,
    MISCELLANEOUS,
    REPORT,
    Descriptors,
    Function,
    describe_hid,
)

BULK = 101
BULK_HEAD = struct.Struct("<BBHIH")
"""Endpoint, status, length, stream, upper half of the length."""
VIDEO, CONTROLS, STREAM = 0x0E, 1, 2
IN_ENDPOINT, PACKET_BYTES = 0x81, 512
INTERVAL_S = 1 / 30
MAX_FRAME_BYTES = 1 << 14
GET_SETTINGS, SET_SETTINGS = range(0x81, 0x88), 0x01
FRAME_ID, END_OF_FRAME = 1, 2
CHIP, CHIP_ENDPOINT = 2, 0x82
CHIP_FUNCTION = Function(
    bytes.fromhex("0600ff0901a1010902150026ff0075089508b102c0"),  # a feature of eight bytes
    length=8,
    protocol=0,
)
HDMI_STATUS = bytes([0xB5, 0xFA, 0x8C])
"""A request to read the chip's register that has its lowest bit set while there is a signal."""


@dataclass(frozen=True)
class StickDescriptors(Descriptors):
    functions: tuple[()] = ()
    size: tuple[int, int] = (640, 360)
    is_raw: bool = False
    """Whether it has only YUYV, no MJPEG."""

    @property
    def device(self) -> bytes:
        numbers = (64, 0x534D, 0x2109, 0x0100, 0, 0, 0, 1)
        return struct.pack("<BBHBBBBHHHBBBB", 18, DEVICE, 0x0200, *MISCELLANEOUS, *numbers)

    @property
    def configuration(self) -> bytes:
        body = _ASSOCIATION + _CONTROL_INTERFACE + self._streaming_interface() + _CHIP_INTERFACE
        return struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), 3, 1, 0, 0x80, 250) + body

    def of_interface(self, kind: int, number: int) -> bytes | None:
        return CHIP_FUNCTION.report_descriptor if kind == REPORT else None

    def _streaming_interface(self) -> bytes:
        interval = int(INTERVAL_S * 1e7)
        rates = (1 << 20, 1 << 24, MAX_FRAME_BYTES, interval, 1, interval)
        kind = 5 if self.is_raw else 7
        frame = struct.pack("<5BHH4IBI", 30, 0x24, kind, 1, 0, *self.size, *rates)
        mjpeg, raw = [11, 0x24, 6, 1, 1, 1], [27, 0x24, 4, 1, 1, *_YUY2, 16]
        form = bytes([*(raw if self.is_raw else mjpeg), 1, 0, 0, 0, 0])
        total = 14 + len(form) + len(frame)
        head = struct.pack("<4BH8B", 14, 0x24, 1, 1, total, IN_ENDPOINT, 0, 2, 0, 0, 0, 1, 0)
        endpoint = struct.pack("<4BHB", 7, 5, IN_ENDPOINT, 2, PACKET_BYTES, 0)
        return bytes([9, 4, 1, 0, 1, VIDEO, STREAM, 0, 0]) + head + form + frame + endpoint

    @property
    def settings(self) -> bytes:
        """Of the stream, as UVC 1.0 negotiates them."""
        return struct.pack("<HBBI5HII", 1, 1, 1, 333333, *[0] * 5, MAX_FRAME_BYTES, MAX_FRAME_BYTES)


_YUY2 = bytes.fromhex("5955593200001000800000aa00389b71")
_ASSOCIATION = bytes([8, 0x0B, 0, 2, VIDEO, 3, 0, 0])
_CONTROL_INTERFACE = (
    bytes([9, 4, 0, 0, 0, VIDEO, CONTROLS, 0, 0])
    + struct.pack("<3BHHIBB", 13, 0x24, 1, 0x0100, 13 + 18 + 9, 48_000_000, 1, 1)
    + struct.pack("<4BH12B", 18, 0x24, 2, 1, 0x0201, *[0] * 8, 3, 0, 0, 0)[:18]
    + struct.pack("<4BH3B", 9, 0x24, 3, 2, 0x0101, 0, 1, 0)
)


_CHIP_INTERFACE = (
    bytes([9, 4, CHIP, 0, 1, 3, 0, 0, 0])
    + describe_hid(CHIP_FUNCTION)
    + struct.pack("<4BHB", 7, 5, CHIP_ENDPOINT, 3, CHIP_FUNCTION.length, 8)
)


class Stick(Cable):
    """Sends `pictures` in turn, for ever, also while it `has_signal` no more."""

    descriptors: StickDescriptors

    def __init__(
        self, folder: Path, port: Path, pictures: list[bytes], *, is_raw: bool = False
    ) -> None:
        self.sent = 0
        self.has_signal = True
        self._request = b""
        self._pictures = itertools.cycle(pictures)
        self._ids = itertools.cycle((0, FRAME_ID))
        super().__init__(folder, port, StickDescriptors(is_raw=is_raw))

    def _answer(self, kind: int, number: int, body: bytes) -> None:
        if kind == BULK:
            time.sleep(INTERVAL_S)
            payload = bytes([2, END_OF_FRAME | next(self._ids)]) + next(self._pictures)
            head = BULK_HEAD.pack(IN_ENDPOINT, OK, len(payload), 0, 0)
            self._send(BULK, head + payload, number)
            self.sent += 1
        else:
            super()._answer(kind, number, body)

    def _ask(self, what: tuple[int, int], value: int, index: int, data: bytes) -> bytes | None:
        kind, request = what
        if kind == 0xA1 and request in GET_SETTINGS:
            return self.descriptors.settings
        if index == CHIP and what == SET_REPORT:
            self._request = data
            return b""
        if index == CHIP and what == GET_REPORT:
            known = self._request[:3] == HDMI_STATUS
            return self._request[:3] + bytes([known and self.has_signal]) + bytes(4)
        return super()._ask(what, value, index, data)

    def _interfaces(self) -> bytes:
        columns = ([0, 1, CHIP], [VIDEO, VIDEO, 3], [CONTROLS, STREAM, 0], [0, 0, 0])
        rows = b"".join(bytes(column).ljust(32, b"\0") for column in columns)
        return struct.pack("<I", 3) + rows

    def _endpoints(self) -> bytes:
        kinds, sizes, interfaces = [0xFF] * 32, [0] * 32, bytearray(32)
        for at in (0, 16):
            kinds[at], sizes[at] = 0, 64
        kinds[17], sizes[17], interfaces[17] = 2, PACKET_BYTES, 1
        kinds[18], sizes[18], interfaces[18] = 3, CHIP_FUNCTION.length, CHIP
        intervals = bytes([*[0] * 18, 8]).ljust(32, b"\0")
        return bytes(kinds) + intervals + interfaces + struct.pack("<32H", *sizes)
