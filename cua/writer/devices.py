"""The device files /dev/hidg0 (keyboard), 1 (relative mouse) and 2 (absolute pointer).

Non-blocking throughout. The kernel takes one report per endpoint and refuses the next until the
host has polled; there is no taking back. So a report counts as delivered when the device is
writable again with the USB side still configured, and after one that does not, nothing but the
release goes out until that is delivered.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time

from .journal import Journal
from .pace import Pace
from .rules import presses, released
from .usb import Usb
from .watch import Watch
from .wire import (
    ASLEEP,
    BROKEN,
    DENIED,
    ENDPOINTS,
    INTERRUPTED,
    KEYBOARD,
    MISSING,
    NOBODY,
    NOT_TAKEN,
    OK,
    PLAIN_FILE,
    POINTER,
    Failed,
)

DEADLINE = 0.05
"""Seconds that a report may wait for the host; a full-speed one polls every 10 ms."""
RELEASE_DEADLINE = 0.03

_EVERYTHING = sum(1 << endpoint for endpoint in ENDPOINTS)
_REASONS = {errno.ENOENT: MISSING, errno.EACCES: DENIED, errno.ENXIO: NOBODY}


class Devices:
    """`<prefix>0..2`, which may be FIFOs that stand for them; `ears` interrupts a report."""

    def __init__(
        self,
        prefix: str,
        journal: Journal,
        usb: Usb,
        watch: Watch,
        ears: int,
        pace: Pace | None = None,
    ) -> None:
        self._prefix = prefix
        self._journal = journal
        self._usb = usb
        self._watch = watch
        self._ears = ears
        self._pace = pace or Pace()
        self._open_files: dict[int, tuple[int, bytes, bytes]] = {}
        self._failed = 0

    @property
    def down(self) -> int:
        """A bit for each endpoint on which something may be held."""
        return self._journal.down

    @property
    def owing(self) -> int:
        """A bit for each endpoint that owes a release before anything else."""
        return self._failed & self._journal.down

    def report(self, endpoint: int, report: bytes) -> None:
        """Deliver one report, or raise `Failed` after 50 ms, at once when `ears` are spoken to."""
        self._settle(endpoint)
        self._need(endpoint)
        pressing = presses(report, endpoint)
        if pressing:
            self._journal.press(endpoint)
        try:
            self._put(endpoint, report, time.monotonic() + DEADLINE, self._ears)
        except Failed:
            self._failed |= 1 << endpoint
            raise
        self._failed &= ~(1 << endpoint)
        if not pressing:
            self._journal.let_go(endpoint)

    def release(self, *, everything: bool = False, yielding: bool = False) -> int:
        """All keys and buttons up, the pointer where it is; returns a status.

        With `everything` also what is not known to be down. The pointer is left alone then, since
        a report would move it to a place of our choosing. `yielding` gives up when `ears` are
        spoken to.
        """
        status = OK
        wanted = self.down | (_EVERYTHING & ~(1 << POINTER) if everything else 0)
        for endpoint in ENDPOINTS:
            if wanted >> endpoint & 1:
                status = self._release(endpoint, self._ears if yielding else None) or status
        return status

    def _settle(self, endpoint: int) -> None:
        """What is owed comes first. A key that may be held changes what a click means; a mouse
        that nobody polls, as on a text console, does not keep the keyboard from working."""
        hinders = 1 << KEYBOARD if endpoint == KEYBOARD else _EVERYTHING
        if self.owing & hinders:
            status = self.release()
            if self.owing & hinders:
                raise Failed(status, self._usb.state())

    def _release(self, endpoint: int, ears: int | None) -> int:
        place = self._journal.place or b""
        if endpoint == POINTER and not place:  # no pointer report was ever taken
            self._journal.let_go(endpoint)
            return OK
        try:
            until = time.monotonic() + RELEASE_DEADLINE
            self._put(endpoint, released(endpoint, place), until, ears)
        except Failed as failed:
            self._failed |= 1 << endpoint
            if failed.status in (MISSING, NOBODY):  # and so nobody who could hold anything
                self._journal.let_go(endpoint)
            return failed.status
        self._failed &= ~(1 << endpoint)
        self._journal.let_go(endpoint)
        return OK

    def _put(self, endpoint: int, report: bytes, until: float, ears: int | None) -> None:
        """Write, and wait until the host has taken it."""
        fd, before, after = self._need(endpoint)
        self._pace.keep(endpoint)
        try:
            while not self._write(fd, before + report + after):
                _wait(fd, until, ears)
            if endpoint == POINTER:
                self._journal.move(report[1:5])
            _wait(fd, until, ears)
        except Failed as failed:
            if failed.status != INTERRUPTED:
                self._forget(endpoint)  # the node may have been made anew
            raise
        if not self._usb.configured():
            raise Failed(ASLEEP, self._usb.state())

    def _write(self, fd: int, data: bytes) -> bool:
        """Whether the kernel took it; False if the host has not polled the last one yet."""
        self._watch.look(time.monotonic())  # what came until now was not ours
        try:
            os.write(fd, data)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno == errno.ESHUTDOWN:
                raise Failed(ASLEEP, "disconnected") from error
            status = NOT_TAKEN if error.errno == errno.EPIPE else BROKEN
            raise Failed(status, error.strerror) from error
        self._watch.skip()
        return True

    def _need(self, endpoint: int) -> tuple[int, bytes, bytes]:
        """The file, and what goes before and after each of its reports."""
        if not self._usb.configured():
            raise Failed(ASLEEP, self._usb.state())
        return self._open_files.get(endpoint) or self._open(endpoint)

    def _open(self, endpoint: int) -> tuple[int, bytes, bytes]:
        frame = self._usb.frame(endpoint)
        path = f"{self._prefix}{endpoint}"
        try:
            fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise Failed(_REASONS.get(error.errno or 0, BROKEN), error.strerror) from error
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise Failed(PLAIN_FILE)
        self._watch.follow(path, endpoint)
        self._open_files[endpoint] = (fd, *frame)
        return self._open_files[endpoint]

    def _forget(self, endpoint: int) -> None:
        os.close(self._open_files.pop(endpoint)[0])


def _wait(fd: int, until: float, ears: int | None) -> None:
    """Until the device is writable. Raises `Failed` at the deadline or when somebody speaks."""
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    if ears is not None:
        poll.register(ears, select.POLLIN)
    ready = dict(poll.poll(max(0.0, until - time.monotonic()) * 1000))
    if fd in ready:
        return
    raise Failed(INTERRUPTED if ready else NOT_TAKEN)
