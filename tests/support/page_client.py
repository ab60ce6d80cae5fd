"""A page without a browser: the protocol of the session's WebSocket and of the commands."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.servers.kvm_web_server import TOKEN
from tests.support.addresses import lan_address

COOKIE = f"nano-kvm-token={TOKEN}"


def english(value: dict[str, Any]) -> Any:
    """For `json.loads`: a message as its English text."""
    return value["text"] if value.keys() == {"text", "key", "values"} else value


class Refused(Exception):
    """The service did not let the page in; `answer` is all that it said."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer["reason"])
        self.answer = answer


class Page:
    """Holds the session while it is open; `events` are all that it was told."""

    def __init__(self, origin: str, socket: ClientConnection, token: str, name: str = "") -> None:
        self.token = token
        self.events: list[dict[str, Any]] = []
        self.last_id = ""
        self._socket = socket
        self._http = httpx2.AsyncClient(
            base_url=origin,
            headers={"Origin": origin, "X-CUA-Token": token, "X-CUA-Page": name},
            trust_env=False,
            verify=False,  # without TLS; to load the certificates of this system takes long
            timeout=30,
        )
        self._grown = asyncio.Event()
        self.visible: bool | None = True
        """What it answers to a heartbeat; None: nothing at all."""
        self._sent_away: asyncio.Future[dict[str, Any]] = asyncio.Future()
        self._listener = asyncio.create_task(self._listen())

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self._http.post(path, json=body)

    async def get(self, path: str) -> httpx2.Response:
        return await self._http.get(path)

    async def until(self, kind: str, seconds: float = 30, **data: Any) -> dict[str, Any]:
        """The first event of this kind whose data has these values; it may have come before."""

        def fits(event: dict[str, Any]) -> bool:
            found = event["data"]
            return event["kind"] == kind and all(found.get(k) == v for k, v in data.items())

        return await self.find(fits, seconds)

    async def find(
        self, fits: Callable[[dict[str, Any]], bool], seconds: float = 30
    ) -> dict[str, Any]:
        async def search() -> dict[str, Any]:
            at = 0
            while True:
                grown = self._grown
                for event in self.events[at:]:
                    at += 1
                    if fits(event):
                        return event
                await grown.wait()

        return await asyncio.wait_for(search(), seconds)

    async def refused(self, seconds: float = 30) -> dict[str, Any]:
        """With what words the page was sent away."""
        return await asyncio.wait_for(asyncio.shield(self._sent_away), seconds)

    async def say(self, type: str, **more: Any) -> None:
        await self.send_raw(json.dumps({"type": type, **more}))

    async def send_raw(self, text: str | bytes) -> None:
        await self._socket.send(text)

    def vanish(self) -> None:
        """The socket is gone without a word, as when a browser is killed."""
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()
        self._listener.cancel()
        await asyncio.gather(self._listener, return_exceptions=True)
        await self._http.aclose()

    async def _listen(self) -> None:
        with contextlib.suppress(ConnectionClosed):  # sent away: `refused` has the words
            await self._read()

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text, object_hook=english)
            if message["type"] == "heartbeat" and self.visible is not None:
                await self.say("heartbeat", visible=self.visible)
            if message["type"] == "refused":
                self._sent_away.set_result(message)
            if message["type"] == "event":
                self.last_id = message["id"]
                self.events.append(message["event"])
                self._grown.set()
                self._grown = asyncio.Event()


async def enter(
    origin: str, token: str = "", after: str = "", cookie: str = COOKIE, **hello: Any
) -> Page:
    """Open the page, logged in to the KVM. Raises `Refused`; skips without an address for it."""
    answer, socket = await say_hello(origin, cookie, token=token or None, after=after, **hello)
    if answer["type"] == "refused":
        await socket.close()
        if cookie == COOKIE and "log in to that KVM" in answer["reason"]:
            lan_address()  # over loopback the KVM asks for no login, so it can check none
        raise Refused(answer)
    return Page(origin, socket, answer["token"], hello.get("page", ""))


async def say_hello(
    origin: str, cookie: str, **hello: Any
) -> tuple[dict[str, Any], ClientConnection]:
    """The answer to a hello."""
    socket = await connect(
        origin.replace("http", "ws", 1) + "/api/ws",
        origin=origin,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie} if cookie else {},
        proxy=None,
        open_timeout=60,
    )
    await socket.send(json.dumps({"type": "hello", **hello}))
    answer: dict[str, Any] = json.loads(await socket.recv(), object_hook=english)
    return answer, socket


@asynccontextmanager
async def page(origin: str, token: str = "", after: str = "", **hello: Any) -> AsyncIterator[Page]:
    opened = await enter(origin, token, after, **hello)
    try:
        yield opened
    finally:
        await opened.close()
