"""The process: takes requests from its stdin, and lets go on every way out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

from . import wire
from .devices import Devices
from .journal import Journal
from .lamps import Lamps
from .usb import Usb
from .watch import Watch
from .wire import Failed
from .writer import Writer

EARS = 0
LAST_EFFORT = 0.5
"""Seconds that the last release may take; the process has to be gone after one."""
SUCCESSION = 0.9
"""Seconds that a predecessor may take to go."""


def serve(writer: Writer, watch: Watch, lamps: Lamps, told: int) -> None:
    """Until the other side is gone, or `told` says that this process is to end."""
    poll = _poll(EARS, told, watch.fd, lamps.fd)
    while True:
        patience = writer.patience()
        ready = dict(poll.poll(None if patience is None else patience * 1000 + 1))
        if told in ready:
            return
        if watch.fd in ready:
            watch.look(time.monotonic())
        if lamps.fd in ready:
            _read(lamps, poll)
        if EARS in ready:
            request = _hear()
            if not request:
                return
            writer.handle(request)
        writer.tick()


def _poll(*fds: int) -> select.poll:
    """Of those that are open."""
    poll = select.poll()
    for fd in fds:
        if fd >= 0:
            poll.register(fd, select.POLLIN)
    return poll


def _read(lamps: Lamps, poll: select.poll) -> None:
    fd, lit = lamps.fd, lamps.read()
    if lamps.fd < 0:
        poll.unregister(fd)
        _say(wire.ANSWER.pack(wire.LAMPS, wire.MISSING, 0, 0, b""))
    elif lit is not None:
        _say(wire.ANSWER.pack(wire.LAMPS, wire.OK, lit, 0, b""))


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
    if not watch.works:
        sys.stderr.write("Nobody will notice when somebody else types: no inotify to be had.\n")
    devices = kind(prefix, journal, usb, watch, EARS)
    writer = Writer(devices, usb, watch, _say)
    try:
        devices.release()
        _say(wire.ANSWER.pack(wire.HELLO, wire.OK, 0, 0, b""))
        serve(writer, watch, Lamps(f"{prefix}{wire.KEYBOARD}"), told)
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
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)  # the service itself steps back on a KVM
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
