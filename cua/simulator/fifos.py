"""The FIFOs that stand for the USB endpoints.

A forked process reads them and stamps each report with the time of its arrival. It does nothing
else, so neither drawing nor a slow viewer changes the order or the time of the reports.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import struct
import time
from collections.abc import Callable
from pathlib import Path

from .usbhost import LENGTH

OnReport = Callable[[int, bytes, float], None]
RECORD = struct.Struct("<dB8s")
"""Time of arrival, device, and the report, which is as long as that device's reports are."""
MAX_RECORDS_PER_CALL = 64
"""Records that are handled before frames and viewers get their turn."""


class Fifos:
    """DIR/hidg0, hidg1 and hidg2, from now until `close`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = [folder / f"hidg{device}" for device in LENGTH]
        for path in self._paths:
            path.unlink(missing_ok=True)
            os.mkfifo(path, 0o600)
        # Open for writing too: with no writer a FIFO would report its end again and again.
        fds = [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in self._paths]
        self._records, records = os.pipe()
        life, self._life = os.pipe()
        self._rest = b""
        self._delivered_until = 0.0
        self._child = os.fork()
        if self._child == 0:
            os.close(self._life)
            _forward(fds, records, life)
            os._exit(0)
        for fd in (*fds, records, life):
            os.close(fd)

    def connect(self, report: OnReport) -> None:
        """Call `report` in the running loop with device, bytes and time of every report."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._records, self._read_records, report)

    def now(self) -> float:
        """Return the time up to which all reports are known: behind the clock while some wait.

        Time must not overtake the reports, or a key whose release still waits would repeat.
        """
        now = time.monotonic()
        backlog, _, _ = select.select([self._records], [], [], 0)
        return self._delivered_until if backlog else now

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._records)
        os.close(self._life)
        os.waitpid(self._child, 0)
        os.close(self._records)
        for path in self._paths:
            path.unlink(missing_ok=True)

    def _read_records(self, report: OnReport) -> None:
        data = self._rest + os.read(self._records, RECORD.size * MAX_RECORDS_PER_CALL)
        whole = len(data) - len(data) % RECORD.size
        self._rest = data[whole:]
        for at, device, padded in RECORD.iter_unpack(data[:whole]):
            self._delivered_until = at
            report(device, padded[: LENGTH[device]], at)


def _forward(fifos: list[int], records: int, life: int) -> None:
    """Forward reports until the other end of `life` is closed; run by the forked process.

    It never waits for the computer to take the records: a key that is held up here would repeat.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.set_blocking(records, False)
    devices = {fd: device for device, fd in enumerate(fifos)}
    rest, waiting = dict.fromkeys(fifos, b""), b""
    poll = select.poll()
    for fd in (*fifos, life):
        poll.register(fd, select.POLLIN)
    while True:
        poll.register(records, select.POLLOUT if waiting else 0)
        ready = [fd for fd, _ in poll.poll()]
        if life in ready:
            return
        now = time.monotonic()
        for fd in [fd for fd in fifos if fd in ready]:
            packed, rest[fd] = _pack_reports(rest[fd] + os.read(fd, 65536), devices[fd], now)
            waiting += packed
        if waiting:
            waiting = _write_some(records, waiting)


def _pack_reports(data: bytes, device: int, now: float) -> tuple[bytes, bytes]:
    """Return records of the whole reports in `data`, and the beginning of the next report."""
    size = LENGTH[device]
    whole = len(data) - len(data) % size
    reports = (data[i : i + size] for i in range(0, whole, size))
    return b"".join(RECORD.pack(now, device, report) for report in reports), data[whole:]


def _write_some(fd: int, data: bytes) -> bytes:
    """Write as much as fits, and return the rest."""
    with contextlib.suppress(BlockingIOError):
        data = data[os.write(fd, data) :]
    return data
