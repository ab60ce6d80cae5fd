"""Accepts HTTP and HTTPS on one port, and limits the connections of an address.

The first byte of a connection distinguishes the two. Only HTTPS lets a phone keep its screen on and
sends a KVM's Secure cookie; the KVM's own page opens HTTP. Connections without a request are
closed. At the limit a new connection replaces the oldest one that is idle or not of an admitted
page, so that a client that fills the limit cannot block a stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..messages import Message
from ..timeouts import within
from ..types import CuaError

FIRST_BYTE_TIMEOUT_S = 5.0
"""Time for the first byte, for a TLS handshake, and for a complete first request."""
READ_TURN_S = 0.2
"""Time for the event loop to read data that has already arrived."""
MAX_PER_ADDRESS = 32
"""Connections of an address; a browser has six and two WebSockets."""
TLS_HANDSHAKE = b"\x16"


def load_tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load a certificate. Raises `CuaError` if the files are not a certificate with its key."""
    if missing := [file for file in (certificate, key) if not file.exists()]:
        raise CuaError(Message("session.no_file", path=str(missing[0])))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        tls.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        message = Message(
            "session.bad_certificate", certificate=str(certificate), key=str(key), reason=str(error)
        )
        raise CuaError(message) from error
    return tls


class HttpConnection(NamedTuple):
    """A connection with uvicorn's protocol, whose `cycle` is the last request and its response.

    `admitted` is set once it has a request or a WebSocket of an admitted page.
    """

    address: str
    """See `address_group`."""
    client: socket.socket
    transport: asyncio.Transport
    protocol: asyncio.Protocol
    admitted: asyncio.Event

    @property
    def is_open(self) -> bool:
        # a TLS transport raises once it has closed its socket
        return self.client.fileno() >= 0

    @property
    def is_idle(self) -> bool:
        """Whether it has no open request."""
        if not self.is_open or self.transport.get_protocol() is not self.protocol:
            return False  # closed, or a WebSocket
        cycle = getattr(self.protocol, "cycle", None)
        return cycle is None or bool(cycle.response_complete)

    def close_if_silent(self) -> None:
        """Close it if no request was complete; uvicorn would wait without end."""
        if self.is_idle and getattr(self.protocol, "cycle", None) is None:
            self.transport.abort()


class Listener:
    """Accepts clients on `listener` and gives each a protocol made by `make`.

    The protocol sets the event that `make` gets when it serves an admitted page.
    """

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[asyncio.Event], asyncio.Protocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        self._listener, self._make, self._tls = listener, make, tls
        self._connections: list[HttpConnection] = []
        self._arriving: dict[asyncio.Task[None], str] = {}
        self._closed = False

    def open(self, waiting: Iterable[socket.socket] = ()) -> None:
        """`waiting`: clients that were accepted before; nothing was read from them."""
        self._listener.setblocking(False)
        self._listen()
        for client in waiting:
            with contextlib.suppress(OSError):  # disconnected
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
            return  # disconnected
        except OSError:  # no file descriptor is left
            asyncio.get_running_loop().remove_reader(self._listener)
            asyncio.get_running_loop().call_later(1.0, self._listen)
            return
        self._admit(client, address_group(place[0]))

    def _admit(self, client: socket.socket, address: str) -> None:
        self._connections = [each for each in self._connections if each.is_open]
        own = [each for each in self._connections if each.address == address]
        arriving = [task for task, at in self._arriving.items() if at == address]
        is_full = len(own) + len(arriving) >= MAX_PER_ADDRESS
        if is_full and not self._make_room(arriving, own):
            client.close()
            return
        client.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._receive(client, address))
        self._arriving[task] = address
        task.add_done_callback(lambda task: self._arriving.pop(task, None))

    def _make_room(
        self, arriving: Sequence[asyncio.Task[None]], own: Sequence[HttpConnection]
    ) -> bool:
        """Close the least needed connection of an address; return False if all are needed."""
        if arriving:
            del self._arriving[arriving[0]]
            arriving[0].cancel()
            return True
        spare = [each for each in own if each.is_idle or not each.admitted.is_set()]
        if spare:
            least = min(spare, key=lambda each: (each.admitted.is_set(), not each.is_idle))
            least.transport.abort()
        return bool(spare)

    async def _receive(self, client: socket.socket, address: str) -> None:
        loop, admitted = asyncio.get_running_loop(), asyncio.Event()
        try:
            first = await _peek_first_byte(client)
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
        connection = HttpConnection(address, client, transport, protocol, admitted)
        self._connections.append(connection)
        # in two steps, so that a delayed event loop reads what has arrived before it decides
        loop.call_later(
            FIRST_BYTE_TIMEOUT_S, loop.call_later, READ_TURN_S, connection.close_if_silent
        )


def address_group(address: str) -> str:
    """Return the key by which an address counts: for IPv6 its /64 network, as a host may own it."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if not isinstance(ip, ipaddress.IPv6Address):
        return address
    return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))


async def _peek_first_byte(client: socket.socket) -> bytes:
    """Peek at the first byte. Raises `BlockingIOError` if it does not arrive in time."""
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
