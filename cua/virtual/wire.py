"""The FIFOs that stand for the USB endpoints.

A thread reads them, so that neither a slow drawing nor a slow viewer can change the order or the
time of what arrives; the event loop gets whole reports with the time at which they came.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .usbhost import LENGTH

Report = Callable[[int, bytes, float], None]


class Wires:
    """DIR/hidg0, hidg1 and hidg2; `report` is called in the loop with device, bytes and time."""

    def __init__(self, folder: Path, report: Report) -> None:
        self._paths = [folder / f"hidg{device}" for device in LENGTH]
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._stop_read, self._stop_write = os.pipe()
        self._fds: dict[int, int] = {}
        self._thread = threading.Thread(target=self._read, daemon=True)

    def open(self) -> None:
        for device, path in enumerate(self._paths):
            path.unlink(missing_ok=True)
            os.mkfifo(path, 0o600)
            # Open for writing too: with no writer the FIFO would report its end again and again.
            self._fds[os.open(path, os.O_RDWR | os.O_NONBLOCK)] = device
        self._thread.start()

    def close(self) -> None:
        os.write(self._stop_write, b"x")
        self._thread.join()
        for fd in (*self._fds, self._stop_read, self._stop_write):
            os.close(fd)
        for path in self._paths:
            path.unlink(missing_ok=True)

    def _read(self) -> None:
        poll = select.poll()
        for fd in (*self._fds, self._stop_read):
            poll.register(fd, select.POLLIN)
        rest = dict.fromkeys(self._fds, b"")
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._stop_read in ready:
                return
            now = time.monotonic()
            for fd in ready:
                rest[fd] = self._hand_on(self._fds[fd], rest[fd] + os.read(fd, 65536), now)

    def _hand_on(self, device: int, data: bytes, now: float) -> bytes:
        """Whole reports go to the loop; the beginning of another one comes back."""
        size = LENGTH[device]
        whole = len(data) - len(data) % size
        reports = [data[i : i + size] for i in range(0, whole, size)]
        with contextlib.suppress(RuntimeError):  # the loop is closed: the computer is off
            self._loop.call_soon_threadsafe(self._deliver, device, reports, now)
        return data[whole:]

    def _deliver(self, device: int, reports: list[bytes], now: float) -> None:
        for data in reports:
            self._report(device, data, now)
