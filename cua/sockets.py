"""The two WebSockets of a page: events with the claim to the session, and the live picture."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from .access import LOGGED_OUT, SEEN_OUT, Access, NotLetIn, Visitor
from .desk import Desk, Held, Seat
from .events import EventLog
from .session import Session
from .types import Frame, parsed

HELLO_SECONDS = 5.0
HEARTBEAT_SECONDS = 1.0
REFUSED = 4001
STARTED = time.time() - time.monotonic()
"""Where the clock that is never set began, by the time of day of this start. Pages are told times
by it: a KVM may learn the time of day while a task runs, and no second must become an hour then.
"""

STOPPED, PAUSED = "Stopped by you.", "Paused by you."
ELSEWHERE = {STOPPED: "Stopped on another page.", PAUSED: "Paused on another page."}
"""What the other pages are told."""

Stop = Callable[[str, str], Awaitable[None]]


@dataclass(frozen=True)
class Entrance:
    """The way in. `secure`: whether this port speaks https as well as http.

    `recheck`: seconds between two looks whether the holder would still be let in.
    """

    desk: Desk
    access: Access
    secure: bool = False
    recheck: float = 15.0


class Machine(Protocol):
    """What a page hears of and may stop."""

    log: EventLog
    session: Session

    @property
    def demo(self) -> bool:
        """Whether the computer is the virtual one."""


class Preview(Protocol):
    """Where the live pictures come from."""

    async def after(self, seq: int) -> Frame:
        """The newest frame, as soon as its number is higher than `seq`."""


async def events(ws: WebSocket, machine: Machine, entrance: Entrance) -> None:
    """The page is let in with its hello, sits down, and leaves the desk however the socket ends."""
    hello = await _hello(ws)
    if hello is None:
        return
    visitor = _visitor(ws, hello, entrance.desk)
    try:
        seat = await _sit(visitor, hello, entrance)
    except NotLetIn as refusal:
        await _refuse(ws, str(refusal), code=refusal.code, secure=entrance.secure)
        return
    except Held as held:
        await _refuse(ws, str(held), guest=held.guest)
        return
    try:
        watches = not entrance.desk.knows(seat.token)
        page = _text(hello.get("page"))[:40]
        await ws.send_json({**_welcome(machine, entrance, seat), "watching": watches})
        await _first_to_end(
            _tell(ws, machine.log, _text(hello.get("after")), page),
            _beat(ws),
            _listen(ws, entrance.desk, seat, machine.session.stop, page),
            _gone(ws, seat),
            _still(visitor, seat, entrance, SEEN_OUT if watches else LOGGED_OUT),
            entrance.desk.closed(),
        )
    except WebSocketDisconnect:
        pass
    finally:
        await entrance.desk.leave(seat)


async def preview(ws: WebSocket, screen: Preview, desk: Desk) -> None:
    """One picture for each word from the page: so a slow page skips frames and holds up nobody."""
    hello = await _hello(ws)
    if hello is None:
        return
    token = _text(hello.get("token"))
    if not desk.may_watch(token):
        await ws.close(REFUSED)
        return
    wanted = asyncio.Event()
    with contextlib.suppress(WebSocketDisconnect):
        await _first_to_end(
            _wishes(ws, wanted),
            _show(ws, screen, wanted, lambda: desk.may_watch(token)),
            desk.closed(),
        )


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


def _visitor(ws: WebSocket, hello: dict[str, Any], desk: Desk) -> Visitor:
    return Visitor(
        address=ws.client.host if ws.client else "",
        reached=(ws.scope.get("server") or ("",))[0],
        cookies=ws.cookies,
        code=_text(hello.get("code")),
        returns=desk.holder(_text(hello.get("token"))),
    )


async def _sit(visitor: Visitor, hello: dict[str, Any], entrance: Entrance) -> Seat:
    person = await entrance.access.admit(visitor)
    if hello.get("watch") is True:
        return entrance.desk.watch(person)
    return await entrance.desk.sit(
        _text(hello.get("token")),
        person,
        visible=hello.get("visible") is not False,
        take_over=hello.get("take_over") is True,
    )


def _welcome(machine: Machine, entrance: Entrance, seat: Seat) -> dict[str, Any]:
    return {
        "type": "welcome",
        "token": seat.token,
        "demo": machine.demo,
        "boot": machine.log.boot,
        "at": _now(),
        "secure": entrance.secure,
    }


def _now() -> float:
    return STARTED + time.monotonic()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


async def _tell(ws: WebSocket, log: EventLog, after: str, page: str) -> None:
    async for number, event in log.follow(after, mentions=True):
        data = dict(event.data)
        if event.picture is not None:
            data["url"] = f"/api/frames/{event.seq}.jpg"
        if data.get("by", page) != page:
            data["reason"] = ELSEWHERE.get(data["reason"], data["reason"])
        told = {"seq": event.seq, "at": STARTED + event.mono, "kind": event.kind, "data": data}
        await ws.send_json({"type": "event", "id": number, "event": told})


async def _wishes(ws: WebSocket, wanted: asyncio.Event) -> None:
    """A word each; its own task, as nobody else hears a page leave while there are no pictures."""
    while True:
        await ws.receive_text()
        wanted.set()


async def _show(
    ws: WebSocket, screen: Preview, wanted: asyncio.Event, may: Callable[[], bool]
) -> None:
    """Not a picture more for whoever has been sent away."""
    seq = 0
    while True:
        await wanted.wait()
        wanted.clear()
        frame = await screen.after(seq) if may() else None
        if frame is None or not may():
            return
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
        await ws.send_json({"type": "heartbeat", "n": n, "at": _now()})


async def _listen(ws: WebSocket, desk: Desk, seat: Seat, stop: Stop, page: str) -> None:
    while True:
        word = parsed(await ws.receive_text())
        if word.get("type") == "heartbeat":
            desk.answered(seat, visible=word.get("visible") is True)
        elif word.get("type") == "stop":
            await stop(STOPPED, page)


async def _still(visitor: Visitor, seat: Seat, entrance: Entrance, words: str) -> None:
    """A logout at the KVM ends the session here too."""
    while True:
        await asyncio.sleep(entrance.recheck)
        if not await entrance.access.still(visitor, seat.person):
            await entrance.desk.dismiss(seat, words)  # and `_gone` tells the page


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
