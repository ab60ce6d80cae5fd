"""The service on its socket: from the lobby's visitors to the last page's leaving."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from typing import Any, Protocol

from . import web
from .access import Access, Everybody, Ladder
from .app import Machine
from .desk import Desk
from .doorway import Doorway, context
from .kvm_login import KvmLogin
from .lobby import Lobby
from .pairing import Board, Codes
from .sockets import Entrance
from .types import CuaError

UVICORN: dict[str, Any] = {
    "ws": "websockets-sansio",
    "ws_max_size": 64 * 1024,
    "ws_per_message_deflate": False,  # JPEGs do not shrink
    "ws_ping_interval": 5.0,
    "ws_ping_timeout": 5.0,
    "limit_concurrency": 512,  # the doorway counts by address
    "timeout_graceful_shutdown": 1,
    "lifespan": "off",
    "proxy_headers": False,  # who is on this machine could say that he is anybody
    "access_log": False,
    "log_config": None,
    "server_header": False,
}


class Served(web.Machine, Protocol):
    """What the page shows and drives, from when the socket is open."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def stop(self) -> None:
        """For a signal: returns at once."""


async def serve(
    machine: Served,
    entrance: Entrance,
    listener: socket.socket,
    lobby: Lobby | None = None,
    tls: ssl.SSLContext | None = None,
) -> None:
    """The service on a listening socket, until it is told to end or the desk is vacated.

    `lobby` has answered the socket so far; those who wait in it are taken over. With `tls` the
    socket speaks https as well.
    """
    import uvicorn

    desk = entrance.desk

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            waiting = lobby.close() if lobby else []
            await super().startup(sockets)
            self._doorway = Doorway(listener, self._protocol, tls)
            self._doorway.open(waiting)

        def _protocol(self) -> asyncio.Protocol:
            state = {"server_state": self.server_state, "app_state": self.lifespan.state}
            made: asyncio.Protocol = config.http_protocol_class(config=config, **state)  # type: ignore[call-arg]
            return made

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            self._doorway.close()
            await machine.close()
            desk.close()  # uvicorn waits for the pages' sockets to end
            await super().shutdown(sockets)

    config = uvicorn.Config(web.create(machine, entrance), **UVICORN)
    server = Server(config)
    await machine.open()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, machine.stop)
    watch = asyncio.create_task(_end_when(desk.vacated, server))
    try:
        await server.serve([])  # the doorway listens
    finally:
        watch.cancel()


async def _end_when(vacated: asyncio.Event, server: Any) -> None:
    await vacated.wait()
    server.should_exit = True


async def run_service(
    machine: Machine,
    listener: socket.socket,
    lobby: Lobby,
    *,
    access: str,
    board: Board,
    tls: ssl.SSLContext | None = None,
) -> None:
    """`access`: "everybody" on this machine, "login" or "first-visitor"; `board`: for its codes.

    Without `tls` the KVM's own certificate serves, if there is one.
    """
    tls = tls or _kvms_own(machine)
    desk = Desk(machine.session, exclusive=access != "everybody", grace=machine.grace)
    machine.screen.wanted = lambda: machine.session.status == "running"
    machine.screen.attended = lambda: desk.attended
    entrance = Entrance(desk, _access(access, machine, board), secure=tls is not None)
    try:
        await serve(machine, entrance, listener, lobby, tls)
    finally:
        board.close()


def _kvms_own(machine: Machine) -> ssl.SSLContext | None:
    """One that cannot be used must not keep the service from http."""
    if machine.kvm_server.certificate is None:
        return None
    try:
        return context(*machine.kvm_server.certificate)
    except CuaError as error:
        machine.log.append("log", level="warning", text=f"{error} This port speaks http only.")
        return None


def _access(kind: str, machine: Machine, board: Board) -> Access:
    if kind == "everybody":
        return Everybody("this machine", equal=True)
    if kind == "first-visitor":
        return Everybody("the first visitor", equal=False)
    codes = Codes(board.tell)
    if board.seen:
        codes.offer()
    return Ladder(KvmLogin(machine.kvm_server), codes, KvmLogin(machine.kvm_server))
