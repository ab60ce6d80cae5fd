"""The page that is shown while the packages are missing, on the port of the service.

It has the service's style, headers and checks of Host and Origin. The first page may start the
installation, others may watch; when the first page is closed, the next one may.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...messages import Message, to_json
from ...web.origin_guard import find_refusal, list_own_names
from ...web.pages import HEADERS, File, Files
from .job import Job

PAGE_TIMEOUT_S = 10.0
"""A page that sends nothing for so long is taken to be closed."""
IDLE_TIMEOUT_S = 600.0
"""The server ends when no page sends a request for so long."""
END_DELAY_S = 1.5
"""Time in which every page can still see that the installation is done."""


class InstallServer(ThreadingHTTPServer):
    """Answers on `listener`; `serve_forever` returns when the job is done or no page is open.

    `about` is sent with every state, as JSON.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, listener: socket.socket, job: Job, files: Files, about: dict[str, Any]
    ) -> None:
        super().__init__(listener.getsockname()[:2], RequestHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.job, self.files, self.about = job, files, about
        self.names = list_own_names()
        self.installer = ""
        """Token of the page that asked for the installation."""
        self._holder, self._seen, self._visited = "", 0.0, time.monotonic()
        self._lock = threading.Lock()

    def may_start(self, token: str) -> bool:
        """Whether this is the page that came first, or the next one after it was closed."""
        with self._lock:
            self._visited = now = time.monotonic()
            if not self._holder or now - self._seen > PAGE_TIMEOUT_S:
                self._holder = token
            if not token or not secrets.compare_digest(token.encode(), self._holder.encode()):
                return False
            self._seen = now
            return True

    def service_actions(self) -> None:
        """Called by the library twice a second."""
        waiting = self.job.status != "running"
        if waiting and time.monotonic() - self._visited > IDLE_TIMEOUT_S:
            self.end()

    def end(self) -> None:
        """End `serve_forever`; may be called from any thread."""
        threading.Thread(target=self.shutdown, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that closed the connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class RequestHandler(BaseHTTPRequestHandler):
    """One request. Names and signatures are the library's."""

    server: InstallServer
    timeout = 10

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        file = self.server.files.find(address.path, self.headers)
        if not self._check_origin(changes=False):
            return
        if address.path == "/api/install":
            after = parse_qs(address.query).get("after", ["0"])[0]
            self._send_state(int(after) if after.isdecimal() else 0)
        elif file:
            self._send_file(HTTPStatus.OK, file)
        else:
            self._send_json(HTTPStatus.NOT_FOUND, {"error": "There is no such file."})

    def do_POST(self) -> None:
        if not self._check_origin(changes=True):
            return
        if urlsplit(self.path).path != "/api/install":
            self._send_json(HTTPStatus.NOT_FOUND, {"error": "There is no such command."})
        elif not self.server.may_start(self._token):
            self._send_json(HTTPStatus.FORBIDDEN, {"error": Message("install.other_page")})
        else:
            self.server.installer = self._token
            self.server.job.start()
            self._send_state(0)

    @property
    def _token(self) -> str:
        """A random token that the page made when it was opened."""
        return self.headers.get("X-CUA-Token", "")

    def _check_origin(self, *, changes: bool) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        refused = find_refusal(host, origin, "http", self.server.names, changes=changes)
        if refused:
            self._send_json(HTTPStatus(refused[0]), {"error": refused[1]})
        return refused is None

    def _send_state(self, after: int) -> None:
        may = self.server.may_start(self._token)
        state = {**self.server.job.state(after), **self.server.about, "may_start": may}
        self._send_json(HTTPStatus.OK, state)

    def _send_json(self, code: HTTPStatus, words: dict[str, Any]) -> None:
        self._send_file(code, File("application/json", json.dumps(to_json(words)).encode()))

    def _send_file(self, status: HTTPStatus, file: File) -> None:
        headers, body = file.answer(self.headers.get("Accept-Encoding", ""))
        self.send_response_only(status)
        for name, value in {**HEADERS, **headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
