"""Client of the writer process (`cua.hid.writer`): starts it, sends requests, detects its end.

Requests are numbered, so that the answer to a cancelled one is recognised. There is no queue: a
cancelled request is never sent later.
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
from typing import NamedTuple

from ..extras import ROOT
from ..messages import Message, os_reason
from ..types import DeviceError
from .writer import packets

ANSWER_TIMEOUT_S = 2.0
"""Time after which a writer without an answer is killed; it usually answers in 0.05 s."""
BLOCKING_TIMEOUT_S = 0.5
"""The same limit while the event loop is blocked."""
START_TIMEOUT_S = 5.0
"""The same limit while the writer starts from slow storage."""


def ended_error() -> DeviceError:
    return DeviceError(Message("hid.writer_ended"))


def _start_error(reason: str) -> DeviceError:
    return DeviceError(Message("hid.writer_cannot_start", reason=reason))


class Answer(NamedTuple):
    kind: int
    status: int
    endpoint: int
    number: int
    detail: str

    @classmethod
    def read(cls, packet: bytes) -> Answer:
        kind, status, endpoint, number, detail = packets.ANSWER.unpack(packet)
        return cls(kind, status, endpoint, number, detail.rstrip(b"\0").decode())


class WriterLink:
    """Runs `python -m <module> <arguments>`, and starts it again if it has ended.

    `on_notice` gets the answers that belong to no request.
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

    async def ask(
        self, kind: int, endpoint: int = 0, report: bytes = b"", number: int = 0
    ) -> Answer:
        """Send a request and return its answer; `number` repeats an earlier request.

        Raises `DeviceError` if the writer ends instead.
        """
        number = self._send(kind, endpoint, report, number)
        loop = asyncio.get_running_loop()
        if self._loop is not loop and self._socket:
            loop.add_reader(self._socket, self._receive)
            self._loop = loop
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting[number] = answer
        # No `wait_for`: before Python 3.12 it loses a cancellation at the moment of the answer.
        timeout_s = ANSWER_TIMEOUT_S if self._greeting else START_TIMEOUT_S
        timer = loop.call_later(timeout_s, self._process.kill)
        try:
            return await answer
        finally:
            timer.cancel()
            del self._waiting[number]

    def ask_now(self, kind: int) -> Answer | None:
        """Send a request and block until its answer; None if the writer ended."""
        number = self._send(kind)
        connection, process = self._socket, self._process
        until = time.monotonic() + (BLOCKING_TIMEOUT_S if self._greeting else START_TIMEOUT_S)
        while connection is self._socket:
            if not _wait_readable(connection, until):
                process.kill()
                until += ANSWER_TIMEOUT_S
            answer = self._receive()
            if answer and answer.number == number:
                return answer
        return None

    def close(self) -> None:
        """Close the connection: the writer releases everything and ends."""
        self._closed = True
        if self._socket:
            self._hang_up()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(DeviceError(Message("hid.closed")))

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
            raise _start_error(os_reason(error)) from error
        finally:
            theirs.close()
        ours.setblocking(False)
        self._socket = ours
        self._greeting = None
        if self._loop:
            self._loop.add_reader(ours, self._receive)

    def _send(self, kind: int, endpoint: int = 0, report: bytes = b"", number: int = 0) -> int:
        if self._closed:
            raise DeviceError(Message("hid.closed"))
        if not self._socket:
            self._start()
        assert self._socket
        number = number or next(self._numbers)
        try:
            self._socket.send(packets.REQUEST.pack(kind, endpoint, len(report), number, report))
        except OSError as error:
            self._handle_end()
            raise ended_error() from error
        return number

    def _receive(self) -> Answer | None:
        """Read the next answer and pass it on; None if there is none, or the writer ended."""
        assert self._socket
        try:
            packet = self._socket.recv(64)
        except BlockingIOError:
            return None
        except ConnectionError:  # it ended with an unread request; its last answer remains
            packet = self._socket.recv(64)
        if not packet:
            self._handle_end()
            return None
        answer = Answer.read(packet)
        self._dispatch(answer)
        return answer

    def _dispatch(self, answer: Answer) -> None:
        if answer.kind == packets.HELLO:
            self._greeting = answer
        elif answer.kind in (packets.FOREIGN_WRITE, packets.STATE, packets.LEDS):
            self._on_notice(answer)
        elif (waiting := self._waiting.get(answer.number)) and not waiting.done():
            waiting.set_result(answer)

    def _handle_end(self) -> None:
        """Fail waiting requests. If the writer had worked, start a new one, which releases keys."""
        greeting = self._greeting
        self._hang_up()
        for number, waiting in self._waiting.items():
            if waiting.done():
                continue
            if greeting is None:
                waiting.set_exception(_start_error(Message("hid.see_log")))
            elif greeting.status == packets.OK:
                waiting.set_exception(ended_error())
            else:  # its HELLO gave the reason why it does not work
                waiting.set_result(greeting._replace(number=number))
        if greeting and greeting.status == packets.OK:
            with contextlib.suppress(DeviceError):  # the next request tries again and raises
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


def _wait_readable(connection: socket.socket | None, until: float) -> bool:
    poll = select.poll()
    assert connection
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(max(0.0, until - time.monotonic()) * 1000))
