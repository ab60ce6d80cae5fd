"""The device files /dev/hidg0 (keyboard), 1 (relative mouse) and 2 (absolute pointer).

Nothing blocks. The kernel accepts one report per endpoint and refuses the next until the host has
polled; a report cannot be withdrawn. So it counts as delivered when the device is writable again
and the USB side still configured. A report that the host does not poll stays queued and is
delivered later, exactly once: `wait` continues to wait for it. After a report was given up or
failed, only the release is sent until it is delivered.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import time
from collections.abc import Iterator

from .foreign_writes import ForeignWriteWatcher
from .journal import Journal
from .packets import (
    ASLEEP,
    BROKEN,
    DENIED,
    ENDPOINTS,
    KEYBOARD,
    MISSING,
    NO_READER,
    NOT_TAKEN,
    OK,
    PLAIN_FILE,
    POINTER,
    QUEUED,
    WriterError,
)
from .rules import presses, release_report
from .usb import UsbState

DEADLINE_S = 0.05
"""Time limit of one request; a full-speed host polls every 10 ms."""
RELEASE_DEADLINE_S = 0.03
SPACING_S = 0.001
"""Least time between reports of an endpoint, which a high-speed host keeps up with."""

_EVERYTHING = sum(1 << endpoint for endpoint in ENDPOINTS)
_DISCONNECTED = (errno.ESHUTDOWN, errno.EPIPE)
"""Errors of a disconnected host; it has released everything when it connects again."""
_REASONS = {errno.ENOENT: MISSING, errno.EACCES: DENIED, errno.ENXIO: NO_READER}


class DeviceFiles:
    """The files `<prefix>0..2`, which may be FIFOs."""

    def __init__(
        self, prefix: str, journal: Journal, usb: UsbState, watch: ForeignWriteWatcher
    ) -> None:
        self._prefix = prefix
        self._journal = journal
        self._usb = usb
        self._watch = watch
        self._next = [0.0] * len(ENDPOINTS)
        """`time.monotonic()` from which the next report of each endpoint may be sent."""
        self._open_files: dict[int, tuple[int, bytes, bytes]] = {}
        self._failed = 0
        self._queued: dict[int, bytes] = {}
        """Reports in the kernel that the host has not polled yet, by endpoint."""

    @property
    def pressed_mask(self) -> int:
        """A bit for each endpoint on which a key or button may be pressed."""
        return self._journal.pressed_mask

    @property
    def unreleased_mask(self) -> int:
        """A bit for each endpoint that needs a release before any other report."""
        return self._failed & self._journal.pressed_mask

    def report(self, endpoint: int, report: bytes) -> None:
        """Deliver one report.

        Raises `WriterError` after 50 ms: QUEUED if the kernel accepted it and the host does not
        poll, NOT_TAKEN if the kernel did not accept it.
        """
        self._release_owed(endpoint)
        if not self.pressed_mask:  # all reports were delivered, so closing the file loses none
            self._close_if_replaced(endpoint)
        self._file(endpoint)
        self._failed &= ~(1 << endpoint)
        if presses(endpoint, report):
            self._journal.mark_pressed(endpoint)
        until = time.monotonic() + DEADLINE_S
        with self._note_failure(endpoint):
            self._write(endpoint, report, until)
            self._queued[endpoint] = report
        self.wait(endpoint, until)

    def wait(self, endpoint: int, until: float | None = None) -> None:
        """Wait until the host has received the queued report. Raises as `report` does."""
        if endpoint not in self._queued:  # a later release was accepted
            return
        until = until or time.monotonic() + DEADLINE_S
        with self._note_failure(endpoint):
            self._wait_until_taken(endpoint, until)
        if not presses(endpoint, self._queued.pop(endpoint)):
            self._journal.mark_released(endpoint)

    def give_up(self) -> None:
        """Stop waiting for queued reports; a release is due on their endpoints."""
        for endpoint in self._queued:
            self._failed |= 1 << endpoint
        self._queued.clear()

    def release(self, *, everything: bool = False) -> int:
        """Release all keys and buttons, leaving the pointer where it is; return a status.

        `everything`: also on endpoints without a known press, except the pointer, which a report
        would move.
        """
        status = OK
        wanted = self.pressed_mask | (_EVERYTHING & ~(1 << POINTER) if everything else 0)
        for endpoint in ENDPOINTS:
            if wanted >> endpoint & 1:
                status = self._release(endpoint) or status
        return status

    def _release_owed(self, endpoint: int) -> None:
        """Deliver due releases first; raises `WriterError` if one that matters is not delivered.

        A key that may be pressed changes a click's meaning; a mouse that the host does not poll, as
        on a text console, does not block the keyboard.
        """
        hinders = 1 << KEYBOARD if endpoint == KEYBOARD else _EVERYTHING
        if self.unreleased_mask & hinders:
            status = self.release()
            if self.unreleased_mask & hinders:
                raise WriterError(status, self._usb.state())

    def _release(self, endpoint: int) -> int:
        place = self._journal.place or b""
        if endpoint == POINTER and not place:  # no pointer report was ever delivered
            self._journal.mark_released(endpoint)
            return OK
        until = time.monotonic() + RELEASE_DEADLINE_S
        try:
            self._write(endpoint, release_report(endpoint, place), until)
            self._wait_until_taken(endpoint, until)
        except WriterError as failed:
            self._failed |= 1 << endpoint
            self._close_file(endpoint)  # the node may have been replaced
            if failed.status in (MISSING, NO_READER):  # without a host nothing is pressed
                self._journal.mark_released(endpoint)
            return NOT_TAKEN if failed.status == QUEUED else failed.status
        self._failed &= ~(1 << endpoint)
        self._journal.mark_released(endpoint)
        return OK

    @contextlib.contextmanager
    def _note_failure(self, endpoint: int) -> Iterator[None]:
        """Record a failure, except of a report that `wait` or another attempt may still deliver."""
        try:
            yield
        except WriterError as failed:
            if failed.status not in (QUEUED, NOT_TAKEN):
                self._failed |= 1 << endpoint
                self._queued.pop(endpoint, None)
            if failed.status == ASLEEP:  # one cable: all nodes may have been replaced
                for each in ENDPOINTS:
                    self._close_file(each)
            elif failed.status != QUEUED:
                self._close_file(endpoint)  # the node may have been replaced
            raise

    def _write(self, endpoint: int, report: bytes, until: float) -> None:
        """Write as soon as the kernel accepts it. Raises NOT_TAKEN at `until`."""
        fd, before, after = self._file(endpoint)
        self._keep_spacing(endpoint)
        while not self._try_write(fd, before + report + after):
            if not _wait_writable(fd, until):
                raise WriterError(NOT_TAKEN)
        self._queued.pop(endpoint, None)  # the host has polled it, or this would be refused
        if endpoint == POINTER:
            self._journal.set_place(report[1:5])

    def _keep_spacing(self, endpoint: int) -> None:
        time.sleep(max(0.0, self._next[endpoint] - time.monotonic()))
        self._next[endpoint] = time.monotonic() + SPACING_S

    def _wait_until_taken(self, endpoint: int, until: float) -> None:
        """Wait until the host has polled the report. Raises QUEUED at `until`."""
        taken = _wait_writable(self._file(endpoint)[0], until)
        if not self._usb.is_configured():
            raise WriterError(ASLEEP, self._usb.state())
        if not taken:
            raise WriterError(QUEUED)

    def _try_write(self, fd: int, data: bytes) -> bool:
        """Return whether the kernel accepts it; False while the last one is not polled yet."""
        self._watch.record_foreign(time.monotonic())  # earlier writes are those of other processes
        try:
            os.write(fd, data)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno in _DISCONNECTED:
                raise WriterError(ASLEEP, "disconnected") from error
            raise WriterError(BROKEN, str(error.errno)) from error
        self._watch.discard_own()
        return True

    def _file(self, endpoint: int) -> tuple[int, bytes, bytes]:
        """Return the file descriptor, and the bytes before and after each report."""
        if not self._usb.is_configured():
            raise WriterError(ASLEEP, self._usb.state())
        return self._open_files.get(endpoint) or self._open(endpoint)

    def _open(self, endpoint: int) -> tuple[int, bytes, bytes]:
        report_frame = self._usb.report_frame(endpoint)
        path = f"{self._prefix}{endpoint}"
        try:
            fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise WriterError(_REASONS.get(error.errno or 0, BROKEN), str(error.errno)) from error
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise WriterError(PLAIN_FILE)
        self._watch.watch(path, endpoint)
        self._open_files[endpoint] = (fd, *report_frame)
        return self._open_files[endpoint]

    def _close_if_replaced(self, endpoint: int) -> None:
        """Close a file whose node was replaced, as by a restart of the KVM's USB side."""
        file = self._open_files.get(endpoint)
        if file and not _is_same(file[0], f"{self._prefix}{endpoint}"):
            self._close_file(endpoint)

    def _close_file(self, endpoint: int) -> None:
        if file := self._open_files.pop(endpoint, None):
            os.close(file[0])


def _is_same(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))  # noqa: PTH116 - pathlib is not loaded here
    except FileNotFoundError:
        return False


def _wait_writable(fd: int, until: float) -> bool:
    """Wait until the device is writable; False at `until`."""
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(max(0.0, until - time.monotonic()) * 1000))
