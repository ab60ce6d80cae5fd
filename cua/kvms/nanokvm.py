"""NanoKVM (SG2002) from elsewhere: cookie login old and new, its reports over a WebSocket.

Its server says which report is for whom in a first byte and writes the rest to /dev/hidg* as it
is. It lets go of everything when the connection ends, unless it is of before 2026.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ..extras import command
from ..hid.reports import Endpoint
from ..screen.stream import Stalled
from ..types import CuaError, DeviceError, NoSignal, Press, mapping, parsed
from . import Notices, Target, bits
from .cable import Cable
from .device import MILLISECONDS
from .jiggler import Jiggler
from .sentinel import Sentinel
from .site import Site, WrongPassword
from .socket import Socket

COOKIE = "nano-kvm-token"
HANDS = "/api/ws"
FIRST = {"keyboard": b"\x01", "mouse": b"\x02", "pointer": b"\x02"}
"""What comes before a report; the server tells the two mice apart by their length."""
BEAT, HEARTBEAT = b"\x00", 10.0
WRONG, LOCKED = -2, -5
OPEN = "disabled"
"""The token of a KVM whose login is switched off."""

_NEEDS = (
    "This KVM's firmware wants its password scrambled, for which the package cryptography is "
    f"missing. Install it: {command('nanokvm')}"
)


class Unscrambled(CuaError):
    """The password cannot be said in this way here."""


def framed(endpoint: Endpoint, report: bytes) -> list[bytes]:
    return [FIRST[endpoint] + report]


class NanoKvm:
    presses: tuple[Press, ...] = tuple(MILLISECONDS)
    lacks: frozenset[int] = frozenset()
    relative = False
    layout = ""
    keymap = ""
    passphrase = b"nanokvm-sipeed-2024"
    """That of its own page, with which the password is scrambled; it hides nothing."""
    scrambled_first = True
    hdmi = "/api/vm/hdmi"
    repeats: Sequence[float] = ()

    def __init__(self, target: Target, notices: Notices) -> None:
        self.name = f"the NanoKVM at {target.url.partition('://')[2]}"
        self._target = target
        self._notices = notices
        self._jiggler = Jiggler(notices.say)
        self._site = Site(target, notices, self._log_in)
        self._sentinel = Sentinel(framed)
        self._cable = Cable(
            self._connect,
            lambda endpoint, _, report: framed(endpoint, report),
            notices.reach,
            repeats=self.repeats,
            sentinel=self._sentinel,
        )
        self._was_detecting: bool | None = None

    async def open(self) -> None:
        pass

    async def frames(self) -> AsyncIterator[bytes]:
        await self._prepare()
        jiggler = await self._data("GET", "/api/vm/mouse-jiggler")
        self._jiggler.told(self.name, jiggler.get("enabled"))
        try:
            async for jpeg in self._site.frames("/api/stream/mjpeg"):
                yield jpeg
        except Stalled:
            if await self._has_signal():
                raise
            raise NoSignal from None

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._cable.write(endpoint, report)

    def release(self) -> None:
        self._cable.release()

    async def press(self, button: Press) -> None:
        kind, duration = MILLISECONDS[button]
        await self._ask("POST", "/api/vm/gpio", {"type": kind, "duration": duration})

    async def close(self) -> None:
        await self._cable.close()
        try:
            await self._restore()
        except CuaError as error:
            self._notices.say("warning", f"{self.name} was not left as it was found. {error}")

    async def _prepare(self) -> None:
        """It compares frames and sends none while nothing changes; we could not tell a screen at
        rest from a broken stream, so it is asked not to, as often as somebody switches that on."""
        found = await self._data("GET", "/api/stream/mjpeg/detect")
        if self._was_detecting is None:
            self._was_detecting = bool(found.get("enabled", False))
        if found.get("enabled", True):
            await self._data("POST", "/api/stream/mjpeg/detect", {"enabled": False})

    async def _restore(self) -> None:
        if self._was_detecting:
            await self._data("POST", "/api/stream/mjpeg/detect", {"enabled": True})

    async def _has_signal(self) -> bool:
        """When it sends nothing. Where it does not tell, that is the likeliest reason."""
        return bool((await self._data("GET", self.hdmi)).get("signal"))

    async def _connect(self, lost: Any) -> Socket:
        return await self._site.socket(HANDS, self._heard, lost, self._greet)

    async def _greet(self, socket: Socket) -> None:
        await self._sentinel.stand_by(await self._site.way(HANDS))
        self._note(await self._data("GET", "/api/hid/leds"))
        socket.beat(BEAT, HEARTBEAT)

    def _heard(self, message: str | bytes) -> None:
        """What it tells by itself; its own page shows the lamps from the same message."""
        said = parsed(message)
        if said.get("type") == "hid-led-status":
            data = said.get("data")
            self._note(parsed(data) if isinstance(data, str) else mapping(data))

    def _note(self, lit: Mapping[str, Any]) -> None:
        if lit.get("known"):
            self._notices.lamps(
                bits(lit.get("numLock"), lit.get("capsLock"), lit.get("scrollLock"))
            )

    async def _ask(self, method: str, path: str, body: dict[str, Any]) -> None:
        """Raises `DeviceError` if it is not done."""
        answer = parsed((await self._site.call(method, path, json=body)).content)
        if answer.get("code") != 0:
            why = answer.get("msg") or "it does not know how"
            raise DeviceError(f"{self.name} did not do that: {why}.")

    async def _data(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Empty where this firmware has no answer."""
        answer = parsed((await self._site.call(method, path, json=body)).content)
        return mapping(answer.get("data")) if answer.get("code") == 0 else {}

    # --- the login ---------------------------------------------------------------------------

    async def _log_in(self, site: Site) -> dict[str, str]:
        code = None
        for scrambled in (self.scrambled_first, not self.scrambled_first):
            try:
                answer = await self._try(site, scrambled)
            except Unscrambled:
                if code != WRONG:
                    raise
                break
            code, token = parsed(answer.content).get("code"), _token(answer)
            if code == 0 and token:
                return {} if token == OPEN else {"Cookie": f"{COOKIE}={token}"}
            if code == LOCKED:
                raise WrongPassword(
                    f"{self.name} has locked logins after too many wrong passwords. Wait, then "
                    "save the right one in Settings."
                )
            if code != WRONG:
                break
        if code == WRONG:
            raise WrongPassword(
                f"{self.name} does not take this user and password. Enter those of its own page "
                "in Settings (KVM user, KVM password)."
            )
        raise CuaError(
            f"What answers at {self._site.place} does not log in as a NanoKVM does (HTTP "
            f"{answer.status_code}). Check the KVM's address and kind in Settings."
        )

    async def _try(self, site: Site, scrambled: bool) -> Any:
        password = self._target.password
        if scrambled:
            password = scrambled_as_its_page_does(password, self.passphrase)
        who = {"username": self._target.user or "admin", "password": password}
        return await site.ask("POST", "/api/auth/login", json=who)


