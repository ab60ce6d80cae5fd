"""A speech dispatcher that records what it would say, in about the time that it would take.

It speaks SSIP, so Orca and its client library are unchanged. What another key cuts short counts as
not spoken.
"""

from __future__ import annotations

import html
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

LETTER_S = 0.012
"""The rate of experienced users."""
CUT = " -/-"
_MARKUP = re.compile(r"<[^>]*>")
_SPOKEN = ("CHAR ", "KEY ")


class SpeechServer:
    """`spoken` are the sentences so far."""

    def __init__(self, address: Path) -> None:
        self.spoken: list[str] = []
        self._waiting: deque[tuple[str, int, socket.socket]] = deque()
        self._changed = threading.Condition()
        self._cancelled = 0
        self._numbers = 0
        self._busy = False
        self._last = time.monotonic()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(address))
        self._listener.listen()
        for work in (self._accept, self._speak_queue):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def is_quiet(self, seconds: float) -> bool:
        """Whether nothing was said for so long, and nothing waits."""
        with self._changed:
            idle = not self._busy and not self._waiting
            return idle and time.monotonic() - self._last > seconds

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[line], daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        """Each command is answered alike; the client looks at the first digit, and for a number."""
        orders = _lines(line)
        for order in orders:
            if order.startswith("SPEAK"):
                line.sendall(b"230 OK RECEIVING DATA\r\n")
                data = "\n".join(iter(lambda: next(orders, "."), "."))
                self._queue(html.unescape(_MARKUP.sub("", data)), line)
            elif order.startswith(_SPOKEN):
                self._queue(order.partition(" ")[2], line)
            elif order.startswith(("CANCEL", "STOP")):
                self._cancel()
            line.sendall(f"225-{self._numbers}\r\n225 OK\r\n".encode())

    def _queue(self, words: str, line: socket.socket) -> None:
        with self._changed:
            self._numbers += 1
            self._waiting.append((words, self._numbers, line))
            self._changed.notify_all()

    def _cancel(self) -> None:
        with self._changed:
            gone = list(self._waiting)
            self._waiting.clear()
            self._cancelled += 1
            self._changed.notify_all()
        for _, number, line in gone:
            _tell(line, number, 703)

    def _speak_queue(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                words, number, line = self._waiting.popleft()
                self._busy, before = True, self._cancelled
            _tell(line, number, 701)
            cut = self._say(words, before)
            with self._changed:
                self.spoken.append(words.strip() + CUT if cut else words.strip())
                self._busy, self._last = False, time.monotonic()
            _tell(line, number, 703 if cut else 702)

    def _say(self, words: str, before: int) -> bool:
        with self._changed:
            long = len(words) * LETTER_S
            return self._changed.wait_for(lambda: self._cancelled != before, long)


def _lines(line: socket.socket) -> Iterator[str]:
    with line, line.makefile(encoding="utf-8", newline="\r\n") as orders:
        for order in orders:
            yield order.removesuffix("\r\n")


def _tell(line: socket.socket, number: int, event: int) -> None:
    try:
        line.sendall(f"{event}-{number}\r\n{event}-1\r\n{event} OK\r\n".encode())
    except OSError:
        return
