"""One-KVM's server as far as the agent uses it, and how it fails.

Its events become what its USB gadget would have been told, as its OTG backend does it: the buttons
and the wheel belong to a relative mouse, and a client of the WebSocket that goes makes it let go of
everything.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cua.hid.reports import Endpoint
from tests.servers.disk_images import DiskImages
from tests.servers.mjpeg_server import picture

BITS = (1, 4, 2, 8, 16)
"""Of a report, by the number of a button in the protocol."""


def failure(status: int, message: str) -> Response:
    return JSONResponse({"success": False, "message": message}, status)


@dataclass
class OneKvm:
    """Change the fields while it runs. `code`: of the second factor, if there is one."""

    account: tuple[str, str] = ("admin", "correct horse")
    code: str = ""
    limited: bool = False
    mode: str = "h264"
    switching: int = 2
    """How often a change of the mode is reported as under way."""
    signal: bool = True
    absolute: bool = True
    caps: bool = False
    available: bool = True
    """Whether the computer takes input."""
    powered: bool = True
    pressed: list[str] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)
    disk_images: DiskImages = field(default_factory=DiskImages)
    frame: bytes = field(default_factory=picture)
    tries: int = 0
    sessions: list[str] = field(default_factory=list)
    """All that there were; only the last one counts."""
    ended: str = "Session expired"
    written: list[tuple[Endpoint, bytes]] = field(default_factory=list)
    sockets: list[WebSocket] = field(default_factory=list)
    downloading: asyncio.Task[None] | None = None
    modifiers: int = 0
    keys: list[int] = field(default_factory=list)
    buttons: int = 0
    place: tuple[int, int] = (0, 0)

    def app(self) -> Starlette:
        routes = [
            Route("/api/auth/login", self._login, methods=["POST"]),
            Route("/api/auth/login/totp", self._login_totp, methods=["POST"]),
            Route("/api/setup", self._setup),
            Route("/api/stream/mjpeg", self._stream),
            WebSocketRoute("/api/ws/hid", self._hid),
            Route("/api/{path:path}", self._other, methods=["GET", "POST", "DELETE"]),
        ]
        return Starlette(routes=routes)

    def down(self) -> bool:
        return bool(self.keys or self.modifiers or self.buttons)

    async def end_session(self) -> None:
        """Forget the login, as a restart does."""
        self.sessions.append("none")
        for ws in [*self.sockets]:
            await ws.close(1012)

    def take_over(self) -> None:
        """Log in elsewhere."""
        self.ended = "Logged in elsewhere"
        self.sessions.append("of a browser")

    # --- who is there ------------------------------------------------------------------------

    async def _setup(self, _: Request) -> Response:
        return JSONResponse({"initialized": True, "needs_setup": False, "platform": {}})

    async def _login(self, request: Request) -> Response:
        self.tries += 1
        who = await request.json()
        if self.limited:
            return failure(429, "Too many attempts")
        if (who["username"], who["password"]) != self.account:
            return failure(401, "Invalid username or password")
        if self.code:
            return JSONResponse({"next": "totp", "challenge_id": "c1", "expires_at_unix_ms": 0})
        return self._welcome()

    async def _login_totp(self, request: Request) -> Response:
        said = await request.json()
        if len(said["code"]) != 6:
            return failure(400, "TOTP code must contain exactly 6 digits")
        if said != {"challenge_id": "c1", "code": self.code}:
            return failure(401, "Invalid TOTP code")
        return self._welcome()

    def _welcome(self) -> Response:
        self.sessions.append(f"s{len(self.sessions)}")
        given = JSONResponse({"next": "authenticated"})
        given.set_cookie("one_kvm_session", self.sessions[-1], httponly=True, samesite="lax")
        return given

    def _known(self, visitor: HTTPConnection) -> bool:
        return visitor.cookies.get("one_kvm_session") in self.sessions[-1:]

    # --- pictures, state, power --------------------------------------------------------------

    async def _stream(self, request: Request) -> Response:
        if not self._known(request):
            return failure(401, self.ended)
        if self.mode != "mjpeg" or self.switching:
            return JSONResponse({"error": "MJPEG mode not active"}, 503)
        kind = "multipart/x-mixed-replace; boundary=frame"
        return StreamingResponse(self._parts(), media_type=kind)

    async def _parts(self) -> AsyncIterator[bytes]:
        while self.mode == "mjpeg" and self.signal:
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(self.frame)}"
            yield f"{head}\r\n\r\n".encode() + self.frame + b"\r\n"
            await asyncio.sleep(0.04)

    async def _other(self, request: Request) -> Response:
        if not self._known(request):
            return failure(401, self.ended)
        path, body = request.path_params["path"], await request.body()
        if path.startswith("msd/"):
            return await self._media(request)
        if request.method == "POST":
            return self._do(path, json.loads(body or b"{}"))
        lit = {"num_lock": True, "caps_lock": self.caps, "scroll_lock": False}
        found = {
            "auth/check": {"authenticated": True},
            "atx/status": {"power_status": "on" if self.powered else "off"},
            "stream/mode": {"success": True, "mode": self.mode, "switching": self._is_switching()},
            "stream/status": {"state": "streaming" if self.signal else "no_signal"},
            "hid/status": {
                "available": self.available,
                "supports_absolute_mouse": self.absolute,
                "keyboard_leds_enabled": True,
                "led_state": lit,
            },
        }
        return JSONResponse(found[path]) if path in found else PlainTextResponse("", 404)

    def _do(self, path: str, body: dict[str, Any]) -> Response:
        if path == "stream/mode":
            self.mode, self.switching = body["mode"], 2
        elif path == "atx/power":
            self.pressed.append(body["action"])
        elif path == "atx/wol":
            self.woken.append(body["mac_address"])
        else:
            return PlainTextResponse("", 404)
        return JSONResponse({"success": True, "message": "Done"})

    def _is_switching(self) -> bool:
        self.switching = max(0, self.switching - 1)
        return self.switching > 0

    # --- keyboard and mouse ------------------------------------------------------------------

    async def _hid(self, ws: WebSocket) -> None:
        if not self._known(ws):
            await ws.close(4003)
            return
        await ws.accept()
        self.sockets.append(ws)
        await ws.send_bytes(bytes([not self.available]))
        try:
            while True:
                data = await ws.receive_bytes()
                if self.available:
                    self._take(data)
                else:
                    await ws.send_bytes(b"\x01")
        except WebSocketDisconnect:
            pass
        finally:
            self.sockets.remove(ws)
            self._reset()

    def _take(self, data: bytes) -> None:
        if data[0] == 1:
            self._take_key(up=data[1] == 1, usage=data[2], modifiers=data[3])
        else:
            kind, x, y, value = struct.unpack("<Bhhb", data[1:])
            self._take_mouse(kind, x, y, value)

    def _take_key(self, *, up: bool, usage: int, modifiers: int) -> None:
        if usage >= 0xE0:
            bit = 1 << usage - 0xE0
            self.modifiers = self.modifiers & ~bit if up else self.modifiers | bit
        else:
            self.modifiers = modifiers
            self.keys = [key for key in self.keys if key != usage] + [usage] * (not up)
        self._make_keyboard_report()

    def _take_mouse(self, kind: int, x: int, y: int, value: int) -> None:
        if kind == 1:
            self.place = (x, y)
            self._pointer()
        elif kind in (2, 3):
            bit = BITS[value]
            self.buttons = self.buttons | bit if kind == 2 else self.buttons & ~bit
            self._pointer()
        elif kind == 4:
            self._pointer(value)
        else:
            self.written.append(("mouse", struct.pack("<Bbbb", self.buttons, x, y, 0)))

    def _reset(self) -> None:
        if self.down():
            self.keys, self.modifiers, self.buttons = [], 0, 0
            self._make_keyboard_report()
            self._pointer()

    def _make_keyboard_report(self) -> None:
        self.written.append(
            ("keyboard", bytes([self.modifiers, 0, *self.keys, *bytes(6 - len(self.keys))]))
        )

    def _pointer(self, wheel: int = 0) -> None:
        """The computer makes one pointer of both mice."""
        self.written.append(("pointer", struct.pack("<BHHb", self.buttons, *self.place, wheel)))

    # --- images of disks ---------------------------------------------------------------------

    async def _media(self, request: Request) -> Response:
        images = self.disk_images
        path = request.path_params["path"].removeprefix("msd/")
        if path == "status":
            kind = {"kind": "image", "cdrom": images.cdrom, "read_only": True}
            mounted = {"id": _id(images.mounted), "name": images.mounted, **kind}
            state = {"mounted_media": [mounted] if images.mounted else []}
            return JSONResponse({"available": True, "state": state})
        if path == "images" and request.method == "GET":
            return JSONResponse([
                {"id": _id(name), "name": name, "size": len(file)}
                for name, file in images.files.items()
            ])  # fmt: skip
        if path == "images":
            async with request.form() as form:
                file: Any = form["file"]
                images.files[file.filename] = await file.read()
            return JSONResponse({"id": _id(file.filename), "name": file.filename})
        body = json.loads(await request.body() or b"{}")
        if path == "images/download":
            self.downloading = asyncio.create_task(self._download(body["url"]))
            return JSONResponse({"download_id": "d1", "status": "started"})
        if path == "images/download/cancel":
            images.cancelled += body["download_id"] == "d1"
            return JSONResponse({"success": True})
        return self._mount(request.method, path, body)

    async def _download(self, url: str) -> None:
        """Nothing is listed of what the web does not have."""
        files, name = self.disk_images.files, f".download_{len(url)}"
        for end in range(3) if url in self.disk_images.web else ():
            files[name] = self.disk_images.web[url][:end]
            await asyncio.sleep(0.1)
        if files.pop(name, None):
            files[url.rpartition("/")[2]] = self.disk_images.web[url]

    def _mount(self, method: str, path: str, body: dict[str, Any]) -> Response:
        images = self.disk_images
        name = next((each for each in images.files if path == f"images/{_id(each)}/mount"), "")
        if not name or (method == "POST") is bool(images.mounted):
            return failure(400, "No free media slot")
        images.mounted = name if method == "POST" else ""
        images.cdrom = bool(body.get("cdrom"))
        images.changes.append(f"{method} {name}")
        return JSONResponse({"success": True, "message": "Done"})


def _id(name: str) -> str:
    return name.encode().hex()
