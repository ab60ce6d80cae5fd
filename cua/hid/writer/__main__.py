"""The writer process: handles requests from its stdin; always releases everything at its end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

from . import packets
from .device_files import DeviceFiles
from .foreign_writes import ForeignWriteWatcher
from .journal import Journal
from .leds import Leds
from .packets import WriterError
from .request_handler import RequestHandler
from .usb import UsbState

REQUESTS_FD = 0
EXIT_TIMEOUT_S = 0.5
"""Time limit of the last release; the process must end within one second."""
SUCCESSION_TIMEOUT_S = 0.9
"""Time limit for the previous writer to end."""


def serve(handler: RequestHandler, watch: ForeignWriteWatcher, leds: Leds, stop_fd: int) -> None:
    """Handle requests until the client has ended or `stop_fd` is readable."""
    poll = _poll(REQUESTS_FD, stop_fd, watch.fd, leds.fd)
    while True:
        timeout_s = handler.timeout_s()
        ready = dict(poll.poll(None if timeout_s is None else timeout_s * 1000 + 1))
        if stop_fd in ready:
            return
        if watch.fd in ready:
            watch.record_foreign(time.monotonic())
        if leds.fd in ready:
            _read(leds, poll)
        if REQUESTS_FD in ready:
            request = _receive()
            if not request:
                return
            handler.handle(request)
        handler.tick()


def _poll(*fds: int) -> select.poll:
    """Return a poll of the descriptors that are open (not negative)."""
    poll = select.poll()
    for fd in fds:
        if fd >= 0:
            poll.register(fd, select.POLLIN)
    return poll


def _read(leds: Leds, poll: select.poll) -> None:
    fd, bits = leds.fd, leds.read()
    if leds.fd < 0:
        poll.unregister(fd)
        _send(packets.pack_answer(packets.LEDS, packets.MISSING))
    elif bits is not None:
        _send(packets.pack_answer(packets.LEDS, endpoint=bits))


def main(arguments: list[str], kind: type[DeviceFiles] = DeviceFiles) -> None:
    prefix, journal_path, system = arguments
    stop_fd = _signals()
    os.set_blocking(REQUESTS_FD, False)
    _protect_process()
    try:
        journal = _take_over_journal(journal_path)
    except WriterError as failed:
        _send(packets.pack_answer(packets.HELLO, failed.status, detail=failed.detail))
        return
    usb, watch = UsbState(system), ForeignWriteWatcher()
    if watch.fd < 0:
        sys.stderr.write("Input by other programs is not detected: inotify is not available.\n")
    devices = kind(prefix, journal, usb, watch)
    handler = RequestHandler(devices, usb, watch, _send)
    try:
        devices.release()
        _send(packets.pack_answer(packets.HELLO))
        serve(handler, watch, Leds(f"{prefix}{packets.KEYBOARD}"), stop_fd)
    finally:
        _release_on_exit(devices)


def _take_over_journal(path: str) -> Journal:
    """Open the journal once the previous writer has ended. Raises `WriterError` if it does not."""
    until = time.monotonic() + SUCCESSION_TIMEOUT_S
    while True:
        try:
            return Journal(path)
        except WriterError as failed:
            if failed.status != packets.BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _release_on_exit(devices: DeviceFiles) -> None:
    until = time.monotonic() + EXIT_TIMEOUT_S
    while devices.release() and time.monotonic() < until:
        time.sleep(0.01)


def _signals() -> int:
    """Return a descriptor that a signal to end makes readable; no signal interrupts the process."""
    stop_fd, stop_write_fd = os.pipe()
    os.set_blocking(stop_write_fd, False)
    signal.set_wakeup_fd(stop_write_fd)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return stop_fd


def _protect_process() -> None:
    """Become the last process that is killed when memory runs out; keep all pages in memory."""
    with contextlib.suppress(OSError):  # without the rights it runs as before
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"-900")
        os.close(fd)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)  # on a KVM the service has a low priority
    current, future, on_fault = 1, 2, 4
    ctypes.CDLL(None).mlockall(current | future | on_fault)


def _receive() -> bytes:
    """Read a request; empty if the client has ended."""
    try:
        return os.read(REQUESTS_FD, 64)
    except ConnectionResetError:  # the client ended with an unread answer
        return b""


def _send(message: bytes) -> None:
    with contextlib.suppress(OSError):  # the client has ended: the next read returns nothing
        os.write(REQUESTS_FD, message)


if __name__ == "__main__":
    main(sys.argv[1:])
