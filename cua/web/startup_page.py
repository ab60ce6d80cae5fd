"""Serves the page's files from a thread while the service is loading.

Loading takes most of a second on a desktop and several on a KVM, whose server opens the page at
once. Requests for anything but a file are not read, and are handed to the service. Needs only the
standard library.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from collections.abc import Mapping

from .pages import HEADERS, File, Files

READ_TIMEOUT_S = 0.5
"""Time to wait for a client's request; other clients wait as long."""
MAX_HEAD_BYTES = 8192


class StartupPage:
    """Serves from its creation until `close`."""

    def __init__(self, listener: socket.socket, files: Files) -> None:
        self.closed = False
        self.files, self._listener = files, listener
        self._waiting: list[socket.socket] = []
        self._wake, self._closing = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> list[socket.socket]:
        """Stop serving; return the clients that wait, unread, for the service."""
        self.closed = True
        os.write(self._closing, b".")
        self._thread.join()
        os.close(self._wake)
        os.close(self._closing)
        return self._waiting

    def answer(self, client: socket.socket) -> bool:
        """Answer a GET of a file. Return False, without reading, for anything else."""
        client.settimeout(READ_TIMEOUT_S)
        try:
            found = self._find_file(client.recv(MAX_HEAD_BYTES, socket.MSG_PEEK))
        except OSError:
            found = None
        if found is None:
            return False
        with client, contextlib.suppress(OSError):
            client.recv(MAX_HEAD_BYTES)
            client.sendall(self.response("200 OK", *found))
        return True

    def response(self, status: str, file: File, asked: Mapping[str, str]) -> bytes:
        """Return a whole HTTP response; `asked`: the headers of the request."""
        headers, body = file.answer(asked.get("accept-encoding", ""))
        headers |= {"content-length": str(len(body)), "connection": "close", **HEADERS}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body

    def _run(self) -> None:
        listener = self._listener.fileno()
        while True:
            ready, _, _ = select.select([listener, self._wake], [], [])
            if self._wake in ready:
                return
            with contextlib.suppress(OSError):
                self._receive(self._listener.accept()[0])

    def _receive(self, client: socket.socket) -> None:
        if not self.answer(client):
            client.setblocking(False)
            self._waiting.append(client)

    def _find_file(self, head: bytes) -> tuple[File, Mapping[str, str]] | None:
        """Return file and headers of a complete GET request for a file, else None."""
        method, path, asked = parse_request(head)
        if method != "GET" or not head.endswith(b"\r\n\r\n"):
            return None
        file = self.files.find(path.partition("?")[0], asked)
        return (file, asked) if file else None


def parse_request(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Return method, target and headers, with names in lower case."""
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, path = first.rpartition(" ")[0].partition(" ")
    pairs = (line.partition(":") for line in lines)
    return method, path, {name.strip().lower(): value.strip() for name, _, value in pairs}
