"""Ask the chip of a capture stick for a signal: it also sends pictures without one.

The registers of MacroSilicon's MS2109 and MS2130S are known (from Openterface's Qt client); they
are read by HID feature reports. Standard library only.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

SYSFS = Path("/sys")
SIGNAL_REGISTERS = {("534d", "2109"): 0xFA8C, ("345f", "2132"): 0xFA8D}
"""USB vendor and product -> the register whose lowest bit is set while there is a signal."""
READ_REGISTER = 0xB5
REPORT_BYTES = 9
"""Length of a report with its first byte, its number, which is 0."""
SET_FEATURE, GET_FEATURE = (3 << 30 | REPORT_BYTES << 16 | ord("H") << 8 | n for n in (6, 7))


def has_signal(video: str) -> bool | None:
    """Ask the chip of a capture device; it takes milliseconds. None if it cannot be asked."""
    interface = SYSFS / "class/video4linux" / Path(video).resolve().name / "device"
    stick = interface.resolve().parent
    try:
        vendor, product = ((stick / each).read_text().strip() for each in ("idVendor", "idProduct"))
        register = SIGNAL_REGISTERS[vendor, product]
        request = bytes([0, READ_REGISTER, *register.to_bytes(2, "big")])
        (hid,) = stick.glob("*/*/hidraw/hidraw*")
        return _ask(Path("/dev") / hid.name, request.ljust(REPORT_BYTES, b"\0"))
    except (OSError, KeyError, ValueError):
        return None


def _ask(device: Path, request: bytes) -> bool:
    answer = bytearray(REPORT_BYTES)
    with device.open("r+b", buffering=0) as chip:
        fcntl.ioctl(chip, SET_FEATURE, request)
        fcntl.ioctl(chip, GET_FEATURE, answer)
    return bool(answer[4] & 1)
