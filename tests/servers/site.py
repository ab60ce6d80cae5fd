"""A web application on a real uvicorn, with TLS or without: what the KVMs of the tests run on."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import trustme
import uvicorn
from anyio.from_thread import start_blocking_portal
from starlette.types import ASGIApp
from websockets.exceptions import InvalidState


def self_signed(folder: Path, name: str = "kvm.local") -> tuple[Path, Path]:
    """Certificate and key of an unknown authority."""
    made = trustme.CA().issue_cert(name)
    folder.mkdir(exist_ok=True)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    made.cert_chain_pems[0].write_to_path(certificate)
    made.private_key_pem.write_to_path(key)
    return certificate, key


@asynccontextmanager
async def running(
    app: ASGIApp,
    tls: tuple[Path, Path] | None = None,
    port: int = 0,
    lifespan: Literal["on", "off"] = "off",
) -> AsyncIterator[str]:
    """`host:port` of the application while it is served on this machine."""
    files: dict[str, Any] = {"ssl_certfile": tls[0], "ssl_keyfile": tls[1]} if tls else {}
    config = uvicorn.Config(
        app,
        port=port,
        log_config=None,
        lifespan=lifespan,
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
        **files,
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        with suppress(InvalidState):  # uvicorn's fault with a WebSocket that is just being closed
            await task


@contextmanager
def running_in_a_thread(app: ASGIApp) -> Iterator[str]:
    """The same for tests without a loop of their own, as those of the page."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running(app)) as place,
    ):
        yield place


def context(files: tuple[Path, Path]) -> ssl.SSLContext:
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(*files)
    return made
