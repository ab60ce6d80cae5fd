"""PiKVM and GLKVM: video, state and power over HTTP, keys and mouse over a WebSocket.

The daemon releases all keys when a client of that WebSocket connects or disconnects.
"""

from __future__ import annotations

import asyncio
import itertools
import struct
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ..hid import layouts
from ..hid.reports import FULL_SCALE, Endpoint
from ..messages import Message
from ..screen.http_stream import LoginNeeded
from ..types import DeviceError, NoSignal, PowerButton, ScreenError, as_object, parse_object
from .http_client import KvmHttpClient
from .http_kvm import WebSocketKvm, check_periodically
from .key_codes import find_code
from .kvm import KvmCallbacks, KvmConfig
from .pikvm_media import PiKvmMedia
from .report_diff import AbsoluteMove, ButtonEvent, Change, KeyEvent, RelativeMove, diff
from .websocket_link import WebSocketLink

COOKIE = "auth_token"
BUTTONS = ("left", "right", "middle", "up", "down")
CLICKS: dict[PowerButton, str] = {"power": "power", "hold_power": "power_long", "reset": "reset"}
SNAPSHOT_INTERVAL_S = 0.2
STREAM_RETRIES_S = (2.0, 10.0, 60.0)
"""Times of polling snapshots before the stream is tried again; the last one repeats."""
STREAMER_START_S, STREAMER_POLL_S = 5.0, 0.2
"""Time limit for the streamer, which starts on demand, and time between checks for it."""
APPROVAL_POLL_S = 2.0
"""Time between checks whether the login was allowed on the KVM's own screen."""
LAYOUTS = {
    "cz": "cz", "da": "dk", "de": "de", "de-ch": "ch-de", "en-gb": "uk", "en-us": "us",
    "en-us-altgr-intl": "us-intl", "en-us-colemak": "colemak", "es": "es", "et": "ee", "fi": "fi",
    "fr": "fr", "fr-be": "be", "fr-ca": "ca-fr", "fr-ch": "ch-fr", "hr": "hr", "hu": "hu",
    "is": "is", "it": "it", "ja": "jp", "no": "no", "pl": "pl", "pt": "pt", "pt-br": "br",
    "ru": "ru", "sl": "hr", "sv": "se", "tr": "tr",
}  # fmt: skip
"""Keymap of the daemon -> our layout; ar, bepo, fo, lt, lv, mk, nl and th have none.
Slovenian and Croatian keyboards are the same."""


