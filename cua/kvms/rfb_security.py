"""Handshake of an RFB connection (3.8): version, TLS if the server offers it, login.

A VNC password answers a challenge (DES); a Mac's user and password are encrypted with the Mac's
public key (security type 33).
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable

from ..messages import Message
from ..timeouts import within
from ..tls_contexts import make_unverified_context
from ..types import CuaError
from .rfb_screen import RfbError
from .tls_pinning import fingerprint

VERSION = b"RFB 003.008\n"
NONE, PASSWORD, VENCRYPT, APPLE = 1, 2, 19, 33
"""Security types."""
HELLO_TIMEOUT_S = 3.0
"""Time limit for the version, which a VNC server sends without a request."""
MAX_KEY_BYTES = 4096
TLS_LOGINS = {261: 2, 260: 1, 258: 2, 257: 1}
"""VeNCrypt subtypes, best first -> the login inside: a VNC password (2) or none (1). The first two
have a certificate; the others do not protect against an active attacker."""
WITH_CERTIFICATE = (260, 261)


class LoginRefusedError(Exception):
    """The user or the password is wrong or missing."""


async def log_in(
    reader: StreamReader, writer: StreamWriter, accept: Callable[[str], None], who: tuple[str, str]
) -> None:
    """Log in as `who` (user, password; empty: none), over TLS if the server offers it.

    `accept` gets the fingerprint of the certificate, empty if there is none, before a password is
    sent; it may raise. Raises `LoginRefusedError`, and `CuaError` (`RfbError`), `OSError` or
    `EOFError` if the server violates the protocol.
    """
    offered = await _read_offer(reader, writer)
    if VENCRYPT in offered:
        writer.write(bytes([VENCRYPT]))
        kind = await _start_tls(reader, writer, accept)
    else:
        accept("")
        kind = _choose(offered, user=who[0])
        writer.write(bytes([kind]))
    if kind == PASSWORD:
        await _answer_challenge(reader, writer, who[1])
    elif kind == APPLE:
        await _log_in_to_apple(reader, writer, *who)
    if await reader.readexactly(4) != bytes(4):
        raise LoginRefusedError
    writer.write(b"\1")  # other viewers stay connected


async def _read_offer(reader: StreamReader, writer: StreamWriter) -> bytes:
    """Agree on the version; return the security types that the server offers."""
    try:
        async with within(HELLO_TIMEOUT_S):
            hello = await reader.readexactly(len(VERSION))
    except (asyncio.TimeoutError, asyncio.IncompleteReadError):
        hello = b""
    version = re.fullmatch(rb"RFB (\d{3})\.(\d{3})\n", hello)
    if not version:
        raise CuaError(Message("vnc.not_vnc", place=_place(writer)), setting="kvm")
    if (int(version[1]), int(version[2])) < (3, 8):
        raise RfbError(Message("vnc.old_version"))
    writer.write(VERSION)
    count = (await reader.readexactly(1))[0]
    if not count:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        raise RfbError((await reader.readexactly(min(length, 1000))).decode(errors="replace"))
    return await reader.readexactly(count)


def _place(writer: StreamWriter) -> str:
    host, port, *_ = writer.get_extra_info("peername")
    return f"{host}:{port}"


def _choose(offered: bytes, *, user: str) -> int:
    """Choose a security type. A Mac may offer a login by user as well as a VNC password."""
    wanted = (APPLE, NONE, PASSWORD) if user else (NONE, PASSWORD, APPLE)
    for kind in wanted:
        if kind in offered:
            return kind
    raise RfbError(Message("vnc.unknown_logins", logins=", ".join(map(str, offered))))


async def _start_tls(
    reader: StreamReader, writer: StreamWriter, accept: Callable[[str], None]
) -> int:
    """Switch to TLS by VeNCrypt 0.2; return the security type of the login inside."""
    kind = await _agree(reader, writer)
    certificate = await _secure(reader, writer, anonymous=kind not in WITH_CERTIFICATE)
    accept(fingerprint(certificate) if kind in WITH_CERTIFICATE else "")
    return TLS_LOGINS[kind]


async def _agree(reader: StreamReader, writer: StreamWriter) -> int:
    await reader.readexactly(2)  # the server's version; 0.2 is required
    writer.write(b"\0\2")
    if await reader.readexactly(1) != b"\0":
        raise RfbError(Message("vnc.vencrypt_version"))
    count = (await reader.readexactly(1))[0]
    offered = struct.unpack(f">{count}I", await reader.readexactly(4 * count))
    kind = next((kind for kind in TLS_LOGINS if kind in offered), 0)
    if not kind:
        raise RfbError(Message("vnc.unknown_tls", kinds=str(offered)))
    writer.write(struct.pack(">I", kind))
    if await reader.readexactly(1) != b"\1":
        raise RfbError(Message("vnc.no_tls"))
    return kind


async def _secure(reader: StreamReader, writer: StreamWriter, *, anonymous: bool) -> bytes:
    """Replace `StreamWriter.start_tls` of Python 3.11; return the certificate, if any."""
    loop = asyncio.get_running_loop()
    transport, protocol = writer.transport, writer.transport.get_protocol()
    assert isinstance(transport, asyncio.Transport)
    assert isinstance(protocol, asyncio.StreamReaderProtocol)
    protocol._over_ssl = True  # type: ignore[attr-defined]
    context = make_unverified_context()
    if anonymous:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("aNULL:@SECLEVEL=0")
    secure = await loop.start_tls(transport, protocol, context)
    assert secure
    writer._transport = reader._transport = secure  # type: ignore[attr-defined]
    return secure.get_extra_info("ssl_object").getpeercert(binary_form=True) or b""


async def _answer_challenge(reader: StreamReader, writer: StreamWriter, password: str) -> None:
    if not password:
        raise LoginRefusedError
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    # VNC reverses the bits of each key byte; 3DES with the same key three times is DES.
    key = bytes(int(f"{byte:08b}"[::-1], 2) for byte in password.encode()[:8].ljust(8, b"\0"))
    encryptor = Cipher(TripleDES(key * 3), modes.ECB()).encryptor()  # noqa: S305 - the protocol's
    writer.write(encryptor.update(await reader.readexactly(16)))


async def _log_in_to_apple(
    reader: StreamReader, writer: StreamWriter, user: str, password: str
) -> None:
    if not user or not password:
        raise LoginRefusedError
    writer.write(_packet(b"\0\0\0\0"))
    (length,) = struct.unpack(">6xI", await reader.readexactly(10))
    if length > MAX_KEY_BYTES:
        raise RfbError(Message("vnc.long_key"))
    key = await reader.readexactly(length)
    await reader.readexactly(1)
    session_key = os.urandom(16)
    credentials = _field(user) + _field(password)
    secret, wrapped = _encrypt(key, session_key, credentials)
    writer.write(_packet(b"\0\1" + secret + b"\0\1" + wrapped))
    await reader.readexactly(4)


def _packet(payload: bytes) -> bytes:
    body = b"\1\0RSA1" + payload
    return struct.pack(">I", len(body)) + body


def _field(text: str) -> bytes:
    """Pad the text to 64 bytes: a zero byte, then random bytes."""
    data = text.encode()[:63] + b"\0"
    return data + os.urandom(64 - len(data))


def _encrypt(public_key: bytes, session_key: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Return the data, and the session key encrypted with the public key."""
    from cryptography.hazmat.primitives.asymmetric import padding, rsa
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    key = load_der_public_key(public_key)
    if not isinstance(key, rsa.RSAPublicKey):
        raise RfbError(Message("vnc.no_rsa"))
    encryptor = Cipher(algorithms.AES(session_key), modes.ECB()).encryptor()  # noqa: S305
    return encryptor.update(data), key.encrypt(session_key, padding.PKCS1v15())
