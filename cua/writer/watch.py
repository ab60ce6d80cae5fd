"""Notices when somebody else writes to the device files, as the person at the KVM's own page does.

inotify tells of every write to a device node, our own included; those are taken out again right
after each of ours.
"""

from __future__ import annotations

import ctypes
import os
import struct

from .wire import ENDPOINTS, KEYBOARD

IN_MODIFY = 0x2
EVENT = struct.Struct("iIII")
"""Watch, mask, cookie, length of a name (files that are watched themselves have none)."""

TOUCHES, WITHIN = 3, 1.0
"""A mouse counts when it is written to so often in so many seconds: a KVM may move the pointer now
and then by itself to keep the computer awake. A key counts at once."""


class Watch:
    """`fd` becomes readable when there is something to look at."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._watched: dict[int, int] = {}
        self._touched: dict[int, list[float]] = {endpoint: [] for endpoint in ENDPOINTS}

    @property
    def works(self) -> bool:
        """Whether the kernel had another watch to give."""
        return self.fd >= 0

    def follow(self, path: str, endpoint: int) -> None:
        """From now on; again after a node has been made anew."""
        watch = self._libc.inotify_add_watch(self.fd, os.fsencode(path), IN_MODIFY)
        self._watched[watch] = endpoint

    def look(self, now: float) -> None:
        """Take what came since the last call as somebody else's."""
        for endpoint in self._read():
            self._touched[endpoint].append(now)

    def skip(self) -> None:
        """Take what came since the last call as our own."""
        self._read()

    def stranger(self, now: float) -> int | None:
        """The endpoint that somebody else is using, told once."""
        for endpoint, times in self._touched.items():
            times[:] = [at for at in times if now - at < WITHIN]
            if len(times) >= (1 if endpoint == KEYBOARD else TOUCHES):
                times.clear()
                return endpoint
        return None

    def _read(self) -> list[int]:
        try:
            events = os.read(self.fd, 4096)
        except OSError:  # nothing there, or a kernel without inotify
            return []
        found = [EVENT.unpack_from(events, at) for at in range(0, len(events), EVENT.size)]
        return [self._watched[watch] for watch, mask, _, _ in found if mask & IN_MODIFY]
