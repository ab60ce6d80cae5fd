"""JetKVM: H.264 video and JSON-RPC over WebRTC, with the packages of the extra `jetkvm`.

It has one session and one login at a time; a new one ends the old one at once. So this program does
not open another one after a person has taken over.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from ..extras import missing_modules
from ..hid.reports import ENDPOINTS, Endpoint
from ..hid.writer import rules
from ..messages import Message
from ..screen.image import encode_jpeg
from ..screen.receiver import Stalled
from ..timeouts import within
from ..types import DeviceError, MissingExtra, NoSignal, PowerButton, as_object, parse_object
from .http_client import KvmHttpClient, WrongPassword
from .http_kvm import HttpKvm
from .jetkvm_link import CONFIGURED, SIGNALING_PATH, RpcLink, make_request
from .jetkvm_media import JetKvmMedia
from .kvm import KvmCallbacks, KvmConfig

if TYPE_CHECKING:
    from av import VideoFrame

COOKIE = "authToken"
LEDS = "num_lock", "caps_lock", "scroll_lock"
LOGINS: dict[tuple[str, str], dict[str, str]] = {}
"""Address and password -> headers of this program's last login, for the next connection."""
CONNECT_TIMEOUT_S = 10.0
PICTURE_INTERVAL_S = 0.1
ATX_ACTIONS: dict[PowerButton, str] = {
    "power": "power-short", "hold_power": "power-long", "reset": "reset",
}  # fmt: skip


