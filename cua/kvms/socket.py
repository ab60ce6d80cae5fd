"""A WebSocket whose sends cannot be cancelled half-way: they are over before anybody else runs.

A release that had to be awaited would be none, so the protocol library's own state machine is used
here without its event loop. Every send ends with a ping; its pong says that the KVM's server has
read all before it, which is what the hands wait for before the next report.
"""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..types import CuaError, DeviceError
from ..within import within
from .trust import unreachable

PATIENCE = 2.0
"""Seconds that an answer may take; then the link is dropped, with all that was still to be sent."""
OPENING = 5.0
PING = struct.Struct(">I")

_GONE = "The KVM closed the connection to its keyboard and mouse. It is opened again; send again."
_SILENT = (
    "The KVM does not answer on the connection to its keyboard and mouse, so it was dropped. "
    "Check the network between here and the KVM, then send again."
)


class Refused(CuaError):
    """The server does not open a WebSocket here; `status` is that of its HTTP answer."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Socket(asyncio.Protocol):
    """One connection. `heard` gets every message that comes; `lost` is called once at its end."""

    def __init__(
        self, machine: Any, heard: Callable[[str | bytes], None], lost: Callable[[], None]
    ) -> None:
        self._machine = machine
        self._heard, self._lost = heard, lost
        self._transport: asyncio.Transport | None = None
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._number = 0
        self._parts = b""
        self.open = False
        self._beat: asyncio.TimerHandle | None = None

    def send(self, messages: Sequence[bytes]) -> asyncio.Future[None]:
        """Sends now. The future is done when the KVM has read them, or failed with the link."""
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        read.add_done_callback(_seen)
        if not self.open:
            read.set_exception(DeviceError(_GONE))
            return read
        self._number += 1
        self._waiting[self._number] = read
        for message in messages:
            self._machine.send_binary(message)
        self._machine.send_ping(PING.pack(self._number))
        self._flush()
        return read

    async def deliver(self, messages: Sequence[bytes]) -> None:
        """Returns when the KVM has read them. Raises `DeviceError` after 2 s without an answer."""
        read = self.send(messages)
        try:
            async with within(PATIENCE):
                await asyncio.shield(read)
        except asyncio.TimeoutError:
            self.drop()
            raise DeviceError(_SILENT) from None

    def beat(self, message: bytes, every: float) -> None:
        """From now on this message says that we are still there."""
        if self.open:
            self.send([message])
            loop = asyncio.get_running_loop()
            self._beat = loop.call_later(every, self.beat, message, every)

    def drop(self) -> None:
        """At once; what has not left this machine never will."""
        if self._transport:
            self._transport.abort()
        self._end()

    def close(self) -> None:
        if self.open:
            self._machine.send_close(1000)
            self._flush()
        if self._transport:
            self._transport.close()
        self._end()

    async def handshake(self, headers: Mapping[str, str]) -> None:
        request = self._machine.connect()
        for name, value in headers.items():
            request.headers[name] = value
        self._machine.send_request(request)
        self._flush()
        await self._opened

    # --- what the event loop calls ---------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._machine.receive_data(data)
        self._flush()
        for event in self._machine.events_received():
            self._take(event)
        if self._machine.close_expected() and self._transport:
            self._transport.close()
            self._end()

    def eof_received(self) -> None:
        self._machine.receive_eof()
        self._end()

    def connection_lost(self, _: Exception | None) -> None:
        self._end()

    def _take(self, event: Any) -> None:
        if hasattr(event, "status_code"):
            self._greeted(event)
        elif event.opcode == 0xA:  # a pong
            self._answered(PING.unpack(event.data)[0] if len(event.data) == PING.size else 0)
        elif event.opcode in (0x0, 0x1, 0x2):
            self._parts += bytes(event.data)
            if event.fin:
                message, self._parts = self._parts, b""
                self._heard(message)

    def _greeted(self, response: Any) -> None:
        if self._opened.done():
            return
        if response.status_code == 101 and self._machine.handshake_exc is None:
            self.open = True
            self._opened.set_result(None)
        else:
            words = (
                f"The KVM answers {response.status_code} where its keyboard and mouse should be."
            )
            self._opened.set_exception(Refused(response.status_code, words))

    def _answered(self, number: int) -> None:
        """A pong answers all pings up to its own."""
        for each in [n for n in self._waiting if n <= number]:
            read = self._waiting.pop(each)
            if not read.done():
                read.set_result(None)

    def _flush(self) -> None:
        assert self._transport
        for data in self._machine.data_to_send():
            if data:
                self._transport.write(data)

    def _end(self) -> None:
        was_open, self.open = self.open, False
        if self._beat:
            self._beat.cancel()
        if not self._opened.done():
            self._opened.set_exception(Refused(0, _GONE))
        for read in self._waiting.values():
            if not read.done():
                read.set_exception(DeviceError(_GONE))
        self._waiting.clear()
        if was_open:
            self._lost()


def _seen(read: asyncio.Future[None]) -> None:
    """Nobody has to wait for a release; that it failed is found out by the next report."""
    if not read.cancelled():
        read.exception()


async def connect(
    url: str,
    tls: ssl.SSLContext | None,
    headers: Mapping[str, str],
    heard: Callable[[str | bytes], None],
    lost: Callable[[], None],
) -> Socket:
    """`url` as http or https. Raises `Refused` or another `CuaError`."""
    from websockets.client import ClientProtocol
    from websockets.uri import parse_uri

    uri = parse_uri(url.replace("http", "ws", 1))
    origin = url.split("/", 3)
    machine = ClientProtocol(uri, origin="/".join(origin[:3]))  # type: ignore[arg-type]
    loop = asyncio.get_running_loop()
    try:
        async with within(OPENING):
            transport, opened = await loop.create_connection(
                lambda: Socket(machine, heard, lost), uri.host, uri.port, ssl=tls
            )
            try:
                await opened.handshake(headers)
            except BaseException:
                transport.abort()
                raise
    except (OSError, asyncio.TimeoutError) as error:
        raise unreachable(f"{uri.host}:{uri.port}", error) from error
    return opened