class PiKvm(WebSocketKvm):
    power_buttons = tuple(CLICKS)
    brand = "PiKVM"
    hid_path, watchdog_path = "/api/ws?stream=1", "/api/ws?stream=0"
    _snapshots_reported = False

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        super().__init__(config, callbacks)
        self.media = PiKvmMedia(self.name, self._client, self._ask)

    async def frames(self) -> AsyncIterator[bytes]:
        await self._wait_for_streamer()
        async for jpeg in check_periodically(self._jpegs(), self._check_video):
            yield jpeg

    async def press(self, button: PowerButton) -> None:
        await self._ask("POST", f"/api/atx/click?button={CLICKS[button]}&wait=1")

    async def is_powered(self) -> bool | None:
        state = await self._ask("GET", "/api/atx")
        return bool(as_object(state.get("leds")).get("power")) if state.get("enabled") else None

    # --- video -------------------------------------------------------------------------------

    async def _jpegs(self) -> AsyncIterator[bytes]:
        """Yield JPEGs from the stream, or snapshots while there is no stream."""
        for pause in itertools.chain(STREAM_RETRIES_S, itertools.repeat(STREAM_RETRIES_S[-1])):
            began = False
            try:
                async for jpeg in self._client.frames("/streamer/stream"):
                    began = True
                    yield jpeg
            except ScreenError as error:
                if began or isinstance(error, LoginNeeded):
                    raise
            if began:
                return
            if not self._snapshots_reported:
                self._snapshots_reported = True
                self._callbacks.log("info", Message("kvm.snapshots", kvm=self.name))
            async for jpeg in self._snapshots(time.monotonic() + pause):
                yield jpeg

    async def _snapshots(self, until: float) -> AsyncIterator[bytes]:
        while time.monotonic() < until:
            answer = await self._client.request("GET", "/api/streamer/snapshot")
            if answer.status_code == 200:
                yield answer.content
            elif answer.status_code == 503:
                await self._wait_for_streamer()
            else:
                status = answer.status_code
                raise ScreenError(Message("kvm.no_snapshot", kvm=self.name, status=status))
            await asyncio.sleep(SNAPSHOT_INTERVAL_S)

    async def _wait_for_streamer(self) -> None:
        """Wait until the streamer runs; the daemon runs it while a WebSocket has `stream=1`."""
        end = time.monotonic() + STREAMER_START_S
        await self._hid.link()
        while not await self._check_video():
            if time.monotonic() > end:
                raise ScreenError(Message("kvm.no_streamer", kvm=self.name))
            await asyncio.sleep(STREAMER_POLL_S)
            await self._hid.link()

    async def _check_video(self) -> bool:
        """Return whether the streamer runs. Raises `NoSignal`.

        Without a signal the streamer sends a placeholder picture.
        """
        state = await self._ask("GET", "/api/streamer")
        source = as_object(as_object(state.get("streamer")).get("source"))
        if not source.get("online", True):
            raise NoSignal
        return state.get("streamer", source) is not None

    # --- keyboard and mouse ------------------------------------------------------------------

    async def _set_up(self, _: WebSocketLink) -> None:
        state = await self._ask("GET", "/api/hid")
        self._update_state(state)
        await self._read_keymap()
        if False in (state.get("online"), as_object(state.get("keyboard")).get("online")):
            self._callbacks.log("warning", Message("kvm.not_taken", kvm=self.name))
        elif state.get("connected") is False:
            self._callbacks.log("warning", Message("kvm.unplugged", kvm=self.name))

    async def _read_keymap(self) -> None:
        """Read the keymap of the KVM's own page; not every compatible KVM has one."""
        answer = await self._client.request("GET", "/api/hid/keymaps")
        keymaps = as_object(as_object(parse_object(answer.content).get("result")).get("keymaps"))
        before = self.computer_layout
        self.computer_layout = LAYOUTS.get(str(keymaps.get("default")), "")
        if self.computer_layout != before:
            self._callbacks.on_profile_change()
        if self.computer_layout not in ("", before):
            layout = layouts.label(self.computer_layout)
            self._callbacks.log("info", Message("kvm.keymap", kvm=self.name, layout=layout))

    def _receive(self, message: str | bytes) -> None:
        """Handle a WebSocket message: the state or a part of it, sent when it changes."""
        event = parse_object(message)
        if event.get("event_type") in ("hid", "hid_state"):
            self._update_state(as_object(event.get("event")))

    def _update_state(self, state: Mapping[str, Any]) -> None:
        self._set_absolute(as_object(state.get("mouse")).get("absolute"))
        self._report_jiggler(as_object(state.get("jiggler")).get("active"))
        if leds := as_object(as_object(state.get("keyboard")).get("leds")):
            self._set_leds(leds, "num", "caps", "scroll")

    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        return [encode_event(change) for change in diff(endpoint, before, now)]

    # --- the login ---------------------------------------------------------------------------

    async def _log_in(self, client: KvmHttpClient) -> dict[str, str]:
        """Return the headers of a session if there is a code, else those with the password."""
        user = self._config.user or "admin"
        if self._config.code:
            return await self._session(client, user)
        headers = {"X-KVMD-User": user, "X-KVMD-Passwd": self._config.password}
        path = "/api/auth/check"
        self._read_login(await client.request_without_login("GET", path, headers=headers))
        return headers

    async def _session(self, client: KvmHttpClient, user: str) -> dict[str, str]:
        passwd = self._config.password + self._config.code
        form = {"user": user, "passwd": passwd, "expire": "0"}
        answer = await client.request_without_login("POST", "/api/auth/login", data=form)
        login = self._read_login(answer)
        two_step_token = login.get("two_step_token")
        until = time.monotonic() + 60
        while two_step_token and not login.get("token") and time.monotonic() < until:
            self._callbacks.log("warning", Message("kvm.allow_login", kvm=self.name))
            await asyncio.sleep(APPROVAL_POLL_S)
            form = {"two_step_token": two_step_token}
            answer = await client.request_without_login(
                "POST", "/api/auth/two_step_complete", data=form
            )
            login = self._read_login(answer)
        token = answer.cookies.get(COOKIE) or login.get("token")
        return {"Cookie": f"{COOKIE}={token}"} if token else {}

    def _read_login(self, answer: Any) -> Mapping[str, Any]:
        refused = Message("kvm.wrong_login_or_code", kvm=self.name)
        return as_object(self._check_login(answer, refused, 401, 403, key="result")["result"])

    async def _ask(self, method: str, path: str, **options: Any) -> Mapping[str, Any]:
        """Return the `result` of a request. Raises `DeviceError` if the KVM reports a failure."""
        answer = await self._client.request(method, path, **options)
        body = parse_object(answer.content)
        result = body.get("result")
        if answer.status_code == 409:
            raise DeviceError(Message("kvm.busy", kvm=self.name))
        if not body.get("ok") or not isinstance(result, dict):
            reason = str(as_object(result).get("error_msg") or answer.status_code)
            raise DeviceError(Message("kvm.failed", kvm=self.name, reason=reason))
        return result


def encode_event(change: Change) -> bytes:
    if isinstance(change, KeyEvent):
        return bytes([1, change.down]) + find_code(change.usage).encode()
    if isinstance(change, ButtonEvent):
        return bytes([2, change.down]) + BUTTONS[change.bit].encode()
    if isinstance(change, AbsoluteMove):
        return b"\x03" + struct.pack(">hh", scale_coordinate(change.x), scale_coordinate(change.y))
    if isinstance(change, RelativeMove):
        return b"\x04\x00" + struct.pack(">bb", change.dx, change.dy)
    return b"\x05\x00" + struct.pack(">bb", 0, change.notches)


def scale_coordinate(place: int) -> int:
    """Map 0..32767 to -32768..32767, rounded so that the daemon's rounding down restores it."""
    return -(-place * 0xFFFF // FULL_SCALE) - 0x8000
