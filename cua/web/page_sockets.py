"""The two WebSockets of a page: one claims the session and gets events, one the live picture."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..events.log import EventLog
from ..messages import Message, to_json
from ..notifications import PAGE_CLOSED
from ..timeouts import run_together
from ..types import Frame, parse_object
from .auth.access import LOGGED_OUT, LOGGED_OUT_PAUSED, Access, Connection
from .session_ownership import NotAdmitted, PageLease, SessionOwnership

if TYPE_CHECKING:
    from ..app.machine import Machine
    from ..screen.video_screen import VideoScreen
    from .fleet.fleet import Fleet

HELLO_TIMEOUT_S = 5.0
HEARTBEAT_INTERVAL_S = 1.0
STILL_PICTURE_INTERVAL_S = 1.0
"""Time after which an unchanged picture is sent again; less, as a page redraws each."""
MAX_UNSURE_RECHECKS = 3
"""Rechecks in a row without an answer of the KVM after which a login counts as expired."""
ABNORMAL_CLOSURE, MALFORMED, REFUSED = 1006, 4000, 4001  # close codes
STARTED = time.time() - time.monotonic()
"""Time of day at the monotonic clock's zero: a KVM may set its clock while a task runs."""

STOPPED, PAUSED = Message("session.stopped_by_you"), Message("session.paused_by_you")
OTHER_PAGE_REASONS = {
    "stopped": Message("session.stopped_elsewhere"),
    "paused": Message("session.paused_elsewhere"),
}
"""Status -> its reason on the pages that did not request it."""
RELOADED = Message("session.reloaded_by_you")

Stop = Callable[[str, str], Awaitable[None]]


@dataclass(frozen=True)
class Admission:
    """How pages are admitted. `secure`: whether the port accepts HTTPS."""

    ownership: SessionOwnership
    access: Access
    secure: bool = False
    recheck_s: float = 15.0
    """Time between two checks whether a page's login is still valid."""


async def events(ws: WebSocket, service: Machine | Fleet, admission: Admission) -> None:
    """Serve a page: admit it by its hello, send it events, release its lease at the end."""
    hello = await _receive_hello(ws)
    if hello is None:
        return
    connection = _connection(ws, hello, admission.ownership)
    try:
        page_lease = await _claim(connection, hello, admission)
    except NotAdmitted as refusal:
        await _refuse(ws, refusal.message, secure=admission.secure, **refusal.details)
        return
    ws.state.admit()
    page = _text(hello.get("page"))[:40]
    try:
        watches = not admission.ownership.is_holder(page_lease.token)
        logged_out = LOGGED_OUT if watches else LOGGED_OUT_PAUSED
        welcome = {
            "type": "welcome",
            "token": page_lease.token,
            "watching": watches,
            "demo": service.is_simulated,
            "boot": service.log.boot,
            "at": STARTED + time.monotonic(),
            "secure": admission.secure,
        }
        await _send_json(ws, to_json(welcome))
        await run_together(
            _send_events(ws, service.log, _text(hello.get("after")), page),
            _send_heartbeats(ws),
            _listen(ws, admission.ownership, page_lease, service.session.stop, page),
            _send_revocation(ws, page_lease),
            _recheck_login(connection, page_lease, admission, logged_out),
            admission.ownership.closing.wait(),
            until=asyncio.FIRST_COMPLETED,
        )
    except WebSocketDisconnect:
        pass
    finally:
        await admission.ownership.release(page_lease, page)


async def preview(ws: WebSocket, screen: VideoScreen, ownership: SessionOwnership) -> None:
    """Send one picture for each message of the page, so that a slow page skips frames."""
    hello = await _receive_hello(ws)
    if hello is None:
        return
    token = _text(hello.get("token"))
    if not ownership.may_watch(token):
        await ws.close(REFUSED)
        return
    ws.state.admit()
    wanted = asyncio.Event()
    with contextlib.suppress(WebSocketDisconnect):
        await run_together(
            _receive_requests(ws, wanted),
            _send_frames(ws, screen, wanted, lambda: ownership.may_watch(token)),
            ownership.closing.wait(),
            until=asyncio.FIRST_COMPLETED,
        )


async def _receive_hello(ws: WebSocket) -> Mapping[str, Any] | None:
    """Return the first message; close the socket if it is late or not a JSON object."""
    await ws.accept()
    try:
        if hello := await asyncio.wait_for(_receive(ws), HELLO_TIMEOUT_S):
            return hello
    except asyncio.TimeoutError:
        pass
    except WebSocketDisconnect:
        return None
    await ws.close(MALFORMED)
    return None


async def _receive(ws: WebSocket) -> Mapping[str, Any]:
    """Return the next message as a JSON object; an empty one if it is something else."""
    message = await ws.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return parse_object(message.get("text") or "")


