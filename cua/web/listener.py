"""One port for http and https, and no crowd before it.

The first byte of a connection tells which of the two it speaks. Only https lets a phone keep its
screen on, and lets a KVM's Secure cookie come along; http is what the KVM's own page opens. One
address holds so many connections and no more, and one that asks for nothing is closed. Where the
address needs the room, a new one replaces the oldest that has not shown to be of a page that was
let in, so that a client that fills the address cannot keep a stop from arriving.
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
from typing import NamedTuple

from ..timeouts import within
from ..types import CuaError

FIRST_BYTE_TIMEOUT_S = 5.0
"""Seconds until the first byte, until a TLS handshake is done, and until a request is whole."""
READ_TURN_S = 0.2
"""Seconds in which this loop reads what lies there."""
MAX_PER_ADDRESS = 32
"""A browser holds six connections and two WebSockets."""
TLS_HANDSHAKE = b"\x16"


def load_tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Raises `CuaError` for files that are no certificate with its key."""
    if missing := [file for file in (certificate, key) if not file.exists()]:
        raise CuaError(f"There is no file {missing[0]}.")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        tls.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise CuaError(
            f"The certificate {certificate} with its key {key} cannot be used: {error}."
        ) from error
    return tls


class HttpConnection(NamedTuple):
    """One with a protocol of uvicorn's, whose `cycle` is the last request and its response.

    `admitted` is set once a request or a WebSocket on it is of a page that was let in.
    """

    client: socket.socket
    transport: asyncio.Transport
    protocol: asyncio.Protocol
    admitted: asyncio.Event

    @property
    def is_open(self) -> bool:
        """A transport closes the socket that it was given; a TLS one cannot be asked afterwards."""
        return self.client.fileno() >= 0

    @property
    def is_idle(self) -> bool:
        """Whether it has asked for nothing, or for nothing more."""
        if not self.is_open or self.transport.get_protocol() is not self.protocol:
            return False  # gone, or it has become a WebSocket
        cycle = getattr(self.protocol, "cycle", None)
        return cycle is None or bool(cycle.response_complete)

    def close_if_silent(self) -> None:
        """uvicorn waits for ever for the end of a first request."""
        if self.is_idle and getattr(self.protocol, "cycle", None) is None:
            self.transport.abort()


class Listener:
    """Accepts visitors on `listener` and gives each a protocol made by `make`.

    The protocol has to set the event that `make` gets when it serves a page that was let in.
    """

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[asyncio.Event], asyncio.Protocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        self._listener, self._make, self._tls = listener, make, tls
        self._connections: dict[str, list[HttpConnection]] = defaultdict(list)
        self._arriving: dict[asyncio.Task[None], str] = {}
        self._closed = False

    def open(self, waiting: Iterable[socket.socket] = ()) -> None:
        """`waiting`: visitors who came before, nothing of theirs read yet."""
        self._listener.setblocking(False)
        self._listen()
        for client in waiting:
            with contextlib.suppress(OSError):  # gone meanwhile
                self._admit(client, address_group(client.getpeername()[0]))

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
            client, place = self._listener.accept()
        except (BlockingIOError, ConnectionError):
            return  # it went away again
        except OSError:  # no file descriptor is left
            asyncio.get_running_loop().remove_reader(self._listener)
            asyncio.get_running_loop().call_later(1.0, self._listen)
            return
        self._admit(client, address_group(place[0]))

    def _admit(self, client: socket.socket, address: str) -> None:
        if self._count_connections(address) >= MAX_PER_ADDRESS and not self._make_room(address):
            client.close()
            return
        client.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._receive(client, address))
        self._arriving[task] = address
        task.add_done_callback(lambda task: self._arriving.pop(task, None))

    def _count_connections(self, address: str) -> int:
        for known, connections in list(self._connections.items()):
            connections[:] = [each for each in connections if each.is_open]
            if not connections:
                del self._connections[known]
        arriving = sum(each == address for each in self._arriving.values())
        return arriving + len(self._connections.get(address, ()))

    def _make_room(self, address: str) -> bool:
        """Close the oldest connection of `address` that can be spared. False if none can.

        Somebody else at that address may hold them open: who is refused then may want to stop.
        """
        arriving = next((task for task, at in self._arriving.items() if at == address), None)
        if arriving:
            del self._arriving[arriving]
            arriving.cancel()
            return True
        inside = self._connections.get(address, ())
        spared = [each for each in inside if each.is_idle or not each.admitted.is_set()]
        if not spared:
            return False
        order = [(each.admitted.is_set(), not each.is_idle) for each in spared]
        spared[order.index(min(order))].transport.abort()
        return True

    async def _receive(self, client: socket.socket, address: str) -> None:
        loop, admitted = asyncio.get_running_loop(), asyncio.Event()
        try:
            first = await _first_byte(client)
            tls = self._tls if first == TLS_HANDSHAKE else None
            if not first or (first == TLS_HANDSHAKE and tls is None):
                raise ConnectionError
            transport, protocol = await loop.connect_accepted_socket(
                lambda: self._make(admitted),
                client,
                ssl=tls,
                ssl_handshake_timeout=FIRST_BYTE_TIMEOUT_S if tls else None,
            )
        except (OSError, asyncio.TimeoutError):
            client.close()
            return
        except asyncio.CancelledError:
            client.close()
            raise
        connection = HttpConnection(client, transport, protocol, admitted)
        self._connections[address].append(connection)
        # in two steps, so that a loop that was held up reads what has come before it judges
        loop.call_later(
            FIRST_BYTE_TIMEOUT_S, loop.call_later, READ_TURN_S, connection.close_if_silent
        )


def address_group(address: str) -> str:
    """Whom an address counts as: one host may have 2^64 of IPv6."""
    place = ipaddress.ip_address(address.partition("%")[0])
    if not isinstance(place, ipaddress.IPv6Address):
        return address
    if place.ipv4_mapped:
        return str(place.ipv4_mapped)
    return str(ipaddress.ip_network((place, 64), strict=False))


async def _first_byte(client: socket.socket) -> bytes:
    """Left where it is. Raises `BlockingIOError` where none has come in time.

    What has come is taken even if this loop was held up for so long that it looks late.
    """
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(client, ready.set)
    try:
        with contextlib.suppress(asyncio.TimeoutError):
            async with within(FIRST_BYTE_TIMEOUT_S):
                await ready.wait()
    finally:
        loop.remove_reader(client)
    return client.recv(1, socket.MSG_PEEK)
