"""The web server of a KVM elsewhere: its certificate, one login for all, and words for every fault.

Pictures and keyboard come over different connections at the same time; both go through one login,
and a password that was refused is not tried again by itself: KVMs lock out those who do.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..screen.stream import LoginNeeded, frames
from ..types import CuaError
from . import Notices, Target
from .sentinel import Way
from .socket import Refused, Socket, connect
from .trust import Trust, unreachable

PATIENCE = 10.0
"""Seconds for an answer: NanoKVMs take three to refuse a password."""


class WrongPassword(CuaError):
    """Whoever tries again has to be a person."""


class Site:
    """`login` gives the headers by which the KVM knows us; it may use `ask`."""

    def __init__(
        self, target: Target, notices: Notices, login: Callable[[Site], Awaitable[dict[str, str]]]
    ) -> None:
        self.url = target.url
        self.place = urlsplit(target.url).netloc
        self._trust = Trust(target.url, target.certificate, notices.pin)
        self._login = login
        self._lock = asyncio.Lock()
        self._headers: dict[str, str] | None = None
        self._refusal: WrongPassword | None = None

    async def headers(self) -> dict[str, str]:
        """Those of somebody who has logged in. Raises `CuaError`."""
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

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        """One request as nobody in particular; the HTTP response. Raises `CuaError`."""
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        tls = await self._trust.context()
        try:
            async with http.AsyncClient(
                verify=tls or False, trust_env=False, timeout=PATIENCE, base_url=self.url
            ) as client:
                return await client.request(method, path, **options)
        except http.HTTPError as error:
            self._trust.forget()
            raise unreachable(self.place, error) from error

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """One request as somebody who has logged in; logs in again where that has expired."""
        for attempt in range(2):
            headers = await self.headers()
            answer = await self.ask(method, path, headers=headers, **options)
            if answer.status_code != 401 or attempt:
                return answer
            self._expired(headers)
        raise AssertionError

    async def frames(self, path: str) -> AsyncIterator[bytes]:
        """JPEGs; see `screen.stream`."""
        headers = await self.headers()
        try:
            async for jpeg in frames(self.url + path, await self._trust.context(), headers):
                yield jpeg
        except LoginNeeded:
            self._expired(headers)
            raise
        except CuaError:
            self._trust.forget()
            raise

    async def socket(
        self,
        path: str,
        heard: Callable[[str | bytes], None],
        lost: Callable[[], None],
        greet: Callable[[Socket], Awaitable[None]],
    ) -> Socket:
        """`greet` does what comes before the first report; a socket on which it fails is closed."""
        socket = await self._opened(path, heard, lost)
        try:
            await greet(socket)
        except BaseException:
            socket.close()
            raise
        return socket

    async def _opened(
        self, path: str, heard: Callable[[str | bytes], None], lost: Callable[[], None]
    ) -> Socket:
        for attempt in range(2):
            headers = await self.headers()
            try:
                tls = await self._trust.context()
                return await connect(self.url + path, tls, headers, heard, lost)
            except Refused as refused:
                if refused.status not in (401, 403) or attempt:
                    raise
                self._expired(headers)
            except CuaError:
                self._trust.forget()
                raise
        raise AssertionError

    async def way(self, path: str) -> Way:
        """To a WebSocket, for another process."""
        return Way(self.url + path, await self.headers(), self._trust.pin)

    def _expired(self, headers: Mapping[str, str]) -> None:
        if self._headers == headers:
            self._headers = None
