"""Handshake of an RFB connection (3.8): version, TLS if the server offers it, login.

A VNC password answers a challenge (DES); a Mac's user and password are encrypted with the Mac's
public key (security type 33).
"""

from __future__ import annotations

import asyncio
import os
import re
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable

from ..messages import Message
from ..timeouts import within
from ..types import CuaError
from .rfb_screen import RfbError
from .vencrypt import start_tls

VERSION = b"RFB 003.008\n"
NONE, PASSWORD, VENCRYPT, APPLE = 1, 2, 19, 33
"""Security types."""
HELLO_TIMEOUT_S = 3.0
"""A VNC server sends its version first, without a request."""
MAX_KEY_BYTES = 4096


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
        kind = await start_tls(reader, writer, accept)
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
    writer.write(b"\1")  # other viewers may stay


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
