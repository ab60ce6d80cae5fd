"""Remote NanoKVM (SG2002): cookie login, old and new, and HID reports over a WebSocket.

The first byte of a message names the endpoint; the server writes the rest to /dev/hidg* unchanged.
Firmware since 2026 releases everything when the connection ends.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote

from ..hid.reports import Endpoint
from ..messages import Message
from ..screen.receiver import Stalled
from ..types import NoSignal, as_object, parse_object
from .http_client import KvmHttpClient, WrongPassword
from .http_kvm import WebSocketKvm
from .kvm import KvmCallbacks, KvmConfig
from .nanokvm_api import NanoKvmApi
from .nanokvm_media import NanoKvmMedia
from .websocket_link import WebSocketLink

COOKIE = "nano-kvm-token"
PREFIXES = {"keyboard": b"\x01", "mouse": b"\x02", "pointer": b"\x02"}
"""First byte of each message; the server distinguishes the two mice by the report's length."""
HEARTBEAT, HEARTBEAT_INTERVAL_S = b"\x00", 10.0
WRONG, LOCKED = -2, -5
LOGIN_DISABLED = "disabled"
"""The token of a KVM whose login is disabled."""


class NanoKvm(NanoKvmApi, WebSocketKvm):
    media_type = NanoKvmMedia
    brand = "NanoKVM"
    hid_path = watchdog_path = "/api/ws"
    hdmi_path = "/api/vm/hdmi"
    passphrase = b"nanokvm-sipeed-2024"
    """The public passphrase with which the KVM's own page encrypts the password."""
    encrypted_first = True
    """Whether the login is first tried with an encrypted password; firmware differs."""
    _was_detecting: bool | None = None

    def __init__(self, config: KvmConfig, callbacks: KvmCallbacks) -> None:
        super().__init__(config, callbacks)
        self.media = self.media_type(self)

    async def frames(self) -> AsyncIterator[bytes]:
        await self._prepare()
        jiggler = await self.data("GET", "/api/vm/mouse-jiggler")
        self._report_jiggler(jiggler.get("enabled"))
        try:
            async for jpeg in self._client.frames("/api/stream/mjpeg"):
                yield jpeg
        except Stalled:
            if (await self.data("GET", self.hdmi_path)).get("signal"):
                raise
            raise NoSignal from None  # also if the KVM does not report it

    async def _request(self, method: str, path: str, **options: Any) -> Any:
        return await self._client.request(method, path, **options)

    async def wake(self) -> None:
        await self.command("POST", "/api/network/wol", json={"mac": self.mac})

    async def _prepare(self) -> None:
        """Disable the detection of unchanged frames, with which a static screen looks like a broken
        stream. Repeated for each stream, since a person can enable it again."""
        detection = await self.data("GET", "/api/stream/mjpeg/detect")
        if self._was_detecting is None:
            self._was_detecting = bool(detection.get("enabled", False))
        if detection.get("enabled", True):
            await self.data("POST", "/api/stream/mjpeg/detect", {"enabled": False})

    async def _restore(self) -> None:
        if self._was_detecting:
            await self.data("POST", "/api/stream/mjpeg/detect", {"enabled": True})

    def _encode(self, endpoint: Endpoint, _: bytes | None, report: bytes) -> list[bytes]:
        return [PREFIXES[endpoint] + report]

    async def _set_up(self, socket: WebSocketLink) -> None:
        self._update_leds(await self.data("GET", "/api/hid/leds"))
        socket.start_heartbeat(HEARTBEAT, HEARTBEAT_INTERVAL_S)

    def _receive(self, message: str | bytes) -> None:
        event = parse_object(message)
        if event.get("type") == "hid-led-status":
            data = event.get("data")
            self._update_leds(parse_object(data) if isinstance(data, str) else as_object(data))

    def _update_leds(self, leds: Mapping[str, Any]) -> None:
        if leds.get("known"):
            self._set_leds(leds, "numLock", "capsLock", "scrollLock")

    # --- the login ---------------------------------------------------------------------------

    async def _log_in(self, client: KvmHttpClient) -> dict[str, str]:
        code, first = None, self.encrypted_first
        # Without a password one attempt shows whether the login is disabled; all count for lockout.
        for encrypted in (first, not first) if self._config.password else (first,):
            answer = await self._attempt_login(client, encrypted)
            code, token = parse_object(answer.content).get("code"), _token(answer)
            if code == 0 and token:
                return {} if token == LOGIN_DISABLED else {"Cookie": f"{COOKIE}={token}"}
            if code == LOCKED:
                raise WrongPassword(Message("kvm.login_locked", kvm=self.name))
            if code != WRONG:
                break
        if code == WRONG:
            raise WrongPassword(Message("kvm.wrong_login", kvm=self.name))
        raise self._client.wrong_kind_error(self.brand, answer.status_code)

    async def _attempt_login(self, client: KvmHttpClient, encrypted: bool) -> Any:
        plain = self._config.password
        password = encrypt_password(plain, self.passphrase) if encrypted else plain
        who = {"username": self._config.user or "admin", "password": password}
        return await client.request_without_login("POST", "/api/auth/login", json=who)


def encrypt_password(password: str, passphrase: bytes) -> str:
    """Encrypt as CryptoJS's AES does: OpenSSL's `Salted__` form, base64, URL-quoted."""
    from cryptography.hazmat.primitives import padding
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    salt, block, material = os.urandom(8), b"", b""
    while len(material) < 48:  # a key of 32 bytes and an IV of 16
        block = hashlib.md5(block + passphrase + salt, usedforsecurity=False).digest()
        material += block
    pad = padding.PKCS7(128).padder()
    data = pad.update(password.encode()) + pad.finalize()
    cipher = Cipher(algorithms.AES(material[:32]), modes.CBC(material[32:48])).encryptor()
    secret = b"Salted__" + salt + cipher.update(data) + cipher.finalize()
    return quote(base64.b64encode(secret).decode(), safe="")


def _token(answer: Any) -> str:
    """Return the session token: in a cookie since August 2026, in the body before."""
    inside = as_object(parse_object(answer.content).get("data")).get("token")
    return str(answer.cookies.get(COOKIE) or inside or "")
