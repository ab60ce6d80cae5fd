"""LEDs of the keyboard (caps lock), which the computer sets.

Each LED report can be read only once. If the KVM's own service reads them, this program does not,
and the LEDs are unknown.
"""

from __future__ import annotations

import contextlib
import os
import stat

READ_MODES = (os.O_RDONLY, os.O_RDWR)


class Leds:
    """The LEDs; `fd` becomes readable when the computer sets them, -1 if it must not be read."""

    def __init__(self, path: str) -> None:
        self.fd = -1
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.stat(path).st_mode) and not read_by_others(path):  # noqa: PTH116
                # Without O_NOCTTY a terminal, as in tests, would end this process with it.
                self.fd = os.open(path, os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)

    def read(self) -> int | None:
        """Return the bits of the newest report; None once the device is closed."""
        bits = None
        try:
            while report := os.read(self.fd, 8):
                bits = report[0]
        except BlockingIOError:
            return bits
        except OSError:
            pass
        os.close(self.fd)
        self.fd = -1
        return None


def read_by_others(path: str) -> bool:
    """Whether another process has `path` open for reading. Raises `OSError` without /proc."""
    return any(
        _reads(f"/proc/{process}", path)
        for process in os.listdir("/proc")  # noqa: PTH208
        if process.isdecimal() and process != str(os.getpid())
    )


def _reads(process: str, path: str) -> bool:
    with contextlib.suppress(OSError):  # it has just ended, or belongs to another user
        for fd in os.listdir(f"{process}/fd"):  # noqa: PTH208
            ours = os.readlink(f"{process}/fd/{fd}") == path  # noqa: PTH115
            if ours and _flags(f"{process}/fdinfo/{fd}") & os.O_ACCMODE in READ_MODES:
                return True
    return False


def _flags(info: str) -> int:
    with open(info, encoding="ascii") as file:  # noqa: PTH123 - pathlib is not loaded here
        words = file.read().split()
    return int(words[words.index("flags:") + 1], 8)
