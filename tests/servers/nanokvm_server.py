"""NanoKVM's and NanoKVM-Pro's own web API as far as the agent uses it, and how it fails.

Account, cookie, streams and the WebSocket behave as the firmware does; what it would have written
to /dev/hidg* is kept. The quirks that matter are switches: how the password and the token travel,
who lets go when a connection ends, which frames are sent while nothing changes.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cua.hid.reports import Endpoint
from tests.servers.disk_images import DiskImages
from tests.servers.mjpeg_server import picture

LENGTHS: dict[tuple[int, int], Endpoint] = {
    (1, 8): "keyboard",
    (2, 4): "mouse",
    (2, 6): "pointer",
}
OK = {"code": 0, "msg": "success"}


@dataclass
class NanoKvm:
    """Change the fields while it runs."""

    passphrase: bytes = b"nanokvm-sipeed-2024"
    """Empty: it takes the password as it is."""
    cookie_only: bool = True
    releases: bool = True
    """Whether it lets go of everything when a connection ends."""
    detecting: bool | None = True
    """Whether it sends nothing while nothing changes; None: it has no such thing."""
    trusts_loopback: bool = False
    """Whether its own machine needs no login."""
    pins: Path | None = None
    """Where the kernel has the pins that press the buttons of the case, as files."""
    account: tuple[str, str] = ("admin", "correct horse")
    signal: bool = True
    locked: bool = False
    mode: str = "h264-webrtc"
    frame: bytes = field(default_factory=picture)
    written: list[tuple[Endpoint, bytes]] = field(default_factory=list)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    tries: int = 0
    token: str = "t0"
    sockets: list[WebSocket] = field(default_factory=list)
    beats: int = 0
    powered: bool = True
    disk_images: DiskImages = field(default_factory=DiskImages)
    jiggles: bool | None = None
    """None: firmware that knows nothing of it."""
    lamps_known: asyncio.Event | None = None
    """A request for the keyboard's LEDs waits until this is set."""

    def app(self) -> Starlette:
        routes = [
            Route("/api/auth/login", self._login, methods=["POST"]),
            Route("/api/stream/mjpeg", self._stream),
            Route("/api/hid/leds", self._lamps),
            Route("/api/vm/mouse-jiggler", self._jiggler),
            Route("/api/vm/gpio", self._case, methods=["GET", "POST"]),
            Route("/api/extensions/kvmadmin/status", self._kvmadmin),
            *self.disk_images.nanokvm_routes(self._known, pro=self.detecting is None),
            Route("/api/{path:path}", self._other, methods=["GET", "POST"]),
            WebSocketRoute("/api/ws", self._ws),
        ]
        return Starlette(routes=routes)

    def down(self) -> list[Endpoint]:
        """What the computer still has pressed."""
        last = dict(self.written)
        return [e for e, r in last.items() if (any(r) if e == "keyboard" else r[0])]

    async def end_session(self) -> None:
        """Forget the login, as a restart does."""
        self.token = "t1"
        for ws in [*self.sockets]:
            await ws.close(4401)

    async def _login(self, request: Request) -> Response:
        self.tries += 1
        who = await request.json()
        if self.locked:
            return JSONResponse({"code": -5, "msg": "too many failures"})
        if (who.get("username"), self._password(str(who.get("password")))) != self.account:
            return JSONResponse({"code": -2, "msg": "invalid username or password"})
        if not self.cookie_only:
            return JSONResponse({**OK, "data": {"token": self.token}})
        answer = JSONResponse({**OK, "data": {}})
        answer.set_cookie("nano-kvm-token", self.token, httponly=True, samesite="strict")
        return answer

    def _password(self, sent: str) -> str:
        if not self.passphrase:
            return sent
        try:
            return unscrambled(sent, self.passphrase)
        except ValueError:
            return ""

    def _known(self, visitor: HTTPConnection) -> bool:
        return self.trusts_loopback or visitor.cookies.get("nano-kvm-token") == self.token

    async def _case(self, request: Request) -> Response:
        if not self._known(request):
            return PlainTextResponse("unauthorized", 401)
        if request.method == "GET":
            return JSONResponse({**OK, "data": {"pwr": self.powered, "hdd": False}})
        body = await request.json()
        self.asked.append(("POST", "/vm/gpio", body))
        return await self._press(body["type"], body["duration"])

    async def _press(self, button: str, milliseconds: int) -> Response:
        if self.pins:
            pin = self.pins / button / "value"
            if not pin.exists():
                return JSONResponse({"code": -2, "msg": f"no pin for {button}"})
            pin.write_text("1")
            await asyncio.sleep(milliseconds / 1000)
            pin.write_text("0")
        return JSONResponse(OK)

    async def _stream(self, request: Request) -> Response:
        if not self._known(request):
            return PlainTextResponse("unauthorized", 401)
        if not self.signal:
            await asyncio.Event().wait()  # not even a status line
        self.mode = "mjpeg"
        return StreamingResponse(
            self._parts(), media_type="multipart/x-mixed-replace; boundary=frame"
        )

    async def _parts(self) -> AsyncIterator[bytes]:
        sent = b""
        while self.signal and self.mode == "mjpeg":
            if self.frame != sent or not self.detecting:
                sent = self.frame
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(sent)}\r\n\r\n"
                yield head.encode() + sent + b"\r\n"
            await asyncio.sleep(0.04)
        await asyncio.Event().wait()

    async def _lamps(self, _: Request) -> Response:
        """As firmware does that knows nothing of them."""
        if self.lamps_known:
            await self.lamps_known.wait()
        return PlainTextResponse("404 page not found", 404)

    async def _jiggler(self, request: Request) -> Response:
        if not self._known(request):
            return PlainTextResponse("unauthorized", 401)
        if self.jiggles is None:
            return PlainTextResponse("404 page not found", 404)
        return JSONResponse({**OK, "data": {"enabled": self.jiggles, "mode": "absolute"}})

    async def _kvmadmin(self, request: Request) -> Response:
        if self.detecting is not None:  # not a Pro
            return PlainTextResponse("404 page not found", 404)
        if not self._known(request):
            return PlainTextResponse("unauthorized", 401)
        return JSONResponse({**OK, "data": {"state": "notInstall"}})

    async def _other(self, request: Request) -> Response:
        if not self._known(request):
            return PlainTextResponse("unauthorized", 401)
        path = "/" + request.path_params["path"]
        body = json.loads(await request.body() or b"null")
        self.asked.append((request.method, path, body))
        if path == "/stream/mjpeg/detect" and self.detecting is not None:
            if request.method == "POST":
                self.detecting = body["enabled"]
            return JSONResponse({**OK, "data": {"enabled": self.detecting}})
        if path == "/stream/mode":
            if request.method == "POST":
                self.mode = body["mode"]
            return JSONResponse({**OK, "data": {"mode": self.mode}})
        found: dict[str, dict[str, Any]] = {
            "/auth/account": {"data": {"username": self.account[0]}},
            "/network/wol": {},
            "/vm/hdmi": {"data": {"signal": self.signal}},
            "/vm/hdmi/capture": {"data": {"signal": self.signal}},
        }
        if path not in found:
            return PlainTextResponse("404 page not found", 404)
        return JSONResponse({**OK, **found[path]})

    async def _ws(self, ws: WebSocket) -> None:
        host, origin = ws.headers["host"], ws.headers.get("origin", "")
        if not self._known(ws) or origin.partition("://")[2] not in ("", host):
            await ws.close(4003)
            return
        await ws.accept()
        self.sockets.append(ws)
        try:
            while True:
                self._take(await ws.receive_bytes())
        except WebSocketDisconnect:
            pass
        finally:
            self.sockets.remove(ws)
            if self.releases:
                self.written += [(e, bytes(len(dict(self.written)[e]))) for e in self.down()]

    def _take(self, data: bytes) -> None:
        if data == b"\x00":
            self.beats += 1
        endpoint = LENGTHS.get((data[0], len(data) - 1))
        if endpoint:
            self.written.append((endpoint, data[1:]))


def nanokvm_pro(**switches: Any) -> NanoKvm:
    return NanoKvm(passphrase=b"", cookie_only=False, releases=False, detecting=None, **switches)


def unscrambled(sent: str, passphrase: bytes) -> str:
    """As the firmware does it. Raises ValueError on anything else."""
    raw = base64.b64decode(unquote(sent), validate=True)
    if not raw.startswith(b"Salted__"):
        raise ValueError("no salt")
    block, material = b"", b""
    while len(material) < 48:
        block = hashlib.md5(block + passphrase + raw[8:16]).digest()
        material += block
    plain = Cipher(algorithms.AES(material[:32]), modes.CBC(material[32:48])).decryptor()
    unpad = padding.PKCS7(128).unpadder()
    return (unpad.update(plain.update(raw[16:]) + plain.finalize()) + unpad.finalize()).decode()
