"""PiKVM, and what speaks its protocol (GLKVM): pictures, state and power over HTTP, keys and mouse
as binary events over a WebSocket.

Its daemon lets go of all keys whenever a client of that WebSocket comes or goes.
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

from ..hid import layouts
from ..hid.reports import FULL_SCALE, Endpoint
from ..screen.stream import LoginNeeded
from ..types import CuaError, DeviceError, NoSignal, Press, ScreenError, mapping, parsed
from . import Notices, Target, bits
from .cable import Cable
from .changes import Button, Change, Key, Place, Step, Wheel, changes
from .codes import WITHOUT_CODE, code
from .jiggler import Jiggler
from .keymaps import LAYOUTS
from .sentinel import Sentinel
from .site import Site, WrongPassword
from .socket import Socket

COOKIE = "auth_token"
BUTTONS = ("left", "right", "middle", "up", "down")
CLICKS: dict[Press, str] = {"power": "power", "hold_power": "power_long", "reset": "reset"}
STATE_EVERY = 2.0
"""Seconds between two looks at whether the computer still sends a picture."""
SNAPSHOT_EVERY = 0.2
APPROVAL = 2.0
"""Seconds between two questions whether somebody has touched the KVM's own screen."""

NOT_TAKEN = (
    "{} says that the computer does not take its keyboard: it may be asleep or switched off."
)
UNPLUGGED = "{} says that it is told to be unplugged."
_WRONG = (
    "{name} does not take this user and password. Enter those of its own page in Settings; if it "
    "asks for a code as well, enter a fresh one there."
)


