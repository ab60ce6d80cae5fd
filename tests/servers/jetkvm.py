"""A JetKVM as far as the agent uses it, and how it fails: HTTP login, signaling, JSON-RPC, H.264.

As the firmware does, it handles requests concurrently, sends its ICE candidates after its answer
and key frames at fixed intervals. A new session replaces the former one. Keys that are down
stay down when a session ends, as in firmware up to 0.4.7.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import fractions
import io
import json
import random
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
from aiortc.sdp import candidate_from_sdp
from av import VideoFrame
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cua.hid.reports import Endpoint
from tests.servers.disk_images import DiskImages
from tests.servers.mjpeg_server import picture

FPS, KEY_FRAME_INTERVAL_S, TAKEOVER_S = 12, 1.0, 1.0
CLOCK_HZ = 90_000
MEDIA_METHODS = (
    "listStorageFiles", "getVirtualMediaState", "startStorageFileUpload", "deleteStorageFile",
    "mountWithStorage", "unmountImage",
)  # fmt: skip


@dataclass
class JetKvm:
    """Change the fields while it runs."""

    password: str = "correct horse"
    """Empty: it needs none."""
    limited: bool = False
    signal: bool = True
    usb: str = "configured"
    detached_by_mount: bool = False
    """Whether a mount detaches its USB from the computer, until `tell_usb` reports it attached."""
    caps: bool = False
    silent: bool = False
    """Whether it reads requests and does not answer, as when datagrams are lost."""
    failing: int = 0
    """How many of the next reports fail."""
    hanging: tuple[str, ...] = ()
    """Requests that are never answered."""
    offers: int = 0
    extension: str = "atx-power"
    powered: bool = True
    frame: bytes = field(default_factory=lambda: picture(size=(640, 360)))
    tries: int = 0
    tokens: list[str] = field(default_factory=list)
    """All that there were; only the last one counts."""
    disk_images: DiskImages = field(default_factory=DiskImages)
    sessions: list[Session] = field(default_factory=list)
    written: list[tuple[Endpoint, bytes]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keyboard: bytes = bytes(8)
    buttons: int = 0
    place: tuple[int, int] = (0, 0)

    def app(self) -> Starlette:
        routes = [
            Route("/device/status", lambda _: JSONResponse({"isSetup": True, "sku": "jetkvm-v2"})),
            Route("/device", self._device),
            Route("/auth/login-local", self._login, methods=["POST"]),
            Route("/storage/upload", self._upload, methods=["POST"]),
            WebSocketRoute("/webrtc/signaling/client", self._signaling),
        ]
        return Starlette(routes=routes)

    def down(self) -> bool:
        return any(self.keyboard) or bool(self.buttons)

    async def cut(self) -> None:
        """End the session, as a restart of the firmware does."""
        await asyncio.gather(*(each.close() for each in self.sessions))

    def take_over(self) -> None:
        """Log in and begin a session elsewhere."""
        self.tokens.append("of a browser")
        for each in self.sessions:
            each.take_over()

    # --- who is there ------------------------------------------------------------------------

    def _known(self, visitor: HTTPConnection) -> bool:
        return not self.password or visitor.cookies.get("authToken") in self.tokens[-1:]

    async def _device(self, request: Request) -> Response:
        if not self._known(request):
            return JSONResponse({"error": "Unauthorized"}, 401)
        mode = "password" if self.password else "noPassword"
        return JSONResponse({"authMode": mode, "deviceId": "1", "loopbackOnly": False})

    async def _login(self, request: Request) -> Response:
        self.tries += 1
        if not self.password:
            return JSONResponse({"error": "Login is disabled in noPassword mode"}, 400)
        if self.limited:
            return JSONResponse({"error": "Too many failed attempts", "retry_after": 60}, 429)
        if (await request.json())["password"] != self.password:
            return JSONResponse({"error": "Invalid password"}, 401)
        self.tokens.append(f"token{len(self.tokens)}")
        welcome = JSONResponse({"message": "Login successful"})
        welcome.set_cookie("authToken", self.tokens[-1], httponly=True)
        return welcome

    async def _upload(self, request: Request) -> Response:
        if not self._known(request):
            return JSONResponse({"error": "Unauthorized"}, 401)
        name = request.query_params["uploadId"].removeprefix("upload_")
        files = self.disk_images.files
        if f"{name}.incomplete" not in files:
            return JSONResponse({"error": "Upload not found"}, 404)
        files[name] = files.pop(f"{name}.incomplete") + await request.body()
        return JSONResponse({"message": "Upload completed"})

    async def _signaling(self, ws: WebSocket) -> None:
        if not self._known(ws):
            await ws.close(4003)
            return
        await ws.accept()
        await ws.send_json({"type": "device-metadata", "data": {"deviceVersion": "0.5.8"}})
        session: Session | None = None
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                said = await ws.receive_json()
                if said["type"] == "offer":
                    self.offers += 1
                    for each in self.sessions:
                        each.take_over()
                    session = Session(self)
                    self.sessions.append(session)
                    await session.answer(ws, said["data"]["sd"])

    # --- what the computer gets --------------------------------------------------------------

    async def handle(self, method: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result or the error of a request."""
        await asyncio.sleep(random.random() * 0.004)
        self.requests.append((method, dict(said)))
        if method in self.hanging:
            await asyncio.Event().wait()
        if method.endswith("Report"):
            if self.failing:
                self.failing -= 1
                return _error(-32603, "Internal error", data="write: device busy")
            self._report(method, said)
            return {}
        if method in MEDIA_METHODS:
            return self._handle_media(method, said)
        if method not in (state := self._state()):
            return _error(-32601, "Method not found")
        if method == "setDCPowerState":
            self.powered = said["enabled"]
        return {} if state[method] is None else {"result": state[method]}

    def _report(self, method: str, said: Mapping[str, Any]) -> None:
        wheel = 0
        if method == "keyboardReport":
            self.keyboard = bytes([said["modifier"], 0, *said["keys"]])
        elif method == "absMouseReport":
            self.buttons, self.place = said["buttons"], (said["x"], said["y"])
        elif method == "wheelReport":
            assert "wheelX" in said
            wheel = said["wheelY"]
        if self.usb != "configured":  # dropped, and still a success
            return
        if method == "keyboardReport":
            self.written.append(("keyboard", self.keyboard))
        elif method == "relMouseReport":
            report = struct.pack("<Bbbb", said["buttons"], said["dx"], said["dy"], 0)
            self.written.append(("mouse", report))
        else:
            self.written.append(("pointer", struct.pack("<BHHb", self.buttons, *self.place, wheel)))

    def _state(self) -> dict[str, Any]:
        error = "" if self.signal else "no_signal"
        return {
            "getUSBState": self.usb,
            "getVideoState": {"ready": self.signal, "error": error, "width": 640, "height": 360},
            "getKeyboardLedState": {"num_lock": True, "caps_lock": self.caps, "kana": False},
            "getActiveExtension": self.extension,
            "getATXState": {"power": self.powered, "hdd": False},
            "getDCPowerState": {"isOn": self.powered, "voltage": 12.0},
            "setATXPowerAction": None,
            "setDCPowerState": None,
            "sendWOLMagicPacket": None,
        }

    def _handle_media(self, method: str, said: Mapping[str, Any]) -> dict[str, Any]:
        images, name = self.disk_images, str(said.get("filename"))
        if method == "listStorageFiles":
            files = [{"filename": n, "size": len(f)} for n, f in images.files.items()]
            return {"result": {"files": files}}
        if method == "getVirtualMediaState":
            mode = "CDROM" if images.cdrom else "Disk"
            state = {"source": "Storage", "mode": mode, "filename": images.mounted, "size": 1}
            return {"result": state} if images.mounted else {}
        if method == "startStorageFileUpload":
            before = images.files.setdefault(f"{name}.incomplete", b"")
            found = {"alreadyUploadedBytes": len(before), "dataChannel": f"upload_{name}"}
            return {"result": found}
        if method == "deleteStorageFile":
            del images.files[name]
        elif method == "mountWithStorage":
            if images.mounted:
                return _error(-32603, "Internal error", data="another is already mounted")
            images.mounted, images.cdrom = name, said["mode"] == "CDROM"
            if self.detached_by_mount:
                self.tell_usb("not attached")
        else:
            images.mounted = ""
        return {}

    def tell_usb(self, state: str) -> None:
        self.usb = state
        self.tell("usbState", state)

    def tell(self, event: str, params: Any = None) -> None:
        for each in self.sessions:
            each.tell(event, params)


