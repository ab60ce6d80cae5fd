"""The uvicorn server of the page; `Listener` accepts its connections."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

import uvicorn

from .listener import Listener

if TYPE_CHECKING:
    from starlette.types import ASGIApp

OPTIONS: dict[str, Any] = {
    "ws": "websockets-sansio",
    "ws_max_size": 64 * 1024,
    "ws_per_message_deflate": False,  # JPEGs do not shrink
    "ws_ping_interval": 5.0,
    "ws_ping_timeout": 5.0,
    # Longer than clients keep a connection, mostly 5 s: a request on a closing one is lost.
    "timeout_keep_alive": 15,
    "limit_concurrency": 512,  # the listener counts by address
    "timeout_graceful_shutdown": 1,
    "lifespan": "off",
    "proxy_headers": False,  # local clients could forge their address
    "access_log": False,
    "log_config": None,
    "server_header": False,
}


class Server(uvicorn.Server):
    """`take_waiting` returns clients that connected before; `close` is awaited at the end."""

    def __init__(
        self,
        app: ASGIApp,
        sock: socket.socket,
        tls: ssl.SSLContext | None,
        take_waiting: Callable[[], Iterable[socket.socket]],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(uvicorn.Config(app, **OPTIONS))
        self._listener = Listener(sock, self._make_protocol, tls)
        self._take_waiting, self._close = take_waiting, close

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        waiting = self._take_waiting()
        await super().startup(sockets)
        self._listener.open(waiting)

    def _make_protocol(self, admitted: asyncio.Event) -> asyncio.Protocol:
        state = {"server_state": self.server_state, "app_state": {"admit": admitted.set}}
        made: asyncio.Protocol = self.config.http_protocol_class(config=self.config, **state)  # type: ignore[call-arg]
        return made

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._listener.close()
        await self._close()
        await super().shutdown(sockets)
