"""One-KVM (0.2 or newer): video, state and power over HTTP, keys and mouse over a WebSocket.

The server releases everything when a client of that WebSocket disconnects.
"""

from __future__ import annotations

import asyncio
import json
import struct
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.receiver import Stalled
from ..types import DeviceError, Mount, NoSignal, PowerButton, as_object, as_objects, parse_object
from .http_client import KvmHttpClient, WrongPassword
from .http_kvm import HttpMedia, WebSocketKvm, check_periodically
from .kvm import KvmCallbacks, KvmConfig
from .media import FETCH_POLL_S, TRANSFER_TIMEOUT_S, DriveState, Image, encode_form
from .report_diff import AbsoluteMove, ButtonEvent, Change, KeyEvent, RelativeMove, diff
from .websocket_link import WebSocketLink

COOKIE = "one_kvm_session"
PRESSES: dict[PowerButton, str] = {"power": "short", "hold_power": "long", "reset": "reset"}
BUTTONS = (0, 2, 1, 3, 4)
"""The protocol's number of each button, by its bit in a report."""
LEDS = "num_lock", "caps_lock", "scroll_lock"
HID_UNAVAILABLE = b"\x01"
MODE_POLLS, MODE_POLL_S = 50, 0.2
DOWNLOAD_START_S = 45.0
"""Time limit for the start of a download; the server waits 30 s for its connection."""


class OneKvm(WebSocketKvm):
    power_buttons = tuple(PRESSES)
    brand = "One-KVM"
    hid_path = watchdog_path = "/api/ws/hid"
    _stream_mode_before = ""
    _socket: WebSocketLink | None = None
    _dropped = False
    """Whether the server has dropped a message of the current report."""

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        super().__init__(config, callbacks)
        self._session: dict[str, str] = {}
        self.media = OneKvmMedia(self.name, self._client, self._ask)

    async def frames(self) -> AsyncIterator[bytes]:
        await self._check_state()
        await self._use_mjpeg()
        stream = self._client.frames("/api/stream/mjpeg")
        try:
            async for jpeg in check_periodically(stream, self._check_state):
                yield jpeg
        except Stalled:
            await self._check_state()
            raise

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        self._dropped = False
        await super().write(endpoint, report)
        if self._dropped:
            raise DeviceError(Message("hid.not_attached"))
        self._set_attached(True)

    async def press(self, button: PowerButton) -> None:
        await self._ask("POST", "/api/atx/power", json={"action": PRESSES[button]})

    async def wake(self) -> None:
        await self._ask("POST", "/api/atx/wol", json={"mac_address": self.mac})

    async def is_powered(self) -> bool | None:
        state = await self._ask("GET", "/api/atx/status")
        return {"on": True, "off": False}.get(str(state.get("power_status")))

    async def _use_mjpeg(self) -> None:
        """Switch to MJPEG; repeated for each stream, since a person can change the mode."""
        path = "/api/stream/mode"
        mode = str((await self._ask("GET", path)).get("mode"))
        if mode == "mjpeg":
            return
        self._stream_mode_before = self._stream_mode_before or mode
        await self._ask("POST", path, json={"mode": "mjpeg"})
        for _ in range(MODE_POLLS):
            if not (await self._ask("GET", path)).get("switching"):
                break
            await asyncio.sleep(MODE_POLL_S)

    async def _restore(self) -> None:
        if self._stream_mode_before:
            await self._ask("POST", "/api/stream/mode", json={"mode": self._stream_mode_before})

    async def _check_state(self) -> None:
        """Store the LEDs and the kind of mouse. Raises `NoSignal`."""
        hid = await self._ask("GET", "/api/hid/status")
        self._set_absolute(hid.get("supports_absolute_mouse"))
        if hid.get("keyboard_leds_enabled"):
            self._set_leds(as_object(hid.get("led_state")), *LEDS)
        if (await self._ask("GET", "/api/stream/status")).get("state") == "no_signal":
            raise NoSignal

    async def _ask(self, method: str, path: str, **options: Any) -> Mapping[str, Any]:
        """Send a request; return its answer. Raises `DeviceError` if the KVM reports a failure."""
        answer = await self._client.request(method, path, **options)
        found = parse_object(answer.content)
        if answer.status_code != 200 or found.get("success") is False:
            reason = str(found.get("message") or answer.status_code)
            raise DeviceError(Message("kvm.failed", kvm=self.name, reason=reason))
        return found

    async def _set_up(self, socket: WebSocketLink) -> None:
        self._socket = socket

    def _receive(self, message: str | bytes) -> None:
        """Handle a dropped report; the message comes before its confirmation."""
        self._dropped = message == HID_UNAVAILABLE
        self._set_attached(not self._dropped)

    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        """See `remote_hid.Encode`. A key event also sets the modifiers: to those of `now`, so that
        the release of a key that is already up presses none."""
        return [encode_event(change, now[0]) for change in diff(endpoint, before, now)]

    async def _log_in(self, client: KvmHttpClient) -> dict[str, str]:
        if self._session:
            await self._refuse_if_revoked(client)
        who = {"username": self._config.user or "admin", "password": self._config.password}
        answer = await client.request_without_login("POST", "/api/auth/login", json=who)
        refused = Message("kvm.wrong_login_or_code", kvm=self.name)
        found = self._check_login(answer, refused, 401, key="next")
        if found.get("next") == "totp":
            code = {"challenge_id": found.get("challenge_id"), "code": self._config.code}
            answer = await client.request_without_login("POST", "/api/auth/login/totp", json=code)
            self._check_login(answer, refused, 400, 401, key="next")
        self._session = {"Cookie": f"{COOKIE}={answer.cookies.get(COOKIE)}"}
        return self._session

    async def _refuse_if_revoked(self, client: KvmHttpClient) -> None:
        """Raise if another login has ended this one: this program must not end that one."""
        answer = await client.request_without_login("GET", "/api/auth/check", headers=self._session)
        if parse_object(answer.content).get("message") == "Logged in elsewhere":
            reason = Message("kvm.taken_over", kvm=self.name)
            self._hid.release()
            if self._socket:
                self._socket.loss = reason
                self._socket.close()
            raise WrongPassword(reason)


