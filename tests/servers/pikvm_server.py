"""PiKVM's daemon as far as the agent uses it, and how it fails.

Its events become what its USB gadget would have been told: a keyboard report for each key, the
absolute place scaled down and rounded down. Every client of the WebSocket that comes or goes makes
it let go of all keys.
"""

from __future__ import annotations

import asyncio
import json
import math
import struct
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cua.hid.reports import Endpoint
from cua.kvms.key_codes import CODES
from tests.servers.disk_images import DiskImages
from tests.servers.mjpeg_server import picture

USAGES = {code: usage for usage, code in CODES.items()}
PRESS_S = 0.2
BUTTONS = ("left", "right", "middle", "up", "down")


def answer(result: Any = None, status: int = 200) -> Response:
    return JSONResponse({"ok": status == 200, "result": result or {}}, status)


@dataclass
class PiKvm:
    """Change the fields while it runs. `code`: the six digits that the password must end with."""

    account: tuple[str, str] = ("admin", "correct:horse")
    code: str = ""
    approval: int = 0
    """How often a login is "pending" before the KVM's screen is touched (GLKVM)."""
    signal: bool = True
    absolute: bool = True
    stream: bool = True
    starts_after: float = 0.0
    """Seconds from the first WebSocket that wants pictures until its streamer listens."""
    pressing: bool = False
    """Whether a button of the case is held."""
    snapshots: int = 0
    viewers: int = 0
    """Of its stream."""
    limited: bool = False
    busy: bool = False
    caps: bool = False
    jiggles: bool = False
    keymap: str = "en-us"
    powered: bool = True
    disk_images: DiskImages = field(default_factory=DiskImages)
    frame: bytes = field(default_factory=picture)
    token: str = "deadbeef"
    tries: int = 0
    posts: list[str] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    """Paths of all requests by GET."""
    written: list[tuple[Endpoint, bytes]] = field(default_factory=list)
    events: list[bytes] = field(default_factory=list)
    relative: list[tuple[int, int]] = field(default_factory=list)
    sockets: list[WebSocket] = field(default_factory=list)
    wanted_since: float = math.inf
    keys: list[int] = field(default_factory=list)
    buttons: int = 0
    place: tuple[int, int] = (0, 0)

    def app(self) -> Starlette:
        routes = [
            Route("/api/auth/login", self._login, methods=["POST"]),
            Route("/api/auth/two_step_complete", self._complete, methods=["POST"]),
            Route("/streamer/stream", self._stream),
            WebSocketRoute("/api/ws", self._ws),
            *self.disk_images.pikvm_routes(lambda visitor: not self._refusal(visitor)),
            Route("/api/{path:path}", self._other, methods=["GET", "POST"]),
        ]
        return Starlette(routes=routes)

    def down(self) -> bool:
        return bool(self.keys or self.buttons)

    async def end_session(self) -> None:
        """Forget the login, as a restart does; meanwhile there is another code."""
        self.token, self.code = "another", self.code[::-1]
        for ws in [*self.sockets]:
            await ws.close(1012)

    # --- who is there ------------------------------------------------------------------------

    async def _login(self, request: Request) -> Response:
        form = dict(pair.split("=", 1) for pair in (await request.body()).decode().split("&"))
        self.tries += 1
        if self.limited:
            return answer(status=429)
        if (form["user"], form["passwd"].replace("%3A", ":")) != (
            self.account[0],
            self.account[1] + self.code,
        ):
            return answer({"error": "ForbiddenError"}, 403)
        if self.approval:
            return answer({"two_step_required": True, "two_step_token": "tt", "expires_in": 60})
        return self._welcome()

    async def _complete(self, request: Request) -> Response:
        assert await request.body() == b"two_step_token=tt"
        self.approval -= 1
        return answer({"status": "pending"}) if self.approval else self._welcome()

    def _welcome(self) -> Response:
        given = answer({"token": self.token})
        given.set_cookie("auth_token", self.token, httponly=True, samesite="strict")
        return given

    def _refusal(self, visitor: HTTPConnection) -> int:
        if visitor.scope.get("method") != "POST":
            self.reads.add(visitor.url.path)
        user = visitor.headers.get("x-kvmd-user")
        if user:
            self.tries += 1
            given = (user, visitor.headers.get("x-kvmd-passwd", ""))
            return 0 if given == (self.account[0], self.account[1] + self.code) else 403
        token = visitor.cookies.get("auth_token")
        if not token:
            return 401
        return 0 if token == self.token else 403

    # --- pictures, state, power --------------------------------------------------------------

    async def _stream(self, request: Request) -> Response:
        if status := self._refusal(request):
            return PlainTextResponse("no", status)
        if not self.running:
            return PlainTextResponse("Bad Gateway", 502)
        if not self.stream:
            return PlainTextResponse("nothing here", 404)
        kind = "multipart/x-mixed-replace;boundary=boundarydonotcross"
        return StreamingResponse(self._parts(), media_type=kind)

    async def _parts(self) -> AsyncIterator[bytes]:
        self.viewers += 1
        yield b"--boundarydonotcross\r\n"
        while self.stream:
            head = f"Content-Type: image/jpeg\r\nContent-Length: {len(self.frame)}\r\n"
            yield f"{head}X-Timestamp: 1.0\r\n\r\n".encode() + self.frame
            yield b"\r\n--boundarydonotcross\r\n"
            await asyncio.sleep(0.05)

    async def _other(self, request: Request) -> Response:
        if status := self._refusal(request):
            return answer({"error": "no"}, status)
        path = "/" + request.path_params["path"]
        if request.method == "POST":
            self.posts.append(f"{path}?{request.url.query}")
            return answer({"error_msg": "busy"}, 409) if self.busy else await self._pressed(request)
        if path == "/streamer/snapshot":
            return self._snapshot()
        if path == "/streamer":
            running = {"source": {"online": self.signal}} if self.running else None
            return answer({"streamer": running})
        if path == "/hid/keymaps":
            return answer({"keymaps": {"default": self.keymap, "available": [self.keymap]}})
        if path == "/atx":
            return answer({"enabled": True, "leds": {"power": self.powered, "hdd": False}})
        if path == "/hid":
            return answer(self._state())
        return answer() if path == "/auth/check" else answer({"error": "NotFound"}, 404)

    async def _pressed(self, request: Request) -> Response:
        self.pressing = True
        over = asyncio.get_running_loop().call_later(PRESS_S, self._let_go)
        if request.query_params.get("wait") == "1":
            await asyncio.sleep(over.when() - asyncio.get_running_loop().time())
        return answer()

    def _let_go(self) -> None:
        self.pressing = False

    def _snapshot(self) -> Response:
        self.snapshots += 1
        if not (self.running and self.signal):
            return answer({"error": "UnavailableError"}, 503)
        return Response(self.frame, media_type="image/jpeg")

    @property
    def running(self) -> bool:
        """Its streamer, which runs on demand."""
        return time.monotonic() >= self.wanted_since + self.starts_after

    def _state(self) -> dict[str, Any]:
        lit = {"caps": self.caps, "num": True, "scroll": False}
        return {
            "online": True,
            "connected": None,
            "keyboard": {"online": True, "leds": lit},
            "mouse": {"online": True, "absolute": self.absolute},
            "jiggler": {"enabled": True, "active": self.jiggles},
        }

    # --- keyboard and mouse ------------------------------------------------------------------

    async def _ws(self, ws: WebSocket) -> None:
        if self._refusal(ws):
            await ws.close(4003)
            return
        await ws.accept()
        self._clear()
        self.sockets.append(ws)
        if ws.query_params.get("stream") == "1":
            self.wanted_since = min(self.wanted_since, time.monotonic())
        await ws.send_json({"event_type": "loop", "event": {}})
        try:
            while True:
                data = await ws.receive_bytes()
                self.events.append(data)
                self._take(data[0], data[1:])
        except WebSocketDisconnect:
            pass
        finally:
            self.sockets.remove(ws)
            if not any(each.query_params.get("stream") == "1" for each in self.sockets):
                self.wanted_since = math.inf
            self._clear()

    async def lamp(self, *, caps: bool) -> None:
        """The computer lights one."""
        self.caps = caps
        event = {"event_type": "hid", "event": {"keyboard": self._state()["keyboard"]}}
        await self.tell(json.dumps(event))

    async def tell(self, message: str) -> None:
        for ws in self.sockets:
            await ws.send_text(message)

    def _take(self, kind: int, data: bytes) -> None:
        if kind == 1:
            usage = USAGES[data[1:].decode("ascii")]
            self.keys = [key for key in self.keys if key != usage] + [usage] * (data[0] & 1)
            self._make_keyboard_report()
        elif kind == 2:
            bit = 1 << BUTTONS.index(data[1:].decode("ascii"))
            self.buttons = self.buttons | bit if data[0] & 1 else self.buttons & ~bit
            self._pointer()
        elif kind == 3 and self.absolute:
            x, y = ((each + 32768) * 32767 // 65535 for each in struct.unpack(">hh", data))
            self.place = (x, y)
            self._pointer()
        elif kind == 4 and not self.absolute:
            self.relative.append(struct.unpack(">bb", data[1:]))
        elif kind == 5:
            self._pointer(struct.unpack(">bb", data[1:])[1])

    def _clear(self) -> None:
        if self.keys or self.buttons:
            self.keys, self.buttons = [], 0
            self._make_keyboard_report()
            self._pointer()

    def _make_keyboard_report(self) -> None:
        modifiers = sum(1 << key - 0xE0 for key in self.keys if key >= 0xE0)
        usages = [key for key in self.keys if key < 0xE0]
        report = bytes([modifiers, 0, *usages, *bytes(6 - len(usages))])
        self.written.append(("keyboard", report))

    def _pointer(self, wheel: int = 0) -> None:
        x, y = self.place
        report = bytes([self.buttons, x & 255, x >> 8, y & 255, y >> 8, wheel & 255])
        self.written.append(("pointer", report))
