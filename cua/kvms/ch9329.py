"""The CH9329 and CH32V208: chips with a serial port that act as keyboard and mouse.

A frame is 57 AB, address, command, length, data and the sum of all these bytes; each is answered.
The chip never releases a key by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
from collections import deque
from collections.abc import Callable, Sequence
from typing import BinaryIO

from ..hid.reports import Endpoint
from ..messages import Message
from ..timeouts import wait_for_answer, wait_for_event
from ..types import DeviceError
from . import serial_port
from .hid_link import HidLink

HEADER = b"\x57\xab"
GET_INFO, KEYBOARD, ABSOLUTE, RELATIVE = 0x01, 0x02, 0x04, 0x05
DONE, REFUSED = 0x80, 0xC0
"""Numbers that an answer adds to the command."""
ATTEMPTS = 3
"""Number of times to send a frame that the chip refuses, as after a wrong sum."""
ANSWER_TIMEOUT_S, PROBE_TIMEOUT_S = 1.0, 0.3
"""The chip answers within milliseconds; this process may be late."""
STATE_INTERVAL_S = 0.1
"""Time between requests for the state while nothing else is sent."""
_POINTER = struct.Struct("<BHHb")
_UNCLEAR = ValueError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError
"""Errors that mean no answer, or an invalid one."""
OnState = Callable[[bool, int], None]
"""Gets whether the computer has set up the chip's USB side, and the LEDs as `Kvm.leds` has them."""


def make_frame(command: int, data: bytes = b"") -> bytes:
    frame = HEADER + bytes([0, command, len(data)]) + data
    return frame + _checksum(frame)


def encode(endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
    """See `remote_hid.Encode`.

    Buttons and wheel are sent as the relative mouse: many Linux computers ignore them in packets of
    the absolute one.
    """
    if endpoint == "keyboard":
        return [make_frame(KEYBOARD, now)]
    if endpoint == "mouse":
        return [make_frame(RELATIVE, b"\x01" + now)]
    buttons, x, y, wheel = _POINTER.unpack(now)
    move = make_frame(ABSOLUTE, struct.pack("<BBHHb", 2, 0, _scale(x), _scale(y), 0))
    press = make_frame(RELATIVE, struct.pack("<BBbbb", 1, buttons, 0, 0, wheel))
    presses = before is None or before[0] != buttons or wheel != 0
    moves = before is None or before[1:5] != now[1:5] or not presses
    return [move] * moves + [press] * presses


def _scale(position: int) -> int:
    """Map 0..32767 to 0..4095, rounded up as in `reports.make_pointer_report`."""
    return min(0xFFF, (position + 7) >> 3)


def _checksum(data: bytes) -> bytes:
    return bytes([sum(data) & 0xFF])


class ChipLink(HidLink):
    """The link to a chip. Call `start`, then `serve`."""

    loss = Message("usb.lost")
    baud = ""

    def __init__(self, port: BinaryIO, on_lost: Callable[[], None]) -> None:
        super().__init__(on_lost)
        self._port = port
        self._transport: BinaryIO | asyncio.BaseTransport = port
        """The object that closes the port."""
        self._reader = asyncio.StreamReader()
        self._queue: deque[tuple[int, bytes]] = deque()
        """Frames to send, each with the number of the send that it completes, or 0."""
        self._queued = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self, bauds: Sequence[str]) -> bool:
        """Read the port, and return whether the chip answers at one of these rates."""
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), self._port
        )
        for self.baud in bauds:
            with contextlib.suppress(*_UNCLEAR):
                serial_port.set_baud(self._port.fileno(), self.baud)
                await self._read_state(PROBE_TIMEOUT_S)
                return True
        return False

    def serve(self, on_state: OnState) -> None:
        """Accept messages. `on_state` is called when nothing else was sent for a moment."""
        self.open = True
        self._task = asyncio.ensure_future(self._serve(on_state))

    def drop(self) -> None:
        self._queue.clear()
        self.close()

    def close(self) -> None:
        if self._task:
            self._task.cancel()
        with contextlib.suppress(OSError, ValueError):  # the port is unplugged
            while self._queue:
                self._write(self._queue.popleft()[1])
        self._transport.close()
        self._end()

    def _transmit(self, messages: Sequence[bytes]) -> None:
        *others, last = messages
        self._queue += [*((0, each) for each in others), (self._number, last)]
        self._queued.set()

    async def _serve(self, on_state: OnState) -> None:
        try:
            while True:
                self._queued.clear()
                while self._queue:
                    number, frame = self._queue.popleft()
                    await self._exchange(frame, ANSWER_TIMEOUT_S)
                    self._confirm(number)
                await wait_for_event(self._queued, STATE_INTERVAL_S)
                if not self._queue:
                    on_state(*await self._read_state(ANSWER_TIMEOUT_S))
        except (OSError, *_UNCLEAR):
            self.drop()

    async def _read_state(self, timeout_s: float) -> tuple[bool, int]:
        data = await self._exchange(make_frame(GET_INFO), timeout_s)
        _, attached, leds = data[:3]
        return attached != 0, leds & 7

    async def _exchange(self, request: bytes, timeout_s: float) -> bytes:
        """Send a frame; return the data of the answer. Raises one of `_UNCLEAR` and `OSError`."""
        for _ in range(ATTEMPTS):
            self._write(request)
            reading = asyncio.ensure_future(self._read_answer(request[3]))
            try:
                command, data = await wait_for_answer(reading, timeout_s)
            finally:
                reading.cancel()
            if command & REFUSED == DONE:
                return data
        raise ValueError

    async def _read_answer(self, command: int) -> tuple[int, bytes]:
        """Return command and data of an answer to `command`; skip everything else."""
        while True:
            await self._reader.readuntil(HEADER)
            head = await self._reader.readexactly(3)
            data = await self._reader.readexactly(head[2] + 1)
            correct = _checksum(HEADER + head + data[:-1]) == data[-1:]
            if correct and head[1] >= DONE and head[1] & 0x3F == command:
                return head[1], data[:-1]

    def _write(self, frame: bytes) -> None:
        os.write(self._port.fileno(), frame)


async def connect(path: str, bauds: Sequence[str], on_lost: Callable[[], None]) -> ChipLink:
    """Open a port at the first of `bauds` at which a chip answers.

    Raises `DeviceError` if none does, and `OSError`; `BlockingIOError` if the port is in use.
    """
    port = os.fdopen(serial_port.open_port(path, exclusive=True), "r+b", buffering=0)
    link = ChipLink(port, on_lost)
    try:
        if await link.start(bauds):
            return link
        raise DeviceError(Message("usb.no_chip", device=path, bauds=bauds), setting="kvm")
    except BaseException:
        link.close()
        raise
