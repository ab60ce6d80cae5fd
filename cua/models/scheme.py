"""Whether a server that hangs up on HTTP expects HTTPS."""

from __future__ import annotations

import asyncio
import ssl
from urllib.parse import urlsplit

from cua.timeouts import within

HANDSHAKE_TIMEOUT_S = 3.0


async def expects_https(url: str) -> bool:
    """Try a TLS handshake at an http:// URL. Nothing is sent through the connection."""
    parts = urlsplit(url)
    if parts.scheme != "http":
        return False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with within(HANDSHAKE_TIMEOUT_S):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port or 80, ssl=context)
    except (OSError, asyncio.TimeoutError):
        return False
    writer.transport.abort()
    return True
