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
    from .page import File, Files

PATIENCE = 0.5
"""Seconds that one visitor may take; the others wait so long."""
MAX_HEAD = 8192


class Lobby:
    """Open from the start until `close`; then the listener is the service's."""

    def __init__(self, listener: socket.socket, files: Files, headers: Mapping[str, str]) -> None:
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
            found = self._wanted(visitor.recv(MAX_HEAD, socket.MSG_PEEK))
        except OSError:
            found = None
        if found is None:
            visitor.setblocking(False)
            self._waiting.append(visitor)
            return
        with visitor:
            visitor.recv(MAX_HEAD)
            visitor.sendall(self._answer(*found))

    def _wanted(self, head: bytes) -> tuple[File, Mapping[str, str]] | None:
        """The file that a whole GET request asks for and its headers, None for any other one."""
        first, _, rest = head.decode("latin-1").partition("\r\n")
        method, _, path = first.rpartition(" ")[0].partition(" ")
        if method != "GET" or not head.endswith(b"\r\n\r\n"):
            return None
        asked = _headers(rest)
        file = self._files.find(path.partition("?")[0], asked)
        return (file, asked) if file else None

    def _answer(self, file: File, asked: Mapping[str, str]) -> bytes:
        headers, body = file.answer(asked.get("accept-encoding", ""))
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"HTTP/1.1 200 OK\r\n{told}content-length: {len(body)}\r\n"
            f"connection: close\r\n{self._headers}\r\n"
        )
        return head.encode() + body


def _headers(lines: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in lines.split("\r\n"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}
