"""State of the KVM's USB side, from sysfs and configfs.

It tells whether a host is connected and awake, and the length of each endpoint's reports: some
firmware adds a byte, and the host misreads a report of another length.
"""

from __future__ import annotations

import contextlib
import os

from .packets import KEYBOARD, LENGTHS, ODD_LENGTH, WriterError

REPORT_ID = 0x84
"""The short item with a report's ID; its low two bits are the size of its data."""


class UsbState:
    """The USB side by `root`, /sys; unknown if that is empty or has no USB device controller."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._state: int | None = None

    def state(self) -> str:
        """Return the kernel's state, "configured" if a host is connected; "" if unknown."""
        try:
            if self._state is None:
                self._state = _open(f"{self._root}/class/udc", "state")
            return os.pread(self._state, 32, 0).strip().decode("ascii", "replace")
        except OSError:
            self._close_state()
            return ""

    def is_configured(self) -> bool:
        return self.state() in ("", "configured")

    def report_frame(self, endpoint: int) -> tuple[bytes, bytes]:
        """Return the bytes before and after each report. Raises `WriterError` if unknown."""
        ours = LENGTHS[endpoint]
        gadgets = f"{self._root}/kernel/config/usb_gadget"
        function = f"functions/hid.GS{endpoint}"
        length = int(_read(gadgets, f"{function}/report_length") or ours)
        number = report_id(_read(gadgets, f"{function}/report_desc"))
        rest = length - len(number) - ours
        if rest not in ((0,) if endpoint == KEYBOARD else (0, 1)):
            raise WriterError(ODD_LENGTH, str(length))
        return number, bytes(rest)  # the additional byte is a horizontal wheel

    def _close_state(self) -> None:
        if self._state is not None:
            os.close(self._state)
            self._state = None


def report_id(descriptor: bytes) -> bytes:
    """Return the report ID in a descriptor, which begins each report; empty for none."""
    at = 0
    while at < len(descriptor):
        item = descriptor[at]
        size = (0, 1, 2, 4)[item & 3]
        if item & 0xFC == REPORT_ID:
            return descriptor[at + 1 : at + 2]
        at += 1 + size
    return b""


def _open(folder: str, name: str) -> int:
    """Open the first file of that name in a subfolder. Raises `OSError` if there is none."""
    for each in os.listdir(folder):  # noqa: PTH208 - pathlib would take a tenth of the memory
        with contextlib.suppress(OSError):
            return os.open(f"{folder}/{each}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    raise FileNotFoundError(folder)


def _read(folder: str, name: str) -> bytes:
    """Return a file's content; empty if there is no such file."""
    with contextlib.suppress(OSError), open(_open(folder, name), "rb") as file:
        return file.read()
    return b""