def encode_event(change: Change, modifiers: int) -> bytes:
    if isinstance(change, KeyEvent):
        return bytes([1, not change.down, change.usage, modifiers])
    if isinstance(change, AbsoluteMove):
        return _encode_mouse(1, change.x, change.y, 0)
    if isinstance(change, RelativeMove):
        return _encode_mouse(0, change.dx, change.dy, 0)
    if isinstance(change, ButtonEvent):
        return _encode_mouse(2 if change.down else 3, 0, 0, BUTTONS[change.bit])
    return _encode_mouse(4, 0, 0, change.notches)


def _encode_mouse(kind: int, x: int, y: int, value: int) -> bytes:
    return struct.pack("<BBhhb", 2, kind, x, y, value)


class OneKvmMedia(HttpMedia):
    usb_reset_s = 1.0

    async def state(self) -> DriveState:
        stored = [Image(str(each["name"]), each["size"]) for each in await self._stored()]
        mounted = next(iter(await self._mounted()), {})
        return DriveState(
            tuple(image for image in stored if not image.name.startswith(".")),  # ".": incomplete
            str(mounted.get("name") or ""),
            "cdrom" if mounted.get("cdrom") else "disk",
        )

    async def _insert(self, action: Mount) -> None:
        found = next(each for each in await self._stored() if each["name"] == action.image)
        how = {"cdrom": action.drive == "cdrom", "read_only": True}
        await self._ask("POST", f"/api/msd/images/{found['id']}/mount", json=how)

    async def _remove(self) -> None:
        for each in (await self._mounted())[:1]:
            what = "drive" if each.get("kind") == "drive" else f"images/{each.get('id')}"
            await self._ask("DELETE", f"/api/msd/{what}/mount")

    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        form = encode_form(name, size, chunks)
        await self._ask("POST", "/api/msd/images", timeout=TRANSFER_TIMEOUT_S, **form)

    async def fetch(self, url: str) -> AsyncIterator[float]:
        """See `Media.fetch`. The name of an incomplete image in the list begins with a dot."""
        before = {each["name"] for each in await self._stored()}
        path, until = "/api/msd/images/download", time.monotonic() + DOWNLOAD_START_S
        begun = await self._ask("POST", path, json={"url": url})
        new: set[str] = set()
        try:
            while all(name.startswith(".") for name in new):
                if not new and time.monotonic() > until:
                    raise DeviceError(Message("kvm.not_fetched", kvm=self._name, url=url))
                yield 0.0
                await asyncio.sleep(FETCH_POLL_S)
                new = {each["name"] for each in await self._stored()} - before
        except (GeneratorExit, asyncio.CancelledError):
            download = {"download_id": begun.get("download_id")}
            await asyncio.shield(self._client.request("POST", f"{path}/cancel", json=download))
            raise

    async def _stored(self) -> list[Mapping[str, Any]]:
        answer = await self._client.request("GET", "/api/msd/images")
        return as_objects(json.loads(answer.content)) if answer.status_code == 200 else []

    async def _mounted(self) -> list[Mapping[str, Any]]:
        state = as_object((await self._ask("GET", "/api/msd/status")).get("state"))
        return as_objects(state.get("mounted_media"))
