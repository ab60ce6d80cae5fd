"""The beginning of a VNC connection, over TLS where the server offers that (VeNCrypt).

The library knows logins and screens but no TLS. So the first words are exchanged here; what the
library would hear is put back in front of it, and what it says once more is not sent again.
"""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Callable
from typing import Any

from .trust import NO_CHECK_TIME, fingerprint

VERSION = b"RFB 003.008\n"
VENCRYPT = 19
KINDS = {261: 2, 260: 1, 258: 2, 257: 1}
"""What may be inside, best first -> the login after it: a VNC password (2) or none (1). The first
two show a certificate; the others are safe from listeners, not from somebody in between."""
WITH_CERTIFICATE = (260, 261)


class Opened:
    """What the library writes to: its first words, which were said before, are swallowed.

    `below` is the writer without TLS: were nobody to keep it, it would close the connection.
    """

    def __init__(self, writer: asyncio.StreamWriter, said: int, below: Any = None) -> None:
        self._writer, self._below = writer, below
        self._said = said

    def write(self, data: bytes) -> None:
        rest, self._said = data[self._said :], max(0, self._said - len(data))
        if rest:
            self._writer.write(rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


async def begin(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, accept: Callable[[str], None]
) -> Any:
    """The writer for the library. `accept` gets the fingerprint of the certificate, empty where
    none is shown, before a password is sent; it may raise.

    Raises `ValueError`, `OSError` or `EOFError` where the server does something else.
    """
    hello = await reader.readexactly(len(VERSION))
    if not hello.startswith(b"RFB "):
        raise ValueError("not a VNC server")
    writer.write(VERSION)
    count = await reader.readexactly(1)
    kinds = await reader.readexactly(count[0])
    if VENCRYPT not in kinds:
        accept("")
        reader.feed_data(hello + count + kinds)
        return Opened(writer, len(VERSION))
    writer.write(bytes([VENCRYPT]))
    kind = await _agree(reader, writer)
    # Before TLS, since the server goes on as soon as that stands.
    reader.feed_data(hello + bytes([1, KINDS[kind]]))
    secure = await _secured(reader, writer, anonymous=kind not in WITH_CERTIFICATE)
    try:
        accept(_certificate(secure) if kind in WITH_CERTIFICATE else "")
    except BaseException:
        secure.transport.abort()
        raise
    return Opened(secure, len(VERSION) + 1, writer)


async def _agree(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    await reader.readexactly(2)  # its version; 0.2 is the only one with all of this
    writer.write(b"\0\2")
    if await reader.readexactly(1) != b"\0":
        raise ValueError("it speaks another VeNCrypt")
    count = (await reader.readexactly(1))[0]
    offered = struct.unpack(f">{count}I", await reader.readexactly(4 * count))
    kind = next((kind for kind in KINDS if kind in offered), 0)
    if not kind:
        raise ValueError(f"none of its kinds of TLS is known here: {offered}")
    writer.write(struct.pack(">I", kind))
    if await reader.readexactly(1) != b"\1":
        raise ValueError("it does not begin TLS")
    return kind


async def _secured(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, anonymous: bool
) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = writer.transport, writer.transport.get_protocol()
    assert isinstance(transport, asyncio.Transport)
    assert isinstance(protocol, asyncio.StreamReaderProtocol)
    protocol._over_ssl = True  # type: ignore[attr-defined]  # `start_tls` of Python 3.11 does
    secure = await loop.start_tls(transport, protocol, _context(anonymous=anonymous))
    assert secure
    reader._transport = secure  # type: ignore[attr-defined]
    return asyncio.StreamWriter(secure, protocol, reader, loop)


def _certificate(secure: asyncio.StreamWriter) -> str:
    return fingerprint(secure.get_extra_info("ssl_object").getpeercert(binary_form=True))


def _context(*, anonymous: bool) -> ssl.SSLContext:
    """Whose certificate it is, is judged by its fingerprint."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.verify_flags = ssl.VerifyFlags(context.verify_flags | NO_CHECK_TIME)
    if anonymous:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("aNULL:@SECLEVEL=0")
    return context
