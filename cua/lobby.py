"""Answers the page's files from a thread while the service itself is still being loaded.

The KVM's server opens the page as soon as it has read our line; loading the packages takes most of
a second on a desktop and several on the KVM. The page holds no data, so it can be shown meanwhile;
whoever wants more waits here unread and is handed to the service. Needs only the standard library.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .page import File

PATIENCE = 0.5
"""Seconds that one visitor may take; the others wait so long."""
MAX_HEAD = 8192


class Lobby:
    """Open from the start until `close`; then the listener is the service's."""

    def __init__(
        self, listener: socket.socket, files: Mapping[str, File], headers: Mapping[str, str]
    ) -> None:
        self._listener, self._files = listener, files
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._waiting: list[socket.socket] = []
        self._wake, self._closing = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> list[socket.socket]:
        """The visitors who wait for the service, nothing of theirs read yet."""
        os.write(self._closing, b".")
        self._thread.join()
        os.close(self._wake)
        os.close(self._closing)
        return self._waiting

    def _run(self) -> None:
        listener = self._listener.fileno()
        while True:
            ready, _, _ = select.select([listener, self._wake], [], [])
            if self._wake in ready:
                return
            with contextlib.suppress(OSError):
                self._receive(self._listener.accept()[0])

    def _receive(self, visitor: socket.socket) -> None:
        visitor.settimeout(PATIENCE)
        try:
            head = visitor.recv(MAX_HEAD, socket.MSG_PEEK)
            file = self._wanted(head)
        except OSError:
            file = None
        if file is None:
            visitor.setblocking(False)
            self._waiting.append(visitor)
            return
        with visitor:
            visitor.recv(MAX_HEAD)
            visitor.sendall(self._answer(file, head))

    def _wanted(self, head: bytes) -> File | None:
        """The file that a whole GET request asks for, None for any other request."""
        method, _, rest = head.partition(b" ")
        if method != b"GET" or not head.endswith(b"\r\n\r\n"):
            return None
        path = rest.partition(b" ")[0].partition(b"?")[0]
        return self._files.get(path.decode("latin-1"))

    def _answer(self, file: File, asked: bytes) -> bytes:
        headers, body = file.answer(_accepted(asked))
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"HTTP/1.1 200 OK\r\n{told}content-length: {len(body)}\r\n"
            f"connection: close\r\n{self._headers}\r\n"
        )
        return head.encode() + body


def _accepted(head: bytes) -> str:
    for line in head.decode("latin-1").lower().split("\r\n"):
        name, _, value = line.partition(":")
        if name == "accept-encoding":
            return value
    return ""