def _connection(ws: WebSocket, hello: Mapping[str, Any], ownership: SessionOwnership) -> Connection:
    return Connection(
        # a dual-stack socket reports an IPv4 address as ::ffff:192.0.2.1
        client_address=ws.client.host.removeprefix("::ffff:") if ws.client else "",
        local_address=(ws.scope.get("server") or ("",))[0],
        cookies=ws.cookies,
        code=_text(hello.get("code")),
        returning=ownership.find_person(_text(hello.get("token"))),
    )


async def _claim(
    connection: Connection, hello: Mapping[str, Any], admission: Admission
) -> PageLease:
    person = await admission.access.admit(connection)
    token = _text(hello.get("token"))
    if hello.get("watch") is True:
        return admission.ownership.watch(token, person)
    visible, displace = hello.get("visible") is not False, hello.get("take_over") is True
    return await admission.ownership.claim(token, person, visible=visible, displace=displace)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


async def _send_events(ws: WebSocket, log: EventLog, after: str, page: str) -> None:
    async for number, event in log.subscribe(after, transient=True):
        data = dict(event.data)
        if event.picture is not None:
            data["url"] = f"/api/frames/{event.seq}.jpg"
        if "by" in data:
            data["reason"] = _reason_for(page, **data)
        sent = {"seq": event.seq, "at": STARTED + event.mono, "kind": event.kind, "data": data}
        await _send_json(ws, {"type": "event", "id": number, "event": to_json(sent)})


async def _receive_requests(ws: WebSocket, wanted: asyncio.Event) -> None:
    """Receive in a task of its own, to notice that a page left while there are no pictures."""
    while (await ws.receive())["type"] != "websocket.disconnect":
        wanted.set()


def _reason_for(page: str, *, by: str, status: str, reason: str) -> str:
    """Return the reason of a status in the words for this page: it may be the one that asked."""
    if reason == PAGE_CLOSED:
        return RELOADED if by == page else reason  # it is here again
    return reason if by == page else OTHER_PAGE_REASONS[status]


async def _send_frames(
    ws: WebSocket, screen: VideoScreen, wanted: asyncio.Event, may: Callable[[], bool]
) -> None:
    """Send pictures until the page's lease has been revoked.

    The page's request usually arrives before the next picture; then nothing is awaited for it.
    """
    seq, sent = 0, Frame(b"", 0, 0, 0, 0.0)
    while True:
        frame = await screen.after(seq)
        if not wanted.is_set():
            await wanted.wait()
            continue  # there may be a newer picture
        if not may():
            return
        seq = frame.seq
        if frame.jpeg == sent.jpeg and frame.at < sent.at + STILL_PICTURE_INTERVAL_S:
            continue
        wanted.clear()
        sent = frame
        with _disconnected_if_closed():
            await ws.send_bytes(frame.jpeg)


async def _send_heartbeats(ws: WebSocket) -> None:
    """Send messages that the page answers; ping frames are answered even if the page hangs."""
    n = 0
    while True:
        await asyncio.sleep(HEARTBEAT_INTERVAL_S)
        n += 1
        await _send_json(ws, {"type": "heartbeat", "n": n, "at": STARTED + time.monotonic()})


async def _listen(
    ws: WebSocket, ownership: SessionOwnership, page_lease: PageLease, stop: Stop, page: str
) -> None:
    while True:
        message = await _receive(ws)
        if message.get("type") == "heartbeat":
            ownership.renew(page_lease, visible=message.get("visible") is True)
        elif message.get("type") == "stop":
            await stop(STOPPED, page)


async def _recheck_login(
    connection: Connection, page_lease: PageLease, admission: Admission, reason: str
) -> None:
    """Re-check the KVM login every `recheck_s` seconds; end the session if it has expired."""
    unsure = 0
    while True:
        await asyncio.sleep(admission.recheck_s)
        admitted = await admission.access.is_still_admitted(connection, page_lease.person)
        unsure = unsure + 1 if admitted is None else 0
        if admitted is False or unsure == MAX_UNSURE_RECHECKS:
            # `_send_revocation` tells the page
            await admission.ownership.revoke(page_lease, reason)


async def _send_revocation(ws: WebSocket, page_lease: PageLease) -> None:
    await page_lease.revoked.wait()
    await _refuse(ws, page_lease.reason)


async def _refuse(ws: WebSocket, reason: str, **more: object) -> None:
    await _send_json(ws, to_json({"type": "refused", "reason": reason, **more}))
    await ws.close(REFUSED)


async def _send_json(ws: WebSocket, message: object) -> None:
    with _disconnected_if_closed():
        await ws.send_json(message)


@contextlib.contextmanager
def _disconnected_if_closed() -> Iterator[None]:
    """Raise `WebSocketDisconnect` if the page has left, which `_listen` may not have read yet."""
    try:
        yield
    except RuntimeError:  # of uvicorn and Starlette: websocket.send after websocket.close
        raise WebSocketDisconnect(ABNORMAL_CLOSURE) from None
