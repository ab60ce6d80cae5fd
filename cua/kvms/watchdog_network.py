"""The network part of the watchdog process, for remote KVMs: connect and release everything.

For the local KVM, `hid/writer/__main__.py` does it.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence

from .. import tls_contexts
from ..timeouts import within
from ..types import CuaError
from .jetkvm_link import SIGNALING_PATH, RpcLink
from .websocket_link import connect

TIMEOUT_S = 10.0
JETKVM = "jetkvm+"
REPEAT_DELAYS_S = (0.0, 0.03, 0.15, 0.5)
"""Delays before each send: a KVM may drop a report, or read the agent's last one late."""


def send(url: str, headers: Mapping[str, str], certificate: str, messages: Sequence[bytes]) -> None:
    """Send the messages; return when the KVM has read them. Raises `OSError`."""
    try:
        asyncio.run(_send(url, headers, certificate, messages))
    except (CuaError, asyncio.TimeoutError) as error:
        raise OSError(str(error)) from error


async def _send(
    url: str, headers: Mapping[str, str], certificate: str, messages: Sequence[bytes]
) -> None:
    """Check the certificate, then log in and send the messages."""
    web_url = url.removeprefix(JETKVM)
    tls = tls_contexts.make_client_context(certificate) if web_url.startswith("https") else None
    send = _send_to_jetkvm if url.startswith(JETKVM) else _send_over_websocket
    async with within(TIMEOUT_S):
        await send(web_url, tls, headers, messages)


async def _send_over_websocket(
    url: str, tls: ssl.SSLContext | None, headers: Mapping[str, str], messages: Sequence[bytes]
) -> None:
    link = await connect(url, tls, headers, lambda _: None, lambda: None)
    try:
        for delay_s in REPEAT_DELAYS_S:
            await asyncio.sleep(delay_s)
            await link.deliver(messages)
    finally:
        link.close()


async def _send_to_jetkvm(
    url: str, tls: ssl.SSLContext | None, headers: Mapping[str, str], messages: Sequence[bytes]
) -> None:
    link = RpcLink(lambda: messages, lambda *_: None, lambda _: None, lambda: None)
    try:
        url += SIGNALING_PATH
        await link.start(await connect(url, tls, headers, link.receive_signal, lambda: None))
        await link.deliver(messages)
    finally:
        link.close()
        await link.closed()
