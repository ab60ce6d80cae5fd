"""ASGI middleware: checks Host, Origin and body size of requests, and adds the security headers.

Other web pages must not send commands: changes and WebSockets need an Origin equal to the service's
own address, and a Host that cannot be a rebound name. CORSMiddleware and FastAPI check neither for
WebSockets. `find_refusal` needs only the standard library, as the installer's page uses it too.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..messages import Message, error_body
from .pages import HEADERS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as AsgiMessage

MAX_BODY_BYTES = 128 * 1024
UPLOAD_PATH = "/api/files"
BODY_LIMITS = {
    "/api/kvm/upload": 64 * 2**30,
    UPLOAD_PATH: 11 * 2**20,
    "/api/procedures/file": 8 * 2**20,
    "/api/procedures/find": 8 * 2**20,
}
"""Path -> bytes of its bodies at most, where the general limit is too small."""


def list_own_names() -> set[str]:
    """Return the host names of this machine that requests may have."""
    own = socket.gethostname().lower()
    return {"localhost", own, f"{own}.local"}


def find_refusal(
    host: str | None, origin: str | None, scheme: str, names: Collection[str], *, changes: bool
) -> tuple[int, str] | None:
    """Return status and message for a request that is not from this service's own page, or None.

    `scheme`: http or https; `changes`: whether the request may change anything.
    """
    if host is None or not _is_own_host(host, names):
        return 421, Message("session.unknown_host")
    if changes and origin != f"{scheme}://{host}":
        return 403, Message("session.foreign_origin")
    return None


class Guard:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._names = list_own_names()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import JSONResponse

        refusal = self._refusal(scope)
        is_socket = scope["type"] == "websocket"
        if refusal is None and is_socket:
            await self.app(scope, receive, send)
        elif refusal is None:
            await self.app(scope, _limit_body(scope, receive), _with_headers(send))
        elif is_socket:
            await send({"type": "websocket.close", "code": 4003})
        else:
            status, message = refusal
            await JSONResponse(error_body(message), status)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        refused = find_refusal(host, origin, scheme, self._names, changes=changes)
        if refused:
            return refused
        length = _header(scope, b"content-length") or "0"
        most = _find_body_limit(scope)
        if not length.isdecimal() or int(length) > most:
            return 413, Message("session.body_too_long", limit=most // 1024)
        return None


def _is_own_host(host: str, names: Collection[str]) -> bool:
    name = _without_port(host).lower()
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return name in names
    return True


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _header(scope: Scope, name: bytes) -> str | None:
    """Return the header's value; None if it is missing or repeated."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _with_headers(send: Send) -> Send:
    from starlette.datastructures import MutableHeaders

    async def send_with_headers(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _find_body_limit(scope: Scope) -> int:
    return BODY_LIMITS.get(scope["path"], MAX_BODY_BYTES)


def _limit_body(scope: Scope, receive: Receive) -> Receive:
    """Disconnect if the body is larger than its path allows: its length may be unknown before."""
    seen = 0

    async def receive_capped() -> AsgiMessage:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return message if seen <= _find_body_limit(scope) else {"type": "http.disconnect"}

    return receive_capped
