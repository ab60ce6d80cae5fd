"""The loop of the writer: takes requests, keeps the lease, lets go on every way out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from . import wire
from .devices import Devices
from .journal import Journal
from .rules import acts, allowed, presses
from .usb import Usb
from .watch import Watch
from .wire import Failed

EARS = 0
LEASE = 0.25
"""Seconds that anything may be held without a word. A desktop begins to repeat a key after that."""
RETRY = 0.1
"""Seconds between attempts to deliver a release that is owed."""
SPACING = 0.001
"""Seconds between reports of one endpoint at least: what a high-speed host can take."""
NOTICE = 1.0
"""Seconds between notices that somebody else writes."""
LAST_EFFORT = 0.5
"""Seconds that the last release may take; the process has to be gone after one."""
SUCCESSION = 0.9
"""Seconds that a predecessor may take to go."""


class Writer:
    """Answers each request once, in order.

    When something was released without a word from the agent, because the lease ended or by the
    successor of a writer that was killed, no report that goes on with it held is taken any more.
    """

    def __init__(
        self,
        devices: Devices,
        usb: Usb,
        watch: Watch,
        say: Callable[[bytes], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._devices = devices
        self._usb = usb
        self._watch = watch
        self._say = say
        self._clock = clock
        self._lease = self._retry = self._notice = 0.0
        self._next = [0.0] * len(wire.ENDPOINTS)
        self._forfeit = devices.down
        """A bit for each endpoint that was released behind the agent's back."""

    def patience(self) -> float | None:
        """Seconds until `tick` has something to do."""
        owing = self._devices.owing
        due = [self._retry] if owing else []
        due += [self._lease] if self._devices.down & ~owing else []
        return max(0.0, min(due) - self._clock()) if due else None

    def tick(self) -> None:
        now = self._clock()
        down = self._devices.down
        if down & ~self._devices.owing and now >= self._lease:
            self._forfeit |= down
            self._devices.release()
        if self._devices.owing and now >= self._retry:
            self._retry = now + RETRY
            self._devices.release(yielding=True)
        if now >= self._notice and (endpoint := self._watch.stranger(now)) is not None:
            self._notice = now + NOTICE
            self._say(wire.ANSWER.pack(wire.STRANGER, wire.OK, endpoint, 0, b""))

    def handle(self, request: bytes) -> None:
        """Carry out one request and answer it."""
        number, status, detail = 0, wire.FORBIDDEN, ""
        if len(request) == wire.REQUEST.size:
            kind, endpoint, length, number, report = wire.REQUEST.unpack(request)
            try:
                status, detail = self._carry_out(kind, endpoint, report[:length])
            except Failed as failed:
                status, detail = failed.status, failed.detail
        self._say(wire.ANSWER.pack(wire.DONE, status, 0, number, detail.encode()[:16]))

    def _carry_out(self, kind: int, endpoint: int, report: bytes) -> tuple[int, str]:
        """Returns a status and its detail, or raises `Failed`."""
        if kind == wire.REPORT:
            self._report(endpoint, report)
        elif kind == wire.RENEW:
            self._renew()
        elif kind == wire.QUERY:
            return wire.OK, self._usb.state()
        elif kind in (wire.RELEASE, wire.RELEASE_EVERYTHING):
            self._forfeit = 0
            return self._devices.release(everything=kind == wire.RELEASE_EVERYTHING), ""
        else:
            return wire.FORBIDDEN, ""
        return wire.OK, ""

    def _report(self, endpoint: int, report: bytes) -> None:
        if not allowed(endpoint, report):
            raise Failed(wire.FORBIDDEN)
        if self._forfeit and acts(report, endpoint):
            raise Failed(wire.LET_GO)
        self._pace(endpoint)
        self._renew()
        self._devices.report(endpoint, report)
        if not presses(report, endpoint):
            self._forfeit &= ~(1 << endpoint)

    def _pace(self, endpoint: int) -> None:
        early = self._next[endpoint] - time.monotonic()
        if early > 0:
            time.sleep(early)
        self._next[endpoint] = time.monotonic() + SPACING

    def _renew(self) -> None:
        self._lease = self._clock() + LEASE


def serve(writer: Writer, watch: Watch, told: int) -> None:
    """Until the other side is gone, or `told` says that this process is to end."""
    poll = select.poll()
    for fd in (EARS, watch.fd, told):
        poll.register(fd, select.POLLIN)
    while True:
        patience = writer.patience()
        ready = dict(poll.poll(None if patience is None else patience * 1000 + 1))
        if told in ready:
            return
        if watch.fd in ready:
            watch.look(time.monotonic())
        if EARS in ready:
            request = _hear()
            if not request:
                return
            writer.handle(request)
        writer.tick()


def main(arguments: list[str], kind: type[Devices] = Devices) -> None:
    prefix, journal_path, system = arguments
    told = _signals()
    os.set_blocking(EARS, False)
    _stay()
    try:
        journal = _succeed(journal_path)
    except Failed as failed:
        _say(wire.ANSWER.pack(wire.HELLO, failed.status, 0, 0, failed.detail.encode()[:16]))
        return
    usb, watch = Usb(system), Watch()
    devices = kind(prefix, journal, usb, watch, EARS)
    writer = Writer(devices, usb, watch, _say)
    try:
        devices.release()
        _say(wire.ANSWER.pack(wire.HELLO, wire.OK, 0, 0, b""))
        serve(writer, watch, told)
    finally:
        _leave(devices)


def _succeed(path: str) -> Journal:
    """The journal, when a predecessor has gone. Raises `Failed` if it does not go."""
    until = time.monotonic() + SUCCESSION
    while True:
        try:
            return Journal(path)
        except Failed as failed:
            if failed.status != wire.BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _leave(devices: Devices) -> None:
    until = time.monotonic() + LAST_EFFORT
    while devices.release() and time.monotonic() < until:
        time.sleep(0.01)


def _signals() -> int:
    """Becomes readable when this process is told to end; nothing is cut short by a signal."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return told


def _stay() -> None:
    """Be the last that is killed for want of memory, and never wait for a page of our own."""
    with contextlib.suppress(OSError):  # without the rights we do as everybody does
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"-900")
        os.close(fd)
    current, future, on_fault = 1, 2, 4
    ctypes.CDLL(None).mlockall(current | future | on_fault)


def _hear() -> bytes:
    """Empty if the other side is gone."""
    try:
        return os.read(EARS, 64)
    except ConnectionResetError:  # it went with an answer unread
        return b""


def _say(message: bytes) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more: the next read says so
        os.write(EARS, message)


if __name__ == "__main__":
    main(sys.argv[1:])
