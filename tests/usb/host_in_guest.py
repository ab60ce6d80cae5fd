"""Runs in the guest: the USB host of its gadget, which can stop polling.

    python -S -E /host.py

Takes the three endpoints from the kernel's driver. When `/run/pause` holds "AFTER SECONDS", the
reports in `/run/reports` are begun anew, and after so many it polls nothing for so long.
"""
# The guest has no pathlib.
# ruff: noqa: PTH108, PTH123, PTH208

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import time

CLAIM_INTERFACE, TRANSFER = 0x8004550F, 0xC0185502
TIMEOUT_MS = 2
DEVICES = "/sys/bus/usb/devices"
VENDOR = "3346"


class Transfer(ctypes.Structure):
    """`struct usbdevfs_bulktransfer`, which does interrupt endpoints as well."""

    _fields_ = (
        ("endpoint", ctypes.c_uint),
        ("length", ctypes.c_uint),
        ("timeout", ctypes.c_uint),
        ("data", ctypes.c_void_p),
    )


def main() -> None:
    name = next(each for each in os.listdir(DEVICES) if _read(each, "idVendor") == VENDOR)
    bus, device = int(_read(name, "busnum")), int(_read(name, "devnum"))
    fd = os.open(f"/dev/bus/usb/{bus:03}/{device:03}", os.O_RDWR)
    for number in range(3):
        _write("/sys/bus/usb/drivers/usbhid/unbind", f"{name}:1.{number}")
        fcntl.ioctl(fd, CLAIM_INTERFACE, ctypes.c_uint(number))
    endpoints = [_in_endpoint(f"{DEVICES}/{name}/{name}:1.{number}") for number in range(3)]
    _serve(fd, endpoints)


def _serve(fd: int, endpoints: list[int]) -> None:
    taken, pause = 0, (-1, 0.0)
    while True:
        with contextlib.suppress(FileNotFoundError):
            with open("/run/pause") as file:
                after, seconds = file.read().split()
            taken, pause = 0, (int(after), float(seconds))
            _write("/run/reports", "")
            os.unlink("/run/pause")
        for number, endpoint in enumerate(endpoints):
            if taken == pause[0]:
                time.sleep(pause[1])
                pause = (-1, 0.0)
            if report := _take(fd, endpoint):
                taken += 1
                _write("/run/reports", f"{number} {report.hex()}\n", "a")


def _take(fd: int, endpoint: int) -> bytes:
    """A report; empty if none comes."""
    data = ctypes.create_string_buffer(8)
    transfer = Transfer(endpoint, 8, TIMEOUT_MS, ctypes.addressof(data))
    try:
        length = fcntl.ioctl(fd, TRANSFER, transfer)
    except OSError as error:
        if error.errno != errno.ETIMEDOUT:
            raise
        return b""
    return data.raw[:length]


def _in_endpoint(interface: str) -> int:
    (name,) = (each for each in os.listdir(interface) if each.startswith("ep_8"))
    return int(name[3:], 16)


def _read(device: str, name: str) -> str:
    with contextlib.suppress(OSError), open(f"{DEVICES}/{device}/{name}") as file:
        return file.read().strip()
    return ""


def _write(path: str, text: str, mode: str = "w") -> None:
    with open(path, mode) as file:
        file.write(text)


if __name__ == "__main__":
    main()
