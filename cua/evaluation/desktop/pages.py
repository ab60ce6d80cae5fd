"""Local web pages that report the places of their elements, and what was done to them."""

from __future__ import annotations

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

FOLDER = Path(__file__).parent / "pages"


class Pages:
    """Serves the pages. `state`: the newest report of the visible page."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        handler = partial(_Handler, self, directory=str(FOLDER))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, pages: Pages, *arguments: Any, **options: Any) -> None:
        self._pages = pages
        super().__init__(*arguments, **options)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self._pages.state = json.loads(self.rfile.read(length))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing to stderr."""
