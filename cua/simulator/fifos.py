"""The FIFOs that replace the USB endpoints.

A thread reads them and adds the time of arrival to each report, so that drawing and slow viewers do
not change the order or the times of reports.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from .usbhost import LENGTH

OnReport = Callable[[int, bytes, float], None]
MAX_REPORTS_PER_CALL = 64
"""Largest number of reports that are handled before other work of the event loop."""


class Fifos:
    """DIR/hidg0, hidg1 and hidg2; `close` removes them, and DIR if it is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = [folder / f"hidg{device}" for device in LENGTH]
        for path in self._paths:
            path.unlink(missing_ok=True)
            os.mkfifo(path, 0o600)
        # Open for writing too: without a writer a FIFO reports its end repeatedly.
        self._fds = [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in self._paths]
        self._waiting: deque[tuple[int, bytes, float]] = deque()
        self._reading = threading.Lock()
        self._delivered_until = 0.0
        self._handled = asyncio.Event()

    def connect(self, report: OnReport) -> None:
        """Call `report` in the running loop with device, bytes and time of every report."""
        deliver = (asyncio.get_running_loop(), report)
        threading.Thread(target=self._read, args=deliver, daemon=True).start()

    def now(self) -> float:
        """Return the time up to which all reports are handled; it is late while some wait.

        At the clock's time, a key whose release still waits would repeat.
        """
        now = time.monotonic()
        return self._delivered_until if self._has_backlog() else now

    async def wait_until_handled(self) -> None:
        """Wait until all reports that were written are handled."""
        while self._has_backlog():
            await self._handled.wait()

    def _has_backlog(self) -> bool:
        with self._reading:
            return bool(self._waiting or select.select(self._fds, [], [], 0)[0])

    def close(self) -> None:
        for path in self._paths:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _read(self, loop: asyncio.AbstractEventLoop, report: OnReport) -> None:
        """Read reports in a thread until the process ends."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while True:
                ready, _, _ = select.select(self._fds, [], [])
                with self._reading:
                    for fd in ready:
                        self._read_reports(self._fds.index(fd), time.monotonic())
                loop.call_soon_threadsafe(self._deliver, loop, report)

    def _read_reports(self, device: int, now: float) -> None:
        """Read some reports; a FIFO does not split short ones."""
        size = LENGTH[device]
        data = os.read(self._fds[device], 1000 * size)
        self._waiting.extend((device, data[i : i + size], now) for i in range(0, len(data), size))

    def _deliver(self, loop: asyncio.AbstractEventLoop, report: OnReport) -> None:
        for _ in range(min(len(self._waiting), MAX_REPORTS_PER_CALL)):
            device, data, at = self._waiting.popleft()
            self._delivered_until = at
            report(device, data, at)
        if self._waiting:
            loop.call_soon(self._deliver, loop, report)
        self._handled.set()
        self._handled = asyncio.Event()