class Session:
    def __init__(self, kvm: JetKvm) -> None:
        self._kvm = kvm
        self._peer = RTCPeerConnection()
        self._channel: RTCDataChannel | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        sender = self._peer.addTrack(Screen(kvm))
        self._send_key_frame = sender._send_keyframe
        sender._send_keyframe = lambda: None
        self._peer.on("datachannel", self._open)

    async def answer(self, ws: WebSocket, sd: str) -> None:
        offer = json.loads(base64.b64decode(sd))
        await self._peer.setRemoteDescription(RTCSessionDescription(offer["sdp"], offer["type"]))
        await self._peer.setLocalDescription(await self._peer.createAnswer())
        lines = self._peer.localDescription.sdp.split("\r\n")
        kept = [each for each in lines if not each.startswith(("a=candidate", "a=end-of"))]
        said = {"type": "answer", "sdp": "\r\n".join(kept)}
        await ws.send_json(
            {"type": "answer", "data": base64.b64encode(json.dumps(said).encode()).decode()}
        )
        for line in lines:
            if line.startswith("a=candidate"):
                assert candidate_from_sdp(line.partition(":")[2])
                found = {"candidate": line[2:], "sdpMid": "0", "sdpMLineIndex": 0}
                await ws.send_json({"type": "new-ice-candidate", "data": found})
        self._do(self._send_key_frames())

    def tell(self, event: str, params: Any = None) -> None:
        if self._channel and self._channel.readyState == "open":
            said = {"jsonrpc": "2.0", "method": event, "params": params}
            self._channel.send(json.dumps(said))

    def take_over(self) -> None:
        self.tell("otherSessionConnected")
        self._do(self._close_after(TAKEOVER_S))

    async def close(self) -> None:
        if self in self._kvm.sessions:
            self._kvm.sessions.remove(self)
        await self._peer.close()

    async def _close_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.close()

    async def _send_key_frames(self) -> None:
        while self._peer.connectionState != "closed":
            self._send_key_frame()
            await asyncio.sleep(KEY_FRAME_INTERVAL_S)

    def _open(self, channel: RTCDataChannel) -> None:
        assert channel.label == "rpc"
        self._channel = channel
        channel.on("message", lambda message: self._do(self._handle(json.loads(message))))

    async def _handle(self, said: Mapping[str, Any]) -> None:
        found = await self._kvm.handle(said["method"], said.get("params", {}))
        if not self._kvm.silent and self._channel and self._channel.readyState == "open":
            self._channel.send(json.dumps({"jsonrpc": "2.0", "id": said["id"], **found}))

    def _do(self, job: Any) -> None:
        task = asyncio.ensure_future(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Screen(VideoStreamTrack):  # type: ignore[misc]
    def __init__(self, kvm: JetKvm) -> None:
        super().__init__()
        self._kvm = kvm
        self._began = time.monotonic()

    async def recv(self) -> VideoFrame:
        await asyncio.sleep(1 / FPS)
        while not self._kvm.signal:
            await asyncio.sleep(1 / FPS)
        image = Image.open(io.BytesIO(self._kvm.frame))
        frame: VideoFrame = VideoFrame.from_image(image)
        frame.pts = int((time.monotonic() - self._began) * CLOCK_HZ)
        frame.time_base = fractions.Fraction(1, CLOCK_HZ)
        return frame


def _error(code: int, message: str, **more: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **more}}
