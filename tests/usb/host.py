"""A USB host at the other end of three FIFOs: it takes reports and knows what they hold down."""

from __future__ import annotations

import fcntl
import os
import select
import time
from collections.abc import Callable
from pathlib import Path

from cua.hid.writer.packets import LENGTHS
from tests.support.usb_decode import decode


class Host:
    """`reports` are those that came, as (endpoint, bytes), `times` when they came."""

    def __init__(self, folder: Path, *, one_slot: bool = False) -> None:
        self.prefix = str(folder / "hidg")
        self.reports: list[tuple[int, bytes]] = []
        self.times: list[float] = []
        self._ends = {}
        self._left: set[int] = set()
        self._poll = select.poll()
        for endpoint in range(len(LENGTHS)):
            fd = _end(f"{self.prefix}{endpoint}", one_slot)
            self._ends[fd] = endpoint
            self._poll.register(fd, select.POLLIN)

    @property
    def held(self) -> list[str]:
        return decode(self.reports).down

    @property
    def used(self) -> set[int]:
        return {endpoint for endpoint, _ in self.reports}

    def alone(self) -> bool:
        """Whether the writing side has closed."""
        return bool(self.used) and self._left >= self.used

    def take(self, seconds: float = 0.0) -> None:
        """Reports that are there, or come within that time."""
        ready = dict(self._poll.poll(seconds * 1000))
        coming = [fd for fd, event in ready.items() if event & select.POLLIN]
        self._left = {self._ends[fd] for fd in ready if fd not in coming}
        for fd in coming:
            self._read(fd)
        if not coming:
            time.sleep(min(seconds, 0.001))  # an end that was left is always ready

    def wait(self, seconds: float) -> bool:
        """Until a report is there, without taking it."""
        return bool(select.select(list(self._ends), [], [], seconds)[0])

    def raw(self, endpoint: int) -> bytes:
        """What came at one of them, as it is."""
        fd = next(fd for fd, each in self._ends.items() if each == endpoint)
        return os.read(fd, 4096)

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Take reports until it holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.take(0.01)
        return True

    def close(self) -> None:
        for fd, endpoint in self._ends.items():
            os.close(fd)
            Path(f"{self.prefix}{endpoint}").unlink()

    def _read(self, fd: int) -> None:
        endpoint = self._ends[fd]
        length = LENGTHS[endpoint]
        data = os.read(fd, 65536)
        assert len(data) % length == 0, data
        for at in range(0, len(data), length):
            self.reports.append((endpoint, data[at : at + length]))
            self.times.append(time.monotonic())


def _end(path: str, one_slot: bool) -> int:
    os.mkfifo(path)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if one_slot:
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
    return fd
