"""The two WebSockets of a page: events with the claim to the session, and the live picture."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from .desk import Desk, Held, Person, Seat
from .events import EventLog
from .types import Frame

HELLO_SECONDS = 5.0
HEARTBEAT_SECONDS = 1.0
REFUSED = 4001

Stop = Callable[[str], Awaitable[None]]


class Preview(Protocol):
    """Where the live pictures come from."""

    async def after(self, seq: int) -> Frame:
        """The newest frame, as soon as its number is higher than `seq`."""


async def events(ws: WebSocket, log: EventLog, desk: Desk, stop: Stop, *, demo: bool) -> None:
    """The page sits down at the desk with its hello, and leaves it however the socket ends."""
    hello = await _hello(ws)
    if hello is None:
        return
    try:
        seat = await desk.sit(
            _text(hello.get("token")),
            Person("this machine"),
            visible=hello.get("visible") is not False,
            take_over=hello.get("take_over") is True,
        )
    except Held as held:
        await _refuse(ws, str(held), guest=held.guest)
        return
    try:
        await ws.send_json({"type": "welcome", "token": seat.token, "demo": demo, "boot": log.boot})
        after = _text(hello.get("after"))
        await _first_to_end(
            _tell(ws, log, after),
            _beat(ws),
            _listen(ws, desk, seat, stop),
            _gone(ws, seat),
            desk.closed(),
        )
    except WebSocketDisconnect:
        pass
    finally:
        await desk.leave(seat)


async def preview(ws: WebSocket, screen: Preview, desk: Desk) -> None:
    """One picture for each word from the page: so a slow page skips frames and holds up nobody."""
    hello = await _hello(ws)
    if hello is None:
        return
    if not desk.knows(_text(hello.get("token"))):
        await ws.close(REFUSED)
        return
    with contextlib.suppress(WebSocketDisconnect):
        await _first_to_end(_show(ws, screen), desk.closed())


async def _hello(ws: WebSocket) -> dict[str, Any] | None:
    await ws.accept()
    try:
        hello = await asyncio.wait_for(ws.receive_json(), HELLO_SECONDS)
    except (asyncio.TimeoutError, ValueError, KeyError):
        await ws.close(4000)
        return None
    except WebSocketDisconnect:
        return None
    return hello if isinstance(hello, dict) else {}


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


async def _tell(ws: WebSocket, log: EventLog, after: str) -> None:
    async for number, event in log.follow(after, mentions=True):
        data = dict(event.data)
        if event.picture is not None:
            data["url"] = f"/api/frames/{event.seq}.jpg"
        told = {"seq": event.seq, "at": event.at, "kind": event.kind, "data": data}
        await ws.send_json({"type": "event", "id": number, "event": told})


async def _show(ws: WebSocket, screen: Preview) -> None:
    seq = 0
    while True:
        await ws.receive_text()
        frame = await screen.after(seq)
        seq = frame.seq
        await ws.send_bytes(frame.jpeg)


async def _beat(ws: WebSocket) -> None:
    """What the page's message handler answers: it shows that the page itself is alive.

    Ping frames would not: a browser answers those for a page that hangs.
    """
    n = 0
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        n += 1
        await ws.send_json({"type": "heartbeat", "n": n})


async def _listen(ws: WebSocket, desk: Desk, seat: Seat, stop: Stop) -> None:
    while True:
        word = _json(await ws.receive_text())
        if word.get("type") == "heartbeat":
            desk.answered(seat, visible=word.get("visible") is True)
        elif word.get("type") == "stop":
            await stop("Stopped by you.")


async def _gone(ws: WebSocket, seat: Seat) -> None:
    await seat.gone.wait()
    await _refuse(ws, seat.reason)


async def _refuse(ws: WebSocket, reason: str, **more: object) -> None:
    await ws.send_json({"type": "refused", "reason": reason, **more})
    await ws.close(REFUSED)


async def _first_to_end(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends or fails; the others are cancelled."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
