"""Client of a remote KVM's web server: certificate, login, requests, pictures, WebSockets.

Pictures and keyboard use different connections at the same time, which share one login. A refused
password is not tried again, since KVMs lock out clients that do.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..messages import Message
from ..screen.http_stream import LoginNeeded, frames
from ..types import CuaError
from .kvm import KvmCallbacks, KvmConfig
from .tls_pinning import CertificatePin, unreachable_error
from .websocket_link import Refused, WebSocketLink, connect

HTTP_TIMEOUT_S = 10.0
"""Time limit of a request; NanoKVMs take 3 s to refuse a password."""
LINE_TIMEOUT_S = 30.0
"""Time limit between two lines of an answer in which the KVM reports progress."""


class WrongPassword(CuaError):
    """The KVM refused the login; only the user may try again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, setting="kvm_password")


class KvmHttpClient:
    """A client. `login` returns the headers that authenticate requests."""

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
        """Send a request with login; log in again if the login has expired."""
        more = options.pop("headers", {})
        for _ in range(2):
            login = await self.headers()
            headers = {**login, **more}
            answer = await self.request_without_login(method, path, headers=headers, **options)
            if answer.status_code != 401:
                break
            self._forget_login(login)
        return answer

    async def lines(self, method: str, path: str) -> AsyncIterator[bytes]:
        """Send a request with login; yield each line of the answer when it arrives."""
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