def encode(endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
    """See `remote_hid.Encode`. Firmware without a horizontal wheel ignores `wheelX`."""
    if endpoint == "keyboard":
        return [make_request("keyboardReport", modifier=now[0], keys=list(now[2:]))]
    if endpoint == "mouse":
        buttons, dx, dy, notches = struct.unpack("<Bbbb", now)
        move = make_request("relMouseReport", dx=dx, dy=dy, buttons=buttons)
        moves = bool(dx or dy)
    else:
        buttons, x, y, notches = struct.unpack("<BHHb", now)
        move = make_request("absMouseReport", x=x, y=y, buttons=buttons)
        moves = before is None or before[1:5] != now[1:5]
    if not notches:
        return [move]
    wheel = make_request("wheelReport", wheelX=0, wheelY=notches)
    clicks = before is None or before[0] != now[0]
    return [move, wheel] if moves or clicks else [wheel]


class JetKvm(HttpKvm):
    power_buttons = tuple(ATX_ACTIONS)
    brand = "JetKVM"
    repeats_s = (0.5, 2.0)  # the firmware drops a report that the computer fetches too late

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        super().__init__(config, callbacks)
        self._logged_in = False
        self._ended: WrongPassword | None = None
        self._link: RpcLink | None = None
        self._pointer: bytes | None = None
        """The last report of the pointer."""
        self._signal = True
        self.media = JetKvmMedia(self.name, self._client, self._ask)

    async def frames(self) -> AsyncIterator[bytes]:
        link = await self.open_link()
        await self._check_signal(link)
        with link.video.watch():
            while link.open:
                try:
                    frame = await link.video.next()
                except asyncio.TimeoutError:
                    await self._check_signal(link)
                    raise Stalled from None
                yield await asyncio.to_thread(_to_jpeg, frame)
                if not self._signal:
                    raise NoSignal
                await asyncio.sleep(PICTURE_INTERVAL_S)

    async def press(self, button: PowerButton) -> None:
        extension = await self._ask("getActiveExtension")
        if extension == "atx-power":
            await self._ask("setATXPowerAction", action=ATX_ACTIONS[button])
        elif extension == "dc-power" and button != "reset":
            on = (await self._ask("getDCPowerState"))["isOn"]
            await self._ask("setDCPowerState", enabled=button == "power" and not on)
        else:
            raise DeviceError(Message("kvm.no_case_button", kvm=self.name))

    async def is_powered(self) -> bool | None:
        extension = await self._ask("getActiveExtension")
        if extension == "atx-power":
            return bool((await self._ask("getATXState"))["power"])
        if extension == "dc-power":
            return bool((await self._ask("getDCPowerState"))["isOn"])
        return None

    async def wake(self) -> None:
        await self._ask("sendWOLMagicPacket", macAddress=self.mac)

    async def _restore(self) -> None:
        if self._link:
            await self._link.closed()

    # --- the login and the session -----------------------------------------------------------

    async def _log_in(self, client: KvmHttpClient) -> dict[str, str]:
        if self._logged_in:  # another login has ended this one
            raise self._end_for_good()
        account = client.url, self._config.password
        kept = LOGINS.get(account, {})
        device = await client.request_without_login("GET", "/device", headers=kept)
        if "deviceId" in parse_object(device.content):
            self._logged_in = bool(kept)
            return kept  # empty if the KVM needs no password
        login = {"password": self._config.password}
        answer = await client.request_without_login("POST", "/auth/login-local", json=login)
        self._check_login(answer, Message("kvm.wrong_password", kvm=self.name), 401)
        if COOKIE not in answer.cookies:
            raise client.wrong_kind_error(self.brand, answer.status_code)
        self._logged_in = True
        LOGINS[account] = {"Cookie": f"{COOKIE}={answer.cookies[COOKIE]}"}
        return LOGINS[account]

    def _end_for_good(self) -> WrongPassword:
        self._ended = WrongPassword(Message("kvm.taken_over", kvm=self.name))
        return self._ended

    async def _connect(self, on_lost: Callable[[], None]) -> RpcLink:
        if self._ended:
            raise self._ended
        if missing_modules("jetkvm"):
            raise MissingExtra("jetkvm", setting="kvm")
        if self._link:
            await self._link.closed()
        link = RpcLink(self._releases, self._handle_event, self._set_attached, on_lost)
        try:
            async with within(CONNECT_TIMEOUT_S):
                receive = link.receive_signal
                await link.start(await self._client.socket(SIGNALING_PATH, receive, lambda: None))
                await self._start_watchdog(f"jetkvm+{self._client.url}")
                self._set_leds(as_object(await link.call("getKeyboardLedState")), *LEDS)
        except BaseException as error:
            link.close()
            if isinstance(error, asyncio.TimeoutError):
                raise DeviceError(Message("kvm.hid_silent")) from error
            raise
        self._link = link
        return link

    async def open_link(self) -> RpcLink:
        await self._hid.link()
        assert self._link
        return self._link

    async def _ask(self, method: str, **params: Any) -> Any:
        try:
            return await (await self.open_link()).call(method, **params)
        except DeviceError as error:
            message = Message("kvm.failed", kvm=self.name, reason=error.message)
            raise DeviceError(message) from error

    def _handle_event(self, link: RpcLink, name: str, value: Any) -> None:
        if name == "otherSessionConnected":
            self._handle_takeover(link)
        elif name == "usbState":
            self._set_attached(value == CONFIGURED)
        elif name == "videoInputState":
            self._signal = bool(as_object(value).get("ready"))
        elif name == "keyboardLedState":
            self._set_leds(as_object(value), *LEDS)

    def _handle_takeover(self, link: RpcLink) -> None:
        by_watchdog = self._hid.watchdog.has_stalled_lately()
        link.loss = Message("kvm.stalled") if by_watchdog else self._end_for_good().message
        self._hid.release()
        link.close()
        if not by_watchdog:
            self._standing_down = asyncio.ensure_future(self._stand_down(link))

    async def _stand_down(self, link: RpcLink) -> None:
        """Close the watchdog process, which would take over the session."""
        await link.closed()
        self._hid.watchdog.hold({})

    # --- keyboard and mouse ------------------------------------------------------------------

    def _encode(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        if endpoint == "pointer":
            self._pointer = now
        return encode(endpoint, before, now)

    def _releases(self) -> list[bytes]:
        """Return the requests that release everything; the pointer stays at its place."""
        requests = [*encode("keyboard", None, bytes(8)), *encode("mouse", None, bytes(4))]
        if self._pointer:
            report = rules.release_report(ENDPOINTS.index("pointer"), self._pointer[1:5])
            requests += encode("pointer", None, report)
        return requests

    # --- video -------------------------------------------------------------------------------

    async def _check_signal(self, link: RpcLink) -> None:
        """Raise `NoSignal` without a signal; end a session that does not answer."""
        try:
            state = as_object(await link.call("getVideoState"))
        except DeviceError:
            link.drop()
            raise
        self._signal = bool(state.get("ready")) and not state.get("error")
        if not self._signal:
            raise NoSignal


def _to_jpeg(frame: VideoFrame) -> bytes:
    return encode_jpeg(frame.to_image(), 85)
