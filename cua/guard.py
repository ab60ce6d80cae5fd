"""What every request has to pass before a route sees it, and the headers on every answer.

A program that types on somebody's computer must not take orders from another web page: changes and
WebSockets need an Origin that is this very address, and a Host that cannot be a rebound name.
CORSMiddleware and FastAPI look at neither for WebSockets, so this is plain ASGI in front of both.
`refusal` needs no package, since the installer's page asks it as well.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import time
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from .page import HEADERS
from .within import within

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Message, Receive, Scope, Send

MAX_BODY = 128 * 1024
PATIENCE = 10.0
"""Seconds in which a body has to be here."""


def known_names() -> set[str]:
    """The names by which this machine may be called besides its addresses."""
    own = socket.gethostname().lower()
    return {"localhost", own, f"{own}.local"}


def refusal(
    host: str | None, origin: str | None, scheme: str, names: Collection[str], *, changes: bool
) -> tuple[int, str] | None:
    """Status and sentence for a request that did not come from this service's own page.

    `scheme` is http or https; `changes`: whether it could change anything.
    """
    if host is None or not _is_ours(host, names):
        return 421, "This service is not known by that name. Open it by its IP address."
    if changes and origin != f"{scheme}://{host}":
        return 403, "This was asked for by another web page, so it is refused."
    return None


class Guard:
    """ASGI middleware. `hosts`: names by which this service may be called besides its addresses."""

    def __init__(self, app: FastAPI, hosts: Iterable[str] = ()) -> None:
        self.app = app
        self._names = known_names() | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, _capped(receive), _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4003})
        else:
            await _answer(_with_headers(send), *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        refused = refusal(host, origin, scheme, self._names, changes=changes)
        if refused:
            return refused
        length = _header(scope, b"content-length") or "0"
        if not length.isdecimal() or int(length) > MAX_BODY:
            return 413, "That is too long: 128 KB at most."
        return None


def _is_ours(host: str, names: Collection[str]) -> bool:
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
    """Without a Content-Length the body is counted as it comes; one that stalls is given up."""
    seen, whole = 0, False
    until = time.monotonic() + PATIENCE

    async def receive_capped() -> Message:
        nonlocal seen, whole
        if whole:
            return await receive()
        try:
            async with within(until - time.monotonic()):
                message = await receive()
        except asyncio.TimeoutError:
            return {"type": "http.disconnect"}
        seen += len(message.get("body", b""))
        whole = not message.get("more_body")
        return message if seen <= MAX_BODY else {"type": "http.disconnect"}

    return receive_capped


async def _answer(send: Send, status: int, words: str) -> None:
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
