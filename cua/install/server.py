"""The page that is shown while the packages are missing, on the port of the service.

It has the service's look, its headers and its checks of Host and Origin. Whoever opens it first may
start the installation, everybody may watch; a page that has gone away gives its place to the next.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..guard import known_names, refusal
from ..page import HEADERS, File, Files
from .job import Job

AWAY = 10.0
"""Seconds without a word after which a page is taken to be closed."""
IDLE = 600.0
"""Seconds without any visitor after which nobody is waited for any more."""
LAST_LOOK = 1.5
"""Seconds in which every page can still see that it is done."""


class Front(ThreadingHTTPServer):
    """Answers on `listener` until the job is done or nobody comes; `serve_forever` returns then.

    `about` is what every page is told at first, as JSON.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, listener: socket.socket, job: Job, files: Files, about: dict[str, Any]
    ) -> None:
        super().__init__(listener.getsockname()[:2], Visit, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.job, self.files, self.about = job, files, about
        self.names = known_names()
        self._holder, self._seen, self._visited = "", 0.0, time.monotonic()
        self._lock = threading.Lock()

    def may_start(self, token: str) -> bool:
        """Whether this is the page that came first; its place is free when it has gone."""
        with self._lock:
            self._visited = now = time.monotonic()
            if not self._holder or now - self._seen > AWAY:
                self._holder = token
            if not token or not secrets.compare_digest(token.encode(), self._holder.encode()):
                return False
            self._seen = now
            return True

    def service_actions(self) -> None:
        """Twice a second, by the library."""
        waiting = self.job.status != "running"
        if waiting and time.monotonic() - self._visited > IDLE:
            self.end()

    def end(self) -> None:
        """From any thread."""
        threading.Thread(target=self.shutdown, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who hung up is no fault."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Visit(BaseHTTPRequestHandler):
    """One request. Names and signatures are the library's."""

    server: Front
    timeout = 10

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        file = self.server.files.find(address.path, self.headers)
        if not self._let_in(changes=False):
            return
        if address.path == "/api/install":
            after = parse_qs(address.query).get("after", ["0"])[0]
            self._tell(int(after) if after.isdecimal() else 0)
        elif file:
            self._answer(HTTPStatus.OK, file)
        else:
            self._say(HTTPStatus.NOT_FOUND, {"error": "There is no such file."})

    def do_POST(self) -> None:
        if not self._let_in(changes=True):
            return
        if urlsplit(self.path).path != "/api/install":
            self._say(HTTPStatus.NOT_FOUND, {"error": "There is no such command."})
        elif not self.server.may_start(self._token):
            self._say(
                HTTPStatus.FORBIDDEN, {"error": "Another page was here first. You can watch."}
            )
        else:
            self.server.job.start()
            self._tell(0)

    @property
    def _token(self) -> str:
        """What the page made up for itself when it was opened."""
        return self.headers.get("X-CUA-Token", "")

    def _let_in(self, *, changes: bool) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        refused = refusal(host, origin, "http", self.server.names, changes=changes)
        if refused:
            self._say(HTTPStatus(refused[0]), {"error": refused[1]})
        return refused is None

    def _tell(self, after: int) -> None:
        may = self.server.may_start(self._token)
        state = {**self.server.job.state(after), **self.server.about, "may_start": may}
        self._say(HTTPStatus.OK, state)

    def _say(self, code: HTTPStatus, words: Mapping[str, Any]) -> None:
        self._answer(code, File("application/json", json.dumps(words).encode()))

    def _answer(self, status: HTTPStatus, file: File) -> None:
        headers, body = file.answer(self.headers.get("Accept-Encoding", ""))
        self.send_response_only(status)
        for name, value in {**HEADERS, **headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
