"""Stand-ins for the KVM's HID devices that keep what was written to them."""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

from cua.hid.reports import ENDPOINTS, LENGTHS, Endpoint
from tests.support.usb_decode import DecodedInput, decode


class Recorder:
    """A device that takes every report; `cancel_at` cancels the writing task at report k."""

    def __init__(self, cancel_at: int | None = None, leds: int | None = None) -> None:
        self.leds = leds
        self.reports: list[tuple[Endpoint, bytes]] = []
        self.cancel_at = cancel_at
        self.after_cancel: list[tuple[Endpoint, bytes]] = []
        self._cancelled = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        self.reports.append((endpoint, report))
        if self._cancelled:
            self.after_cancel.append((endpoint, report))
        if len(self.reports) == self.cancel_at:
            self._cancelled = True
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

    def release(self) -> None:
        last = dict(self.reports)
        for endpoint, report in last.items():
            if endpoint == "keyboard" and any(report):
                self.reports.append((endpoint, bytes(8)))
            elif endpoint != "keyboard" and report[0]:
                self.reports.append((endpoint, bytes([0, *report[1:-1], 0])))


class Halting(Recorder):
    """A device that takes so many reports, and hangs at the next one."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.full = asyncio.Event()

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if len(self.reports) >= self.most:
            self.full.set()
            await asyncio.Event().wait()
        await super().write(endpoint, report)


def interpret(
    reports: list[tuple[Endpoint, bytes]], size: tuple[int, int] = (1280, 720)
) -> DecodedInput:
    """Return what a USB host understands."""
    return decode(((ENDPOINTS.index(endpoint), report) for endpoint, report in reports), size)


class Fifos:
    """FIFOs in place of /dev/hidg0..2, with a reader on each."""

    def __init__(self, folder: Path, *, made: bool = False, one_slot: bool = False) -> None:
        """`made`: they are there already, and this reads what is left of them. `one_slot`: each
        holds one report, if its writer is `tests.usb.paced`.
        """
        self.prefix = str(folder / "hidg")
        self._fds = {}
        for number, endpoint in enumerate(ENDPOINTS):
            if not made:
                os.mkfifo(f"{self.prefix}{number}")
            end = os.open(f"{self.prefix}{number}", os.O_RDONLY | os.O_NONBLOCK)
            self._fds[endpoint] = end
            if one_slot:
                fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 4096)

    def read(self, endpoint: Endpoint) -> list[bytes]:
        """Whole reports that have come since the last call; a stray byte is a failure."""
        data = b""
        while chunk := self._chunk(self._fds[endpoint]):
            data += chunk
        length = LENGTHS[endpoint]
        assert len(data) % length == 0, data
        return [data[at : at + length] for at in range(0, len(data), length)]

    def fill(self, endpoint: Endpoint) -> None:
        """Make the FIFO refuse, as a device does whose host has gone to sleep."""
        fd = os.open(f"{self.prefix}{ENDPOINTS.index(endpoint)}", os.O_WRONLY | os.O_NONBLOCK)
        try:
            while True:
                os.write(fd, bytes(LENGTHS[endpoint]))
        except BlockingIOError:
            os.close(fd)

    def close(self) -> None:
        for fd in self._fds.values():
            os.close(fd)

    @staticmethod
    def _chunk(fd: int) -> bytes:
        try:
            return os.read(fd, 65536)
        except BlockingIOError:
            return b""
