"""Detects writes of other processes to the device files, such as those of the KVM's own page.

inotify reports every write to a device node, also our own, which are discarded right after.
"""

from __future__ import annotations

import ctypes
import os
import struct

from .packets import ENDPOINTS, KEYBOARD

IN_MODIFY = 0x2
EVENT = struct.Struct("iIII")
"""Watch, mask, cookie, length of the name (0 for a watched file)."""

MIN_TOUCHES, WITHIN_S = 3, 1.0
"""Number of mouse writes within this time that count as use: a KVM may move the pointer at times to
keep the computer awake. A key counts at once."""


class ForeignWriteWatcher:
    """Watches the device files; `fd` becomes readable after writes, is negative without inotify."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._watched: dict[int, int] = {}
        self._touched: dict[int, list[float]] = {endpoint: [] for endpoint in ENDPOINTS}

    def watch(self, path: str, endpoint: int) -> None:
        """Watch a node from now on; call it again for a new node."""
        watch = self._libc.inotify_add_watch(self.fd, os.fsencode(path), IN_MODIFY)
        self._watched[watch] = endpoint

    def record_foreign(self, now: float) -> None:
        """Count the writes since the last call as those of other processes."""
        for endpoint in self._read():
            self._touched[endpoint].append(now)

    def discard_own(self) -> None:
        """Ignore the writes since the last call, which were our own."""
        self._read()

    def take_foreign_endpoint(self, now: float) -> int | None:
        """Return an endpoint that another process is using, once."""
        for endpoint, times in self._touched.items():
            times[:] = [at for at in times if now - at < WITHIN_S]
            if len(times) >= (1 if endpoint == KEYBOARD else MIN_TOUCHES):
                times.clear()
                return endpoint
        return None

    def _read(self) -> list[int]:
        try:
            events = os.read(self.fd, 4096)
        except OSError:  # no events, or a kernel without inotify
            return []
        rows = [EVENT.unpack_from(events, at) for at in range(0, len(events), EVENT.size)]
        return [self._watched[watch] for watch, mask, _, _ in rows if mask & IN_MODIFY]
