"""One port for http and https, and no crowd before it.

The first byte of a connection tells which of the two it speaks. Only https lets a phone keep its
screen on, and lets a KVM's Secure cookie come along; http is what the KVM's own page opens. One
address holds so many connections and no more, and one that asks for nothing is closed: nobody can
fill the place up, so that whoever holds the session is heard.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from .types import CuaError
from .within import within

PATIENCE = 5.0
"""Seconds until the first byte, until a TLS handshake is done, and until a request is whole."""
A_TURN = 0.2
"""Seconds in which this loop reads what lies there."""
PER_ADDRESS = 32
"""A browser holds six connections and two WebSockets."""
HANDSHAKE = b"\x16"


def context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Raises `CuaError` for files that are no certificate with its key."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        tls.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise CuaError(
            f"The certificate {certificate} with its key {key} cannot be used: {error}."
        ) from error
    return tls


class Doorway:
    """Accepts visitors on `listener` and gives each a protocol made by `make`."""

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        self._listener, self._make, self._tls = listener, make, tls
        self._inside: dict[str, list[socket.socket]] = defaultdict(list)
        self._arriving: dict[asyncio.Task[None], str] = {}
        self._closed = False

    def open(self, waiting: Iterable[socket.socket] = ()) -> None:
        """`waiting`: visitors who came before, nothing of theirs read yet."""
        self._listener.setblocking(False)
        self._listen()
        for visitor in waiting:
            with contextlib.suppress(OSError):  # gone meanwhile
                self._welcome(visitor, neighbourhood(visitor.getpeername()[0]))

    def close(self) -> None:
        self._closed = True
        asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        for task in list(self._arriving):
            task.cancel()

    def _listen(self) -> None:
        if not self._closed:
            asyncio.get_running_loop().add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        try:
            visitor, place = self._listener.accept()
        except (BlockingIOError, ConnectionError):
            return  # it went away again
        except OSError:  # no file descriptor is left
            asyncio.get_running_loop().remove_reader(self._listener)
            asyncio.get_running_loop().call_later(1.0, self._listen)
            return
        self._welcome(visitor, neighbourhood(place[0]))

    def _welcome(self, visitor: socket.socket, address: str) -> None:
        if self._crowd(address) >= PER_ADDRESS:
            visitor.close()
            return
        visitor.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._receive(visitor, address))
        self._arriving[task] = address
        task.add_done_callback(self._arriving.pop)

    def _crowd(self, address: str) -> int:
        for known, sockets in list(self._inside.items()):
            sockets[:] = [each for each in sockets if _is_open(each)]
            if not sockets:
                del self._inside[known]
        arriving = sum(each == address for each in self._arriving.values())
        return arriving + len(self._inside.get(address, ()))

    async def _receive(self, visitor: socket.socket, address: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            first = await _first_byte(visitor)
            tls = self._tls if first == HANDSHAKE else None
            if not first or (first == HANDSHAKE and tls is None):
                raise ConnectionError
            transport, protocol = await loop.connect_accepted_socket(
                self._make, visitor, ssl=tls, ssl_handshake_timeout=PATIENCE if tls else None
            )
        except (OSError, asyncio.TimeoutError):
            visitor.close()
            return
        except asyncio.CancelledError:
            visitor.close()
            raise
        self._inside[address].append(visitor)
        # in two steps, so that a loop that was held up reads what has come before it judges
        judge = (_close_if_silent, visitor, transport, protocol)
        loop.call_later(PATIENCE, loop.call_later, A_TURN, *judge)


def neighbourhood(address: str) -> str:
    """Whom an address counts as: one host may have 2^64 of IPv6."""
    place = ipaddress.ip_address(address.partition("%")[0])
    if not isinstance(place, ipaddress.IPv6Address):
        return address
    if place.ipv4_mapped:
        return str(place.ipv4_mapped)
    return str(ipaddress.ip_network((place, 64), strict=False))


async def _first_byte(visitor: socket.socket) -> bytes:
    """Left where it is. Raises `BlockingIOError` where none has come in time.

    What has come is taken even if this loop was held up for so long that it looks late.
    """
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(visitor, ready.set)
    try:
        with contextlib.suppress(asyncio.TimeoutError):
            async with within(PATIENCE):
                await ready.wait()
    finally:
        loop.remove_reader(visitor)
    return visitor.recv(1, socket.MSG_PEEK)


def _is_open(visitor: socket.socket) -> bool:
    """A transport closes the socket that it was given; a TLS one cannot be asked afterwards."""
    return visitor.fileno() >= 0


def _close_if_silent(
    visitor: socket.socket, transport: asyncio.Transport, protocol: asyncio.Protocol
) -> None:
    """uvicorn waits for ever for the end of a first request; `cycle` is the one it has."""
    if not _is_open(visitor) or transport.get_protocol() is not protocol:
        return  # gone, or it has become a WebSocket
    if getattr(protocol, "cycle", None) is None:
        transport.abort()
