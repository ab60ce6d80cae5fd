"""A WebSocket with synchronous sends, which cannot be cancelled half-way.

A release must not depend on an await, so this module uses the protocol library's state machine.
Every send ends with a ping; its pong confirms that the KVM's server has read everything before it,
and is awaited before the next report.
"""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..messages import Message
from ..timeouts import within
from ..types import CuaError
from .hid_link import HidLink
from .tls_pinning import unreachable_error

CONNECT_TIMEOUT_S = 5.0
PING = struct.Struct(">I")


class Refused(CuaError):
    """The server refused the WebSocket; `status` is its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class WebSocketLink(HidLink, asyncio.Protocol):
    """One connection. `on_message` gets every message; `on_lost` is called once at its end."""

    def __init__(
        self,
        protocol: Any,
        headers: Mapping[str, str],
        on_message: Callable[[str | bytes], None],
        on_lost: Callable[[], None],
    ) -> None:
        super().__init__(on_lost)
        self._protocol = protocol
        self._headers = headers
        self._on_message = on_message
        self._transport: asyncio.Transport
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._parts = b""
        self._heartbeat: asyncio.TimerHandle | None = None

    def _transmit(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self._protocol.send_binary(message)
        self._protocol.send_ping(PING.pack(self._number))
        self._flush()

    def send_text(self, text: str) -> None:
        """Send a message that is not confirmed."""
        self._protocol.send_text(text.encode())
        self._flush()

    def start_heartbeat(self, message: bytes, interval_s: float) -> None:
        """Send this message now and every `interval_s` seconds."""
        if self.open:
            self.send([message])
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(interval_s, self.start_heartbeat, message, interval_s)

    def drop(self) -> None:
        self._transport.abort()
        self._end()

    def close(self) -> None:
        if self.open:
            self._protocol.send_close(1000)
            self._flush()
        self._transport.close()
        self._end()

    # --- called by the event loop ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        request = self._protocol.connect()
        request.headers.update(self._headers)
        self._protocol.send_request(request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._flush()
        for event in self._protocol.events_received():
            self._handle_event(event)
        if self._protocol.close_expected():
            self._transport.close()
            self._end()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._end()

    def connection_lost(self, _: Exception | None) -> None:
        self._end()

    def _handle_event(self, event: Any) -> None:
        if hasattr(event, "status_code"):
            self._finish_handshake(event)
        elif event.opcode == 0xA:  # a pong
            self._confirm(PING.unpack(event.data)[0] if len(event.data) == PING.size else 0)
        elif event.opcode in (0x0, 0x1, 0x2):
            self._parts += bytes(event.data)
            if event.fin:
                message, self._parts = self._parts, b""
                self._on_message(message)

    def _finish_handshake(self, response: Any) -> None:
        if self.opened.done():
            return
        if response.status_code == 101 and self._protocol.handshake_exc is None:
            self.open = True
            self.opened.set_result(None)
        else:
            message = Message("kvm.hid_refused", status=response.status_code)
            self.opened.set_exception(Refused(response.status_code, message))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)

    def _end(self) -> None:
        if self._heartbeat:
            self._heartbeat.cancel()
        if not self.opened.done():
            self.opened.set_exception(Refused(0, Message("kvm.hid_lost")))
        super()._end()


async def connect(
    url: str,
    tls: ssl.SSLContext | None,
    headers: Mapping[str, str],
    on_message: Callable[[str | bytes], None],
    on_lost: Callable[[], None],
) -> WebSocketLink:
    """Connect to `url` (http or https). Raises `Refused` or another `CuaError`."""
    from websockets.client import ClientProtocol
    from websockets.uri import parse_uri

    uri = parse_uri(url.replace("http", "ws", 1))
    origin = url.split("/", 3)
    protocol = ClientProtocol(uri, origin="/".join(origin[:3]))  # type: ignore[arg-type]
    loop = asyncio.get_running_loop()
    try:
        async with within(CONNECT_TIMEOUT_S):
            transport, link = await loop.create_connection(
                lambda: WebSocketLink(protocol, headers, on_message, on_lost),
                uri.host,
                uri.port,
                ssl=tls,
            )
            try:
                await link.opened
            except BaseException:
                transport.abort()
                raise
    except (OSError, asyncio.TimeoutError) as error:
        raise unreachable_error(f"{uri.host}:{uri.port}", error) from error
    return link
