"""Base classes of the KVMs with a web server."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from ..hid.reports import Endpoint
from ..messages import Message
from ..types import parse_object
from .hid_link import HidLink
from .http_client import KvmHttpClient, WrongPassword
from .kvm import Kvm, KvmCallbacks, KvmConfig
from .media import Media
from .remote_hid import RemoteHid
from .websocket_link import WebSocketLink

CHECK_INTERVAL_S = 2.0
"""Time between checks that the computer still sends video."""


async def check_periodically(
    frames: AsyncIterator[bytes], check: Callable[[], Awaitable[object]]
) -> AsyncIterator[bytes]:
    """Yield the frames; call `check` at intervals: a KVM may send pictures without a signal."""
    checked_at = time.monotonic()
    async for jpeg in frames:
        yield jpeg
        if time.monotonic() > checked_at + CHECK_INTERVAL_S:
            checked_at = time.monotonic()
            await check()


class HttpKvm(Kvm):
    _hid: RemoteHid
    brand: str
    repeats_s: Sequence[float] = ()
    """See `RemoteHid`."""

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        self._config = config
        self._client = KvmHttpClient(config, callbacks, self._log_in)
        hid = RemoteHid(self._connect, self._encode, callbacks.on_input_problem, self.repeats_s)
        super().__init__(f"{self.brand} {self._client.place}", hid, callbacks)

    async def _start_watchdog(self, url: str) -> None:
        headers, pem = await self._client.headers(), self._client.trust.pem
        await self._hid.watchdog.start(url, headers, pem)

    def _check_login(
        self, answer: Any, refused: Message, *statuses: int, key: str = ""
    ) -> Mapping[str, Any]:
        """Return the answer to a login, which must contain `key`. Raises `CuaError`.

        `refused`: the message for a response with one of `statuses`.
        """
        if answer.status_code in statuses:
            raise WrongPassword(refused)
        if answer.status_code == 429:
            raise WrongPassword(Message("kvm.login_refused", kvm=self.name))
        found = parse_object(answer.content)
        if answer.status_code != 200 or (key and key not in found):
            raise self._client.wrong_kind_error(self.brand, answer.status_code)
        return found

    @abstractmethod
    async def _log_in(self, client: KvmHttpClient) -> dict[str, str]:
        """Log in; return the headers that authenticate requests. `client` has no login yet."""

    @abstractmethod
    async def _connect(self, on_lost: Callable[[], None]) -> HidLink:
        """Connect keyboard and mouse."""

    @abstractmethod
    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        """See `remote_hid.Encode`."""


class WebSocketKvm(HttpKvm):
    """A KVM that receives keyboard and mouse over a WebSocket."""

    hid_path: str
    watchdog_path: str
    """The path of the WebSocket for the watchdog process."""
    _jiggler_on = False

    async def _connect(self, on_lost: Callable[[], None]) -> WebSocketLink:
        socket = await self._client.socket(self.hid_path, self._receive, on_lost)
        try:
            await self._start_watchdog(self._client.url + self.watchdog_path)
            await self._set_up(socket)
        except BaseException:
            socket.close()
            raise
        return socket

    def _report_jiggler(self, on: object) -> None:
        """Warn when the mouse jiggler is on: it also moves the pointer during a drag."""
        if on is True and not self._jiggler_on:
            self._callbacks.log("warning", Message("kvm.jiggler", kvm=self.name))
        if isinstance(on, bool):  # else it was not reported
            self._jiggler_on = on

    @abstractmethod
    async def _set_up(self, socket: WebSocketLink) -> None:
        """Read the KVM's state before the WebSocket is used."""

    @abstractmethod
    def _receive(self, message: str | bytes) -> None:
        """Handle a WebSocket message."""


class HttpMedia(Media):
    def __init__(
        self, name: str, client: KvmHttpClient, ask: Callable[..., Awaitable[Any]]
    ) -> None:
        """`name` is the KVM's; `ask` sends a request and returns its result."""
        self._name, self._client, self._ask = name, client, ask
