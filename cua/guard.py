"""What every request has to pass before a route sees it, and the headers on every answer.

A program that types on somebody's computer must not take orders from another web page: changes and
WebSockets need an Origin that is this very address, and a Host that cannot be a rebound name.
CORSMiddleware and FastAPI look at neither for WebSockets, so this is plain ASGI in front of both.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .page import HEADERS

MAX_BODY = 64 * 1024


class Guard:
    """ASGI middleware. `hosts`: names by which this service may be called besides its addresses."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        own = socket.gethostname().lower()
        self._app = app
        self._hosts = {"localhost", own, f"{own}.local", *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, _capped(receive), _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4003})
        else:
            await _answer(_with_headers(send), *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        host = _header(scope, b"host")
        if host is None or not self._is_ours(host):
            return 421, "This service is not known by that name. Open it by its IP address."
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = _header(scope, b"origin")
        secure = scope["scheme"] in ("https", "wss")
        if changes and origin != f"{'https' if secure else 'http'}://{host}":
            return 403, "This was asked for by another web page, so it is refused."
        length = _header(scope, b"content-length") or "0"
        if not length.isdecimal() or int(length) > MAX_BODY:
            return 413, "That is too long: 64 KB at most."
        return None

    def _is_ours(self, host: str) -> bool:
        name = _without_port(host).lower()
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name in self._hosts
        return True


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _header(scope: Scope, name: bytes) -> str | None:
    """The header's value; None where it is missing or given twice."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {key for key, _ in message.get("headers", ())}
            message["headers"] = [
                *message.get("headers", ()),
                *((k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given),
            ]
        await send(message)

    return send_with_headers


def _capped(receive: Receive) -> Receive:
    """Without a Content-Length the body is counted as it comes."""
    seen = 0

    async def receive_capped() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return message if seen <= MAX_BODY else {"type": "http.disconnect"}

    return receive_capped


async def _answer(send: Send, status: int, words: str) -> None:
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
