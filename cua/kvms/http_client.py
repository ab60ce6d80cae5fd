"""Client of a remote KVM's web server: certificate, login, requests, pictures and WebSockets.

Pictures and keyboard use different connections at the same time, which share one login. A refused
password is not retried, since KVMs lock out clients that do.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.http_stream import LoginNeeded, frames
from ..types import CuaError, parse_object
from .hid_link import HidLink
from .media import Media
from .registry import Kvm, KvmCallbacks, KvmConfig
from .remote_hid import RemoteHid
from .tls_pinning import CertificatePin, unreachable_error
from .watchdog_client import WatchdogClient
from .websocket_link import Refused, WebSocketLink, connect

HTTP_TIMEOUT_S = 10.0
"""NanoKVMs take 3 s to refuse a password."""
LINE_TIMEOUT_S = 30.0
"""Between two lines of an answer that comes while the KVM works."""
CHECK_INTERVAL_S = 2.0
"""Between checks that the computer still sends video."""


class WrongPassword(CuaError):
    """The KVM refused the login; only the user may try again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, setting="kvm_password")


class KvmHttpClient:
    """`login` returns the headers that authenticate requests; it may use `ask`."""

    def __init__(
        self,
        config: KvmConfig,
        callbacks: KvmCallbacks,
        login: Callable[[KvmHttpClient], Awaitable[dict[str, str]]],
    ) -> None:
        self.url = config.url
        self.place = urlsplit(config.url).netloc
        self.trust = CertificatePin(config, callbacks.on_fingerprint)
        self._login = login
        self._lock = asyncio.Lock()
        self._headers: dict[str, str] | None = None
        self._refusal: WrongPassword | None = None

    async def headers(self) -> dict[str, str]:
        """Return the headers of a logged-in client. Raises `CuaError`."""
        async with self._lock:
            if self._refusal:
                raise self._refusal
            if self._headers is None:
                try:
                    self._headers = await self._login(self)
                except WrongPassword as refusal:
                    self._refusal = refusal
                    raise
            return self._headers

    async def request_without_login(self, method: str, path: str, **options: Any) -> Any:
        """Send a request without login; return the HTTP response. Raises `CuaError`."""
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        tls = await self.trust.context()
        try:
            async with http.AsyncClient(
                verify=tls or False, trust_env=False, timeout=HTTP_TIMEOUT_S, base_url=self.url
            ) as client:
                return await client.request(method, path, **options)
        except http.HTTPError as error:
            self.trust.forget()
            raise unreachable_error(self.place, error) from error

    async def request(self, method: str, path: str, **options: Any) -> Any:
        """Send a request with login; log in again if that has expired."""
        more, login = options.pop("headers", {}), await self.headers()
        answer = await self.request_without_login(
            method, path, headers={**login, **more}, **options
        )
        if answer.status_code == 401:
            self._forget_login(login)
            login = await self.headers()
            answer = await self.request_without_login(
                method, path, headers={**login, **more}, **options
            )
        return answer

    async def lines(self, method: str, path: str) -> AsyncIterator[bytes]:
        """Send a request with login, and yield the answer line by line as it comes."""
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        headers, tls = await self.headers(), await self.trust.context()
        client = http.AsyncClient(verify=tls or False, trust_env=False, timeout=LINE_TIMEOUT_S)
        try:
            async with client, client.stream(method, self.url + path, headers=headers) as answer:
                async for line in answer.aiter_lines():
                    yield line.encode()
        except http.HTTPError as error:
            raise unreachable_error(self.place, error) from error

    async def frames(self, path: str) -> AsyncIterator[bytes]:
        """Yield JPEGs; see `screen.http_stream`."""
        headers = await self.headers()
        try:
            async for jpeg in frames(self.url + path, await self.trust.context(), headers):
                yield jpeg
        except LoginNeeded:
            self._forget_login(headers)
            raise
        except CuaError:
            self.trust.forget()
            raise

    async def socket(
        self, path: str, on_message: Callable[[str | bytes], None], on_lost: Callable[[], None]
    ) -> WebSocketLink:
        """Open a WebSocket; log in again if the login has expired."""
        for attempt in range(2):
            headers = await self.headers()
            try:
                tls = await self.trust.context()
                return await connect(self.url + path, tls, headers, on_message, on_lost)
            except Refused as refused:
                if refused.status not in (401, 403) or attempt:
                    raise
                self._forget_login(headers)
            except CuaError:
                self.trust.forget()
                raise
        raise AssertionError

    def wrong_kind_error(self, kind: str, status: int) -> CuaError:
        message = Message("kvm.wrong_kind", kind=kind, place=self.place, status=status)
        return CuaError(message, setting="kvm")

    def _forget_login(self, headers: Mapping[str, str]) -> None:
        if self._headers == headers:
            self._headers = None


async def check_periodically(
    frames: AsyncIterator[bytes], check: Callable[[], Awaitable[object]]
) -> AsyncIterator[bytes]:
    """Yield the frames; call `check` now and then, since a KVM may send pictures without signal."""
    checked_at = time.monotonic()
    async for jpeg in frames:
        yield jpeg
        if time.monotonic() > checked_at + CHECK_INTERVAL_S:
            checked_at = time.monotonic()
            await check()


class HttpKvm(Kvm):
    brand: str
    repeats_s: Sequence[float] = ()
    """See `RemoteHid`."""

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        self._config = config
        self._client = KvmHttpClient(config, callbacks, self._log_in)
        self._watchdog = WatchdogClient(self._encode_release)
        self._hid = RemoteHid(
            self._connect,
            self._encode,
            callbacks.on_input_problem,
            repeats_s=self.repeats_s,
            watchdog=self._watchdog,
        )
        super().__init__(f"{self.brand} {self._client.place}", self._hid, callbacks)

    async def close(self) -> None:
        await self._hid.close()
        try:
            await self._restore()
        except CuaError as error:
            message = Message("kvm.not_restored", kvm=self.name, reason=error.message)
            self._callbacks.log("warning", message)

    async def _restore(self) -> None:
        """Restore the settings of the KVM that were changed."""

    async def _start_watchdog(self, url: str) -> None:
        headers, pem = await self._client.headers(), self._client.trust.pem
        await self._watchdog.start(url, headers, pem)

    def _check_login(
        self, answer: Any, refused: Message, *statuses: int, key: str = ""
    ) -> Mapping[str, Any]:
        """Return the answer to a login, in which `key` must be. Raises `CuaError`.

        `refused`: what to say if it has one of `statuses`.
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
        """Return the headers that authenticate requests; uses only `client.ask`."""

    @abstractmethod
    async def _connect(self, on_lost: Callable[[], None]) -> HidLink:
        """Connect keyboard and mouse."""

    @abstractmethod
    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        """See `remote_hid.Encode`."""

    def _encode_release(self, endpoint: Endpoint, report: bytes) -> list[bytes]:  # noqa: ARG002
        """Return what the watchdog process sends; nothing if its connection alone releases all."""
        return []


class WebSocketKvm(HttpKvm):
    """One that takes keyboard and mouse over a WebSocket."""

    hid_path: str
    watchdog_path: str
    """WebSocket for the watchdog process."""
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
        """Warn when it is switched on: it moves the pointer in the middle of a drag too."""
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
        """`name`: of the KVM. `ask` sends a request and returns its result."""
        self._name, self._client, self._ask = name, client, ask
