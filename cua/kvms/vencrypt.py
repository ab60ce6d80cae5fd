"""TLS of a VNC connection (VeNCrypt 0.2)."""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Callable

from ..messages import Message
from .rfb_screen import RfbError
from .tls_contexts import unverified
from .tls_pinning import fingerprint

KINDS = {261: 2, 260: 1, 258: 2, 257: 1}
"""VeNCrypt subtypes, best first -> the login inside: a VNC password (2) or none (1). The first two
have a certificate; the others do not protect from an active attacker."""
WITH_CERTIFICATE = (260, 261)


async def start_tls(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, accept: Callable[[str], None]
) -> int:
    """Switch to TLS once VeNCrypt was chosen; return the security type of the login inside.

    `accept` gets the fingerprint of the certificate, empty if there is none; it may raise.
    Raises `RfbError`, `OSError` or `EOFError` if the server violates the protocol.
    """
    kind = await _agree(reader, writer)
    certificate = await _secure(reader, writer, anonymous=kind not in WITH_CERTIFICATE)
    accept(fingerprint(certificate) if kind in WITH_CERTIFICATE else "")
    return KINDS[kind]


async def _agree(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    await reader.readexactly(2)  # its version; 0.2 is required
    writer.write(b"\0\2")
    if await reader.readexactly(1) != b"\0":
        raise RfbError(Message("vnc.vencrypt_version"))
    count = (await reader.readexactly(1))[0]
    offered = struct.unpack(f">{count}I", await reader.readexactly(4 * count))
    kind = next((kind for kind in KINDS if kind in offered), 0)
    if not kind:
        raise RfbError(Message("vnc.unknown_tls", kinds=str(offered)))
    writer.write(struct.pack(">I", kind))
    if await reader.readexactly(1) != b"\1":
        raise RfbError(Message("vnc.no_tls"))
    return kind


async def _secure(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, anonymous: bool
) -> bytes:
    """Do what `StreamWriter.start_tls` does since Python 3.11; return the certificate, if any."""
    loop = asyncio.get_running_loop()
    transport, protocol = writer.transport, writer.transport.get_protocol()
    assert isinstance(transport, asyncio.Transport)
    assert isinstance(protocol, asyncio.StreamReaderProtocol)
    protocol._over_ssl = True  # type: ignore[attr-defined]
    secure = await loop.start_tls(transport, protocol, _context(anonymous=anonymous))
    assert secure
    writer._transport = reader._transport = secure  # type: ignore[attr-defined]
    return secure.get_extra_info("ssl_object").getpeercert(binary_form=True) or b""


def _context(*, anonymous: bool) -> ssl.SSLContext:
    context = unverified()
    if anonymous:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("aNULL:@SECLEVEL=0")
    return context
