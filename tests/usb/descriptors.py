"""What a NanoKVM tells a USB host that it is: descriptors as its own scripts set them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

VENDOR, PRODUCT, RELEASE = 0x3346, 0x1009, 0x0510
MISCELLANEOUS = (0xEF, 2, 1)
STRINGS = ("sipeed", "NanoKVM", "0123456789ABCDEF", "NanoKVM")
"""Manufacturer, product, serial number, configuration."""
DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT, QUALIFIER, HID, REPORT = (
    1,
    2,
    3,
    4,
    5,
    6,
    33,
    34,
)
INTERRUPT = 3
IN, OUT = 0x80, 0


@dataclass(frozen=True)
class Function:
    """One HID function; `subclass` is 1 for a boot device."""

    report_descriptor: bytes
    length: int
    protocol: int
    subclass: int = 0


KEYBOARD = Function(
    bytes.fromhex(
        "05010906a101"  # a keyboard:
        "050719e029e715002501750195088102"  # eight modifiers
        "9501750881 03"  # a byte that means nothing
        "95057501050819012905910295017503 9103"  # out: five lamps
        "95067508150025e70507190029e78100 c0"  # six keys
    ),
    length=8,
    protocol=1,
)
MOUSE = Function(
    bytes.fromhex(
        "05010902a1010901a100"  # a mouse with a pointer:
        "0509190129031500250195037501810295017505 8103"  # three buttons
        "0501093009310938 1581257f750895038106 c0c0"  # x, y and wheel, relative
    ),
    length=4,
    protocol=2,
)
POINTER = Function(
    bytes.fromhex(
        "05010902a1010901a100"  # a mouse with a pointer:
        "05091901290515002501950575018102950175038101"  # five buttons
        "050109300931150026ff7f350046ff7f751095028102"  # x and y, absolute
        "050109381581257f35004500750895018106 c0c0"  # a wheel
    ),
    length=6,
    protocol=2,
)
FUNCTIONS = (KEYBOARD, MOUSE, POINTER)
BOOT_FUNCTIONS = tuple(replace(function, subclass=1) for function in FUNCTIONS)
"""As the KVM's switch for firmware makes them."""


@dataclass(frozen=True)
class Descriptors:
    """Device and functions, at high or at full speed, as libcomposite and f_hid lay them out."""

    functions: tuple[Function, ...] = FUNCTIONS
    high_speed: bool = True

    @property
    def interval(self) -> int:
        """As it stands in an endpoint's descriptor: 1 ms at high speed, 10 ms at full speed."""
        return 4 if self.high_speed else 10

    def get(self, kind: int, number: int) -> bytes | None:
        """The answer to a request for a descriptor of the device, None if there is none."""
        if kind == DEVICE:
            return self.device
        if kind == CONFIGURATION:
            return self.configuration
        if kind == QUALIFIER and self.high_speed:
            return struct.pack("<BBHBBBBBB", 10, QUALIFIER, 0x0200, *MISCELLANEOUS, 64, 1, 0)
        if kind == STRING and number <= len(STRINGS):
            return _string(number)
        return None

    def of_interface(self, kind: int, number: int) -> bytes | None:
        function = self.functions[number]
        if kind == REPORT:
            return function.report_descriptor
        return describe_hid(function) if kind == HID else None

    @property
    def device(self) -> bytes:
        numbers = (64, VENDOR, PRODUCT, RELEASE, 1, 2, 3, 1)
        return struct.pack("<BBHBBBBHHHBBBB", 18, DEVICE, 0x0200, *MISCELLANEOUS, *numbers)

    @property
    def configuration(self) -> bytes:
        body = b"".join(self._interface(n, each) for n, each in enumerate(self.functions))
        length, count = 9 + len(body), len(self.functions)
        return struct.pack("<BBHBBBBB", 9, CONFIGURATION, length, count, 1, 4, 0xE0, 60) + body

    def _interface(self, number: int, function: Function) -> bytes:
        head = (9, INTERFACE, number, 0, 2, 3, function.subclass, function.protocol, 0)
        return (
            bytes(head)
            + describe_hid(function)
            + self._endpoint(IN, number)
            + self._endpoint(OUT, number)
        )

    def _endpoint(self, direction: int, number: int) -> bytes:
        length = self.functions[number].length
        address = direction | number + 1
        return struct.pack("<BBBBHB", 7, ENDPOINT, address, INTERRUPT, length, self.interval)


def describe_hid(function: Function) -> bytes:
    size = len(function.report_descriptor)
    return struct.pack("<BBHBBBH", 9, HID, 0x0101, 0, 1, REPORT, size)


def _string(number: int) -> bytes:
    text = STRINGS[number - 1].encode("utf-16-le") if number else b"\x09\x04"  # US English
    return bytes([2 + len(text), STRING]) + text
