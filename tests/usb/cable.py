"""A USB cable into QEMU, by the usbredir protocol: at its end hangs a KVM, made of FIFOs.

The guest's own USB core and HID drivers enumerate the device and read the very bytes that our
writer put into the FIFOs, one report per interval and only while they poll for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from .descriptors import MISCELLANEOUS, PRODUCT, RELEASE, VENDOR, Descriptors

HELLO, CONNECT, DISCONNECT, INTERFACES, ENDPOINTS = 0, 1, 2, 4, 5
SET_CONFIGURATION, GET_CONFIGURATION, CONFIGURATION = 6, 7, 8
SET_SETTING, GET_SETTING, SETTING = 9, 10, 11
START_POLLING, STOP_POLLING, POLLING = 15, 16, 17
CONTROL, INTERRUPT = 100, 103
OK, STALL = 0, 4
FULL, HIGH = 1, 2
ABILITIES = sum(1 << each for each in (1, 3, 4, 5, 6))
"""Versions, acknowledged disconnects, packet sizes, 64-bit numbers and 32-bit lengths: without the
last three QEMU refuses the device on a USB 3 controller."""
CONTROL_HEAD = struct.Struct("<BBBBHHH")
"""Endpoint, request, type of the request, status, value, index, length."""

GET_DESCRIPTOR, GET_REPORT, GET_STATUS = (0x80, 6), (0xA1, 1), (0x80, 0)
GET_INTERFACE_DESCRIPTOR, SET_REPORT, SET_PROTOCOL = (0x81, 6), (0x21, 9), (0x21, 11)


class Cable(threading.Thread):
    """Makes FIFOs at `<folder>/hidg0..2` and plugs them into the USB port at the socket `port`.

    A thread, because the hands block while they release, and USB goes on meanwhile.
    """

    def __init__(self, folder: Path, port: Path, descriptors: Descriptors | None = None) -> None:
        super().__init__(daemon=True)
        self.prefix = str(folder / "hidg")
        self.polled: set[int] = set()
        """The endpoints for which the host polls now."""
        self.lamps: list[int] = []
        """What the host set the keyboard's lamps to."""
        self.boot_protocol = False
        self.descriptors = descriptors or Descriptors()
        self._ends = [_end(f"{self.prefix}{n}") for n in range(len(self.descriptors.functions))]
        self._next = [0.0] * len(self._ends)
        self._configuration = 0
        self._wide = False
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(port))
        self.start()

    def plug(self) -> None:
        speed = HIGH if self.descriptors.high_speed else FULL
        self._send(INTERFACES, self._interfaces())
        self._send(ENDPOINTS, self._endpoints())
        numbers = (speed, *MISCELLANEOUS, VENDOR, PRODUCT, RELEASE)
        self._send(CONNECT, struct.pack("<BBBBHHH", *numbers))

    def unplug(self) -> None:
        self.polled.clear()
        self._send(DISCONNECT)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self.join()
        self._socket.close()
        for n, fd in enumerate(self._ends):
            os.close(fd)
            Path(f"{self.prefix}{n}").unlink()

    def run(self) -> None:
        with contextlib.suppress(ConnectionError):  # QEMU has gone
            self._send(HELLO, b"kvm".ljust(64, b"\0") + struct.pack("<I", ABILITIES))
            self._play()

    def _play(self) -> None:
        talk = self._socket.fileno()
        while True:
            now = time.monotonic()
            polled = {n: self._next[n] - now for n in range(len(self._ends)) if n in self.polled}
            due = {self._ends[n]: n for n, wait in polled.items() if wait <= 0}
            waits = [wait for wait in polled.values() if wait > 0]
            ready, _, _ = select.select([talk, *due], [], [], min([0.02, *waits]))
            for fd in ready:
                if fd in due:
                    self._take(due[fd])
            if talk in ready and not self._serve():
                return

    def _take(self, endpoint: int) -> None:
        """One report, as the host's poll finds it."""
        report = os.read(self._ends[endpoint], self.descriptors.functions[endpoint].length)
        if report:
            interval = 0.001 if self.descriptors.high_speed else 0.01
            self._next[endpoint] = time.monotonic() + interval
            head = struct.pack("<BBH", 0x81 + endpoint, OK, len(report))
            self._send(INTERRUPT, head + report)

    def _serve(self) -> bool:
        """Answer one message; False when QEMU has gone."""
        head = self._read(16 if self._wide else 12)
        if not head:
            return False
        kind, length, number = struct.unpack("<IIQ" if self._wide else "<III", head)
        self._answer(kind, number, self._read(length))
        return True

    def _answer(self, kind: int, number: int, body: bytes) -> None:
        if kind == HELLO:
            self._wide = True
            self.plug()
        elif kind == CONTROL:
            self._control(number, body)
        elif kind in (SET_CONFIGURATION, GET_CONFIGURATION):
            self._configuration = body[0] if body else self._configuration
            self._send(CONFIGURATION, bytes([OK, self._configuration]), number)
        elif kind in (SET_SETTING, GET_SETTING):
            self._send(SETTING, bytes([OK, body[0], 0]), number)
        elif kind in (START_POLLING, STOP_POLLING):
            change = self.polled.add if kind == START_POLLING else self.polled.discard
            change(body[0] - 0x81)
            self._send(POLLING, bytes([OK, body[0]]), number)
        elif kind == INTERRUPT:  # from the host to the device: the lamps
            self.lamps.append(body[4])
            self._send(INTERRUPT, struct.pack("<BBH", body[0], OK, len(body) - 4), number)

    def _control(self, number: int, body: bytes) -> None:
        endpoint, request, kind, _, value, index, length = CONTROL_HEAD.unpack_from(body)
        answer = self._ask((kind, request), value, index, body[CONTROL_HEAD.size :])
        status = STALL if answer is None else OK
        data = (answer or b"")[:length] if kind & 0x80 else b""
        size = len(data) if kind & 0x80 else length
        head = CONTROL_HEAD.pack(endpoint, request, kind, status, value, index, size)
        self._send(CONTROL, head + data, number)

    def _ask(self, what: tuple[int, int], value: int, index: int, data: bytes) -> bytes | None:
        """The answer of the device, None if it does not know the request."""
        if what == GET_DESCRIPTOR:
            return self.descriptors.get(value >> 8, value & 0xFF)
        if what == GET_INTERFACE_DESCRIPTOR:
            return self.descriptors.of_interface(value >> 8, index)
        if what == GET_REPORT:
            return bytes(self.descriptors.functions[index].length)
        if what == GET_STATUS:
            return b"\3\0"  # has power of its own, can wake the host
        if what == SET_REPORT:
            self.lamps.append(data[0])
        if what == SET_PROTOCOL:
            self.boot_protocol = value == 0
        return None if what[0] & 0x80 else b""

    def _interfaces(self) -> bytes:
        functions = self.descriptors.functions
        columns = (
            range(len(functions)),
            [3] * len(functions),
            [each.subclass for each in functions],
            [each.protocol for each in functions],
        )
        return struct.pack("<I", len(functions)) + b"".join(_row(column) for column in columns)

    def _endpoints(self) -> bytes:
        """Four tables of 32: the endpoints of control, then out 1..15, control, then in 1..15."""
        functions = self.descriptors.functions
        kinds, sizes = [0xFF] * 32, [0] * 32
        intervals, interfaces = bytearray(32), bytearray(32)
        for at in (0, 16):
            kinds[at], sizes[at] = 0, 64
            for n, function in enumerate(functions, 1):
                kinds[at + n], sizes[at + n] = 3, function.length
                intervals[at + n], interfaces[at + n] = self.descriptors.interval, n - 1
        return bytes(kinds) + intervals + interfaces + struct.pack("<32H", *sizes)

    def _send(self, kind: int, body: bytes = b"", number: int = 0) -> None:
        head = struct.pack("<IIQ" if self._wide else "<III", kind, len(body), number)
        with self._lock:
            self._socket.sendall(head + body)

    def _read(self, length: int) -> bytes:
        """Empty at the end."""
        data = b""
        while len(data) < length:
            more = self._socket.recv(length - len(data))
            if not more:
                return b""
            data += more
        return data


def _row(column: Iterator[int] | range | list[int]) -> bytes:
    return bytes(column).ljust(32, b"\0")


def _end(path: str) -> int:
    """A FIFO that holds one report of a paced writer (`tests.usb.paced`)."""
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
    return fd