class PiKvm:
    presses: tuple[Press, ...] = tuple(CLICKS)
    lacks = WITHOUT_CODE
    layout = ""

    def __init__(self, target: Target, notices: Notices) -> None:
        self.name = f"the PiKVM at {target.url.partition('://')[2]}"
        self.relative = False
        self.keymap = ""
        self._target = target
        self._notices = notices
        self._jiggler = Jiggler(notices.say)
        self._site = Site(target, notices, self._log_in)
        self._sentinel = Sentinel(lambda *_: [])  # to come is enough: that lets go of all
        self._cable = Cable(self._connect, self._events, notices.reach, sentinel=self._sentinel)
        self._streams = self._by_snapshot = False
        """Whether a picture ever came from the stream; whether none does."""

    async def open(self) -> None:
        pass

    async def frames(self) -> AsyncIterator[bytes]:
        await self._cable.link()  # while somebody is connected it keeps its camera running
        await self._must_see()
        source = self._snapshots() if self._by_snapshot else self._stream()
        seen = time.monotonic()
        async for jpeg in source:
            yield jpeg
            if time.monotonic() > seen + STATE_EVERY:
                seen = time.monotonic()
                await self._must_see()

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._cable.write(endpoint, report)

    def release(self) -> None:
        self._cable.release()

    async def press(self, button: Press) -> None:
        await self._result("POST", f"/api/atx/click?button={CLICKS[button]}")

    async def close(self) -> None:
        await self._cable.close()

    # --- pictures ----------------------------------------------------------------------------

    async def _stream(self) -> AsyncIterator[bytes]:
        try:
            async for jpeg in self._site.frames("/streamer/stream"):
                self._streams = True
                yield jpeg
        except LoginNeeded:
            raise
        except ScreenError as error:
            if self._streams:
                raise
            self._by_snapshot = True
            self._notices.say("info", f"{error} Single snapshots are taken instead.")

    async def _snapshots(self) -> AsyncIterator[bytes]:
        while True:
            answer = await self._site.call("GET", "/api/streamer/snapshot")
            if answer.status_code == 503:
                raise NoSignal
            if answer.status_code != 200:
                raise ScreenError(f"{self.name} gives no snapshot (HTTP {answer.status_code}).")
            yield answer.content
            await asyncio.sleep(SNAPSHOT_EVERY)

    async def _must_see(self) -> None:
        """It shows a picture that says so where there is no signal, so its word is asked for."""
        state = await self._result("GET", "/api/streamer")
        source = mapping(mapping(state.get("streamer")).get("source"))
        if not source.get("online", True):
            raise NoSignal

    # --- keyboard and mouse ------------------------------------------------------------------

    async def _connect(self, lost: Any) -> Socket:
        return await self._site.socket("/api/ws?stream=1", self._heard, lost, self._greet)

    async def _greet(self, _: Socket) -> None:
        await self._sentinel.stand_by(await self._site.way("/api/ws?stream=0"))
        state = await self._result("GET", "/api/hid")
        self._note(state)
        await self._read_keymap()
        if False in (state.get("online"), mapping(state.get("keyboard")).get("online")):
            self._notices.say("warning", NOT_TAKEN.format(self.name))
        elif state.get("connected") is False:
            self._notices.say("warning", UNPLUGGED.format(self.name))

    async def _read_keymap(self) -> None:
        """That by which its own page types text. Not every relative of a PiKVM tells it."""
        answer = await self._site.call("GET", "/api/hid/keymaps")
        keymaps = mapping(mapping(parsed(answer.content).get("result")).get("keymaps"))
        before, self.keymap = self.keymap, LAYOUTS.get(str(keymaps.get("default")), "")
        if self.keymap != before:
            self._notices.learnt()
        if self.keymap not in ("", before):
            self._notices.say(
                "info",
                f"{self.name} is set to the keyboard layout {layouts.label(self.keymap)}; it is "
                "used unless Settings name another.",
            )

    def _heard(self, message: str | bytes) -> None:
        """Its state, whole or in parts, whenever it changes."""
        said = parsed(message)
        if said.get("event_type") in ("hid", "hid_state"):
            self._note(mapping(said.get("event")))

    def _note(self, state: Mapping[str, Any]) -> None:
        absolute = mapping(state.get("mouse")).get("absolute")
        if absolute is self.relative:  # not told is neither
            self.relative = not absolute
            self._notices.learnt()
        self._jiggler.told(self.name, mapping(state.get("jiggler")).get("active"))
        lit = mapping(mapping(state.get("keyboard")).get("leds"))
        if lit:
            self._notices.lamps(bits(lit.get("num"), lit.get("caps"), lit.get("scroll")))

    def _events(self, endpoint: Endpoint, before: bytes | None, now: bytes) -> list[bytes]:
        return [event(change) for change in changes(endpoint, before, now)]

    # --- the login ---------------------------------------------------------------------------

    async def _log_in(self, site: Site) -> dict[str, str]:
        """With a code there is a session; without, name and password go with every request."""
        user = self._target.user or "admin"
        if self._target.code:
            return await self._session(site, user)
        headers = {"X-KVMD-User": user, "X-KVMD-Passwd": self._target.password}
        self._admitted(await site.ask("GET", "/api/auth/check", headers=headers))
        return headers

    async def _session(self, site: Site, user: str) -> dict[str, str]:
        passwd = self._target.password + self._target.code
        form = {"user": user, "passwd": passwd, "expire": "0"}
        answer = await self._post(site, "/api/auth/login", form)
        found = self._admitted(answer)
        waiting = found.get("two_step_token")
        until = time.monotonic() + 60
        while waiting and not found.get("token") and time.monotonic() < until:
            self._notices.say("warning", f"Allow this login on the screen of {self.name}.")
            await asyncio.sleep(APPROVAL)
            answer = await self._post(
                site, "/api/auth/two_step_complete", {"two_step_token": waiting}
            )
            found = self._admitted(answer)
        token = answer.cookies.get(COOKIE) or found.get("token")
        return {"Cookie": f"{COOKIE}={token}"} if token else {}

    async def _post(self, site: Site, path: str, form: dict[str, str]) -> Any:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return await site.ask("POST", path, content=urlencode(form), headers=kind)

    def _admitted(self, answer: Any) -> Mapping[str, Any]:
        if answer.status_code in (401, 403):
            raise WrongPassword(_WRONG.format(name=self.name))
        if answer.status_code == 429:
            raise WrongPassword(
                f"{self.name} refuses logins for a while after too many wrong ones. Wait, then "
                "save the password in Settings again."
            )
        found = parsed(answer.content)
        if answer.status_code != 200 or "result" not in found:
            raise CuaError(
                f"What answers at {self._site.place} does not log in as a PiKVM does (HTTP "
                f"{answer.status_code}). Check the KVM's address and kind in Settings."
            )
        return mapping(found["result"])

    async def _result(self, method: str, path: str) -> Mapping[str, Any]:
        """Raises `DeviceError` if it is not done."""
        answer = await self._site.call(method, path)
        found = parsed(answer.content)
        result = found.get("result")
        if answer.status_code == 409:
            raise DeviceError(f"{self.name} is busy with somebody else's command. Try again.")
        if not found.get("ok") or not isinstance(result, dict):
            why = mapping(result).get("error_msg") or answer.status_code
            raise DeviceError(f"{self.name} did not do that: {why}.")
        return result


def event(change: Change) -> bytes:
    """The daemon's binary event."""
    if isinstance(change, Key):
        return bytes([1, change.down]) + code(change.usage).encode()
    if isinstance(change, Button):
        return bytes([2, change.down]) + BUTTONS[change.bit].encode()
    if isinstance(change, Place):
        return b"\x03" + struct.pack(">hh", stretched(change.x), stretched(change.y))
    if isinstance(change, Step):
        return b"\x04\x00" + struct.pack(">bb", change.dx, change.dy)
    assert isinstance(change, Wheel)
    return b"\x05\x00" + struct.pack(">bb", 0, change.notches)


def stretched(place: int) -> int:
    """0..32767 as -32768..32767, such that the daemon, which rounds down, makes the same of it."""
    return -(-place * 0xFFFF // FULL_SCALE) - 0x8000


def create(target: Target, notices: Notices) -> PiKvm:
    return PiKvm(target, notices)
