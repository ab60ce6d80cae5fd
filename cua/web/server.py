"""Serve the application on a listening socket; with --auth until the last page has left."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..messages import Message
from ..types import CuaError
from . import priority
from .auth.access import Access, Authenticator, OpenAccess
from .auth.kvm_login import KvmLogin
from .auth.pairing import CodeDisplay, PairingCodes
from .listener import load_tls_context
from .page_sockets import Admission
from .session_ownership import SessionOwnership
from .startup_page import StartupPage

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ..app.machine import Machine
    from .fleet.fleet import Fleet

LOWER_PRIORITY_AFTER_S = 3.0
"""Time after loading, so that a waiting page has connected."""


async def serve(
    app: ASGIApp,
    service: Machine | Fleet,
    ownership: SessionOwnership,
    listener: socket.socket,
    startup_page: StartupPage | None = None,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Open `service`, serve `app` until a signal or until the session has expired, and close it.

    `startup_page` has served the socket so far; its waiting clients are served too. With `tls` the
    socket accepts HTTPS as well. Raises the error if the API cannot be imported.
    """
    from .uvicorn_server import Server

    stopping: list[asyncio.Task[None]] = []

    def stop() -> None:
        reason = Message("session.stopped_by_signal")
        stopping.append(asyncio.create_task(service.session.stop(reason)))

    def end() -> None:
        server.should_exit = True

    async def close() -> None:
        await service.close()
        ownership.closing.set()  # uvicorn waits for the pages' sockets to end

    take_waiting = startup_page.close if startup_page else list
    server = Server(app, listener, tls, take_waiting, close)
    await service.open()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, stop)
    # Replaced, so that `close` runs. If removed, a signal during the imports would be lost.
    loop.add_signal_handler(signal.SIGINT, end)
    waiter = asyncio.create_task(ownership.expired.wait())
    waiter.add_done_callback(lambda _: end())
    try:
        await server.serve([])  # `Listener` accepts
    finally:
        waiter.cancel()
    if ownership.failure:
        raise ownership.failure


async def run_service(
    service: Machine | Fleet,
    create: Callable[[Admission], ASGIApp],
    listener: socket.socket,
    startup_page: StartupPage,
    *,
    access: str,
    code_display: CodeDisplay,
    tls: ssl.SSLContext | None = None,
    on_kvm: bool = False,
    installer: str = "",
) -> None:
    """Create the application and serve it until the last page has left.

    `access`: "everybody" on this machine, "login" or "first-visitor"; `code_display` shows pairing
    codes; `installer`: token of the page for which the session is reserved.

    Without `tls` the KVM's own certificate is used, if there is one. `on_kvm`: this machine is the
    KVM, whose video gets priority once the page has connected.
    """
    if on_kvm:
        asyncio.get_running_loop().call_later(LOWER_PRIORITY_AFTER_S, priority.lower_priority)
    tls = tls or _load_kvm_tls(service)
    ownership = SessionOwnership(
        service.session, exclusive=access != "everybody", grace=service.grace
    )
    ownership.reserve(installer)
    admission = Admission(ownership, _access(access, service, code_display), secure=tls is not None)
    try:
        await serve(create(admission), service, ownership, listener, startup_page, tls)
    finally:
        code_display.close()


def _load_kvm_tls(service: Machine | Fleet) -> ssl.SSLContext | None:
    """Load the KVM's own certificate; None if there is none or it is unusable."""
    if service.kvm_server.certificate is None:
        return None
    try:
        return load_tls_context(*service.kvm_server.certificate)
    except CuaError as error:
        service.log.note("warning", Message("session.http_only", why=error.message))
        return None


def _access(kind: str, service: Machine | Fleet, code_display: CodeDisplay) -> Access:
    if kind == "everybody":
        return OpenAccess(Message("session.this_machine"), may_displace=True)
    if kind == "first-visitor":
        return OpenAccess(Message("session.first_visitor"), may_displace=False)
    codes = PairingCodes(code_display.show, code_display.withdraw)
    if code_display.is_interactive:
        codes.offer()
    return Authenticator(KvmLogin(service.kvm_server), codes, KvmLogin(service.kvm_server))