def scrambled_as_its_page_does(password: str, passphrase: bytes, salt: bytes = b"") -> str:
    """CryptoJS's AES under a passphrase: OpenSSL's `Salted__` form, base64, then quoted for a URL.

    Raises `Unscrambled` without the package that it needs.
    """
    try:
        from cryptography.hazmat.primitives import padding
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise Unscrambled(_NEEDS) from error
    salt = salt or os.urandom(8)
    block, material = b"", b""
    while len(material) < 48:  # a key of 32 bytes and an IV of 16
        block = hashlib.md5(block + passphrase + salt, usedforsecurity=False).digest()
        material += block
    pad = padding.PKCS7(128).padder()
    data = pad.update(password.encode()) + pad.finalize()
    cipher = Cipher(algorithms.AES(material[:32]), modes.CBC(material[32:48])).encryptor()
    secret = b"Salted__" + salt + cipher.update(data) + cipher.finalize()
    return quote(base64.b64encode(secret).decode(), safe="")


def _token(answer: Any) -> str:
    """In a cookie since August 2026, in the body before."""
    data = parsed(answer.content).get("data")
    inside = data.get("token") if isinstance(data, dict) else None
    return str(answer.cookies.get(COOKIE) or inside or "")


def create(target: Target, notices: Notices) -> NanoKvm:
    return NanoKvm(target, notices)
