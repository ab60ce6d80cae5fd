"""A CH9329 at the end of a pseudo-terminal, and how it fails."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import struct
import termios
import time
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from cua.hid.reports import Endpoint

Fault = Literal["", "silent", "wrong sum", "garbage first", "refused"]
GET_INFO, KEYBOARD, ABSOLUTE, RELATIVE = 1, 2, 4, 5
GARBAGE = b"\x00\x57\x57\xff\xab\x57"
BITS_PER_BYTE = 10
REQUEST_AND_ANSWER_BYTES = 14 + 7
TIMER_RESOLUTION_S = 0.001
"""Of an event loop, which rounds up."""


@dataclass
class Ch9329:
    """Change the fields while it runs."""

    baud: int = 57600
    attached: bool = True
    leds: int = 0
    paced: bool = False
    """Whether a request and its answer take as long as on a wire."""
    faults: Iterator[Fault] = field(default_factory=lambda: itertools.repeat(""))
    """Of the answers to reports."""
    written: list[tuple[Endpoint, bytes]] = field(default_factory=list)
    """What the computer gets; the relative mouse's buttons are the pointer's."""
    frames: list[bytes] = field(default_factory=list)
    overlaps: int = 0
    """Requests that came before the answer to the one before."""
    wrong_sums: int = 0
    path: str = ""
    _waiting: bool = False
    _at: bytes = bytes(4)
    _buttons: int = 0
    _rest: bytes = b""

    @property
    def wire_s(self) -> float:
        """What a report and its answer take on a wire."""
        return REQUEST_AND_ANSWER_BYTES * BITS_PER_BYTE / self.baud

    def down(self) -> list[Endpoint]:
        """What the computer still has pressed."""
        last = dict(self.written)
        return [e for e, r in last.items() if (any(r) if e == "keyboard" else r[0])]

    @asynccontextmanager
    async def plugged_in(self) -> AsyncIterator[str]:
        """Its device file."""
        self._end, self._line = os.openpty()
        tty.setraw(self._line)
        self.path = os.ttyname(self._line)
        asyncio.get_running_loop().add_reader(self._end, self._read)
        try:
            yield self.path
        finally:
            self.unplug()

    def unplug(self) -> None:
        if self._end >= 0:
            asyncio.get_running_loop().remove_reader(self._end)
            os.close(self._end)
            os.close(self._line)
            self._end = -1

    async def cut(self) -> None:
        """Lose an answer."""
        self.faults = itertools.chain(["silent"], itertools.repeat(""))

    def _read(self) -> None:
        data = os.read(self._end, 4096)
        if termios.tcgetattr(self._line)[5] != getattr(termios, f"B{self.baud}"):
            os.write(self._end, GARBAGE)  # how an answer looks at another rate
            return
        self._rest += data
        while len(self._rest) >= 6 and len(self._rest) >= 6 + self._rest[4]:
            length = 6 + self._rest[4]
            frame, self._rest = self._rest[:length], self._rest[length:]
            self._take(frame)

    def _take(self, frame: bytes) -> None:
        self.overlaps += self._waiting
        if frame[:3] != b"\x57\xab\x00" or sum(frame[:-1]) & 0xFF != frame[-1]:
            self.wrong_sums += 1
            return
        fault: Fault = "" if frame[3] == GET_INFO else next(self.faults)
        if fault != "refused":
            self._execute(frame[3], frame[5:-1])
            self.frames.append(frame)
        if fault != "silent":
            self._waiting = True
            seconds = self.wire_s if self.paced else 0.0
            due, early = time.monotonic() + seconds, seconds - TIMER_RESOLUTION_S
            asyncio.get_running_loop().call_later(early, self._answer, frame[3], fault, due)

    def _execute(self, command: int, data: bytes) -> None:
        if command == KEYBOARD:
            self.written.append(("keyboard", data))
        elif command == ABSOLUTE:
            assert data[:2] == b"\2\0", "many computers ignore these buttons"
            x, y = struct.unpack("<HH", data[2:6])
            assert max(x, y) <= 4095
            self._at = struct.pack("<HH", x * 8, y * 8)
            self.written.append(("pointer", bytes([self._buttons]) + self._at + data[6:]))
        elif command == RELATIVE and any(data[2:4]):
            self.written.append(("mouse", data[1:]))
        elif command == RELATIVE:
            self._buttons = data[1]
            self.written.append(("pointer", data[1:2] + self._at + data[4:]))

    def _answer(self, command: int, fault: Fault, due: float) -> None:
        time.sleep(max(0.0, due - time.monotonic()))
        self._waiting = False
        if self._end < 0:
            return
        data = bytes([0x31, self.attached, self.leds, *bytes(5)]) if command == GET_INFO else b"\0"
        if fault == "refused":
            command, data = command | 0x40, b"\xe4"
        answer = b"\x57\xab" + bytes([0, command | 0x80, len(data)]) + data
        total = sum(answer) + (fault == "wrong sum") & 0xFF
        with contextlib.suppress(BlockingIOError):
            os.write(
                self._end, GARBAGE * (fault == "garbage first") + answer + bytes([total & 0xFF])
            )
