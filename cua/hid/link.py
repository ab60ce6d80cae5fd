"""The agent's end of the writer process (`cua.writer`): starts it, asks it, notices when it ends.

Requests are numbered and one is outstanding at a time, so an answer that comes after its task was
cancelled is known for what it is. There is no queue: what is to be dropped was never sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..types import DeviceError
from ..writer import wire

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 2.0
"""Seconds after which a writer that does not answer is taken for stuck; it answers in 0.05."""
AT_ONCE = 0.5
"""The same while the event loop stands still for it."""
STARTING = 5.0
"""The same while it starts, from slow storage."""

_ENDED = (
    "The process that holds the keyboard and mouse ended. It was started again and lets go of "
    "every key. Look at the screen, then send again."
)
_CANNOT_START = (
    "The process that holds the keyboard and mouse cannot start ({reason}). Restart this program; "
    "if that does not help, restart the KVM."
)
_CLOSED = "The keyboard and mouse of this KVM have been put away, so nothing was sent. Send again."


class Answer(NamedTuple):
    kind: int
    status: int
    endpoint: int
    number: int
    detail: str

    @classmethod
    def read(cls, packet: bytes) -> Answer:
        kind, status, endpoint, number, detail = wire.ANSWER.unpack(packet)
        return cls(kind, status, endpoint, number, detail.rstrip(b"\0").decode())


class Link:
    """Runs `python -m <module> <arguments>`, and again when it is needed after it has ended.

    `on_notice` hears what it says unasked.
    """

    def __init__(
        self, module: str, arguments: Sequence[str], on_notice: Callable[[Answer], None]
    ) -> None:
        self._command = [sys.executable, "-S", "-E", "-m", module, *arguments]
        self._on_notice = on_notice
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._socket: socket.socket | None = None
        self._greeting: Answer | None = None
        self._closed = False
        self._start()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._socket else None

    async def ask(self, kind: int, endpoint: int = 0, report: bytes = b"") -> Answer:
        """Raises `DeviceError` if the writer ends instead."""
        number = self._send(kind, endpoint, report)
        loop = asyncio.get_running_loop()
        self._listen(loop)
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting[number] = answer
        # No `wait_for`: before Python 3.12 it loses a cancellation that meets the answer.
        patience = PATIENCE if self._greeting else STARTING
        timer = loop.call_later(patience, self._process.kill)
        try:
            return await answer
        finally:
            timer.cancel()
            del self._waiting[number]

    def ask_now(self, kind: int) -> Answer | None:
        """Asks and waits, with the event loop standing still; None if the writer ended."""
        number = self._send(kind)
        talk, process = self._socket, self._process
        until = time.monotonic() + (AT_ONCE if self._greeting else STARTING)
        while talk is self._socket:
            if not _readable(talk, until):
                process.kill()
                until += PATIENCE
            answer = self._receive()
            if answer and answer.number == number:
                return answer
        return None

    def close(self) -> None:
        """For good. The writer releases and goes by itself when nobody is there any more."""
        self._closed = True
        if self._socket:
            self._hang_up()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(DeviceError(_CLOSED))

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, our own arguments
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                start_new_session=True,  # a Ctrl-C in the terminal is for the agent
            )
        except OSError as error:
            ours.close()
            raise DeviceError(_CANNOT_START.format(reason=error.strerror)) from error
        finally:
            theirs.close()
        ours.setblocking(False)
        self._socket = ours
        self._greeting = None
        if self._loop:
            self._loop.add_reader(ours, self._receive)

    def _send(self, kind: int, endpoint: int = 0, report: bytes = b"") -> int:
        if self._closed:
            raise DeviceError(_CLOSED)
        if not self._socket:
            self._start()
        assert self._socket
        number = next(self._numbers)
        try:
            self._socket.send(wire.REQUEST.pack(kind, endpoint, len(report), number, report))
        except OSError as error:
            self._lost()
            raise DeviceError(_ENDED) from error
        return number

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not loop and self._socket:
            loop.add_reader(self._socket, self._receive)
            self._loop = loop

    def _receive(self) -> Answer | None:
        """The next thing that the writer says, after those who wait for it have been told."""
        assert self._socket
        try:
            packet = self._socket.recv(64)
        except BlockingIOError:
            return None
        except ConnectionError:  # it died with a request unread; its last words are still there
            packet = self._socket.recv(64)
        if not packet:
            self._lost()
            return None
        answer = Answer.read(packet)
        self._hear(answer)
        return answer

    def _hear(self, answer: Answer) -> None:
        if answer.kind == wire.HELLO:
            self._greeting = answer
        elif answer.kind in (wire.STRANGER, wire.STATE, wire.LAMPS):
            self._on_notice(answer)
        elif (waiting := self._waiting.get(answer.number)) and not waiting.done():
            waiting.set_result(answer)

    def _lost(self) -> None:
        """The writer is gone. If it had worked, another one releases what it left."""
        greeting = self._greeting
        self._hang_up()
        for number, waiting in self._waiting.items():
            if waiting.done():
                continue
            if greeting is None:
                waiting.set_exception(DeviceError(_CANNOT_START.format(reason="see its log")))
            elif greeting.status == wire.OK:
                waiting.set_exception(DeviceError(_ENDED))
            else:  # it greeted with its reason not to work
                waiting.set_result(greeting._replace(number=number))
        if greeting and greeting.status == wire.OK:
            with contextlib.suppress(DeviceError):  # the next request tries again and says so
                self._start()

    def _hang_up(self) -> None:
        assert self._socket
        if self._loop:
            self._loop.remove_reader(self._socket)
        self._socket.close()
        self._socket = None
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _readable(talk: socket.socket | None, until: float) -> bool:
    poll = select.poll()
    assert talk
    poll.register(talk, select.POLLIN)
    return bool(poll.poll(max(0.0, until - time.monotonic()) * 1000))
