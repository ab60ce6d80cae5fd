"""The page on the port of the service while the packages are missing.

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

from ...messages import Message, error_body, to_json
from ...web.origin_guard import find_refusal, list_own_names
from ...web.pages import HEADERS, File, Files
from .errors import Failed
from .installation import Installation
from .pip import find

PAGE_TIMEOUT_S = 10.0
"""Time without a request after which a page counts as closed."""
IDLE_TIMEOUT_S = 600.0
"""Time without a request of any page after which the server ends."""
END_DELAY_S = 1.5
"""Time for every page to see that the installation is done."""


class InstallServer(ThreadingHTTPServer):
    """Answers on `listener`; `note` is shown above the button.

    `serve_forever` returns when the installation is done or no page is open.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, installation: Installation, note: str) -> None:
        super().__init__(listener.getsockname()[:2], InstallRequestHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.installation, self.about = installation, _about(installation, note)
        self.files, self.names = Files("install.html"), list_own_names()
        self.installer = ""
        """Token of the page that requested the installation."""
        self._holder, self._seen, self._visited = "", 0.0, time.monotonic()
        self._lock = threading.Lock()

    def may_start(self, token: str) -> bool:
        """Whether this is the first page, or the next one after it was closed."""
        with self._lock:
            self._visited = now = time.monotonic()
            if not self._holder or now - self._seen > PAGE_TIMEOUT_S:
                self._holder = token
            if not token or not secrets.compare_digest(token.encode(), self._holder.encode()):
                return False
            self._seen = now
            return True

    def service_actions(self) -> None:
        """End the server if no page is open; the library calls this twice a second."""
        waiting = self.installation.status != "running"
        if waiting and time.monotonic() - self._visited > IDLE_TIMEOUT_S:
            self.end_soon()

    def end_soon(self) -> None:
        """End `serve_forever`; may be called from any thread."""
        threading.Timer(END_DELAY_S, self.shutdown).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that closed the connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class InstallRequestHandler(BaseHTTPRequestHandler):
    """Handles one request. Names and signatures are the library's."""

    server: InstallServer
    timeout = 10

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if not self._check_origin(changes=False):
            return
        if address.path == "/api/install":
            after = parse_qs(address.query).get("after", ["0"])[0]
            self._send_state(int(after) if after.isdecimal() else 0)
        elif file := self.server.files.find(address.path, self.headers):
            self._send_file(HTTPStatus.OK, file)
        else:
            self._send_error(HTTPStatus.NOT_FOUND, "Not found")

    def do_POST(self) -> None:
        if not self._check_origin(changes=True):
            return
        if urlsplit(self.path).path != "/api/install":
            self._send_error(HTTPStatus.NOT_FOUND, "Not found")
        elif not self.server.may_start(self._token):
            self._send_error(HTTPStatus.FORBIDDEN, Message("install.other_page"))
        else:
            self.server.installer = self._token
            self.server.installation.start()
            self._send_state(0)

    @property
    def _token(self) -> str:
        """Return the random token of the page."""
        return self.headers.get("X-CUA-Token", "")

    def _check_origin(self, *, changes: bool) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        refused = find_refusal(host, origin, "http", self.server.names, changes=changes)
        if refused:
            self._send_error(*refused)
        return refused is None

    def _send_state(self, after: int) -> None:
        may = self.server.may_start(self._token)
        state = {**self.server.installation.state(after), **self.server.about, "may_start": may}
        self._send_json(HTTPStatus.OK, state)

    def _send_error(self, status: int, message: str) -> None:
        self._send_json(status, error_body(message))

    def _send_json(self, status: int, value: dict[str, Any]) -> None:
        self._send_file(status, File("application/json", json.dumps(value).encode()))

    def _send_file(self, status: int, file: File) -> None:
        headers, body = file.answer(self.headers.get("Accept-Encoding", ""))
        self.send_response_only(status)
        for name, value in {**HEADERS, **headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _about(installation: Installation, note: str) -> dict[str, Any]:
    """Return the page's data besides the state: the missing packages and notes about them."""
    notes = [note] if note else []
    try:
        find(installation.bundle)
    except Failed as no_pip:
        notes.append(no_pip.message)
    shown = ("name", "version", "download", "disk")
    pins = [pin for each in installation.sets if not each.complete for pin in each.pins]
    return {
        "packages": [{name: getattr(pin, name) for name in shown} for pin in pins],
        "outdated": any(each.outdated for each in installation.sets),
        "notes": to_json(notes),
    }
