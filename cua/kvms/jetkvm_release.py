"""What the watchdog process does at a JetKVM: open a session of its own and release everything."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from .. import tls_contexts
from ..timeouts import within
from ..types import CuaError
from .jetkvm_link import SIGNALING_PATH, RpcLink
from .websocket_link import connect

TIMEOUT_S = 10.0


def send(url: str, headers: Mapping[str, str], certificate: str, messages: Sequence[bytes]) -> None:
    """Return when the computer has the requests. Raises `OSError`."""
    try:
        asyncio.run(_send(url, headers, certificate, messages))
    except (CuaError, asyncio.TimeoutError) as error:
        raise OSError(str(error)) from error


async def _send(
    url: str, headers: Mapping[str, str], certificate: str, messages: Sequence[bytes]
) -> None:
    tls = tls_contexts.make_client_context(certificate) if urlsplit(url).scheme == "https" else None
    link = RpcLink(lambda: messages, lambda *_: None, lambda _: None, lambda: None)
    try:
        async with within(TIMEOUT_S):
            await link.start(
                await connect(url + SIGNALING_PATH, tls, headers, link.receive_signal, lambda: None)
            )
            await link.deliver(messages)
    finally:
        link.close()
        await link.closed()
