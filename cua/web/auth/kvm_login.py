"""Is this visitor logged in to the KVM on which this runs? The KVM itself is asked.

Cookies ignore ports, so a browser that is logged in to the KVM brings its cookie here as well. It
is shown to the KVM on the address at which the visitor reached us, never on loopback, which a
NanoKVM-Pro believes without a login. And only a KVM that turns away a request without a cookie (the
canary) is believed when it lets one in: with its login switched off it would let in everybody.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ...kvms.host_server import KvmServer
from ..ports import own_address

TIMEOUT = 3.0
MAX_ANSWER = 4096
SURE = 5.0
"""Seconds for which an answer about a cookie counts, so that a burst of pages asks once."""
CANARY = 300.0
"""The same for the canary."""
APART = 0.2
"""Seconds between two questions: this must not be a way to wear the KVM down or guess cookies."""
QUEUE = 2.0


class Verdict(NamedTuple):
    """What the KVM says of a visitor's cookie; "unsure" when it cannot be asked or believed."""

    answer: Literal["none", "no", "unsure", "yes"] = "none"
    name: str = ""


NO, UNSURE = Verdict("no"), Verdict("unsure")


class _Kind(NamedTuple):
    cookie: str
    shape: re.Pattern[str]
    path: str
    user: Callable[[dict[str, Any]], str]


def _nano_user(answer: dict[str, Any]) -> str:
    """Firmware that has roles names them: then it has to be an administrator's."""
    data = answer.get("data")
    if answer.get("code") != 0 or not isinstance(data, dict):
        return ""
    return str(data.get("username") or "user") if data.get("role", "admin") == "admin" else ""


def _pikvm_user(answer: dict[str, Any]) -> str:
    return "user" if answer.get("ok") is True else ""


KINDS = (
    _Kind(
        "nano-kvm-token",
        re.compile(r"(?=.{1,4096}$)[\w-]+\.[\w-]+\.[\w-]+", re.ASCII),
        "/api/auth/account",
        _nano_user,
    ),
    _Kind("auth_token", re.compile(r"[0-9a-fA-F]{16,256}"), "/api/auth/check", _pikvm_user),
)


class KvmLogin:
    """Asks the KVM's web server as it is set. Cookies are shown to it and kept nowhere else."""

    def __init__(self, server: KvmServer, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._known: dict[tuple[str, str], tuple[float, Verdict]] = {}
        self._sound: dict[str, tuple[float, bool]] = {}
        self._next = 0.0

    async def verify(self, cookies: Mapping[str, str], local_address: str) -> Verdict:
        """`local_address`: our address that the client connected to."""
        verdict = Verdict()
        for kind in KINDS:
            value = cookies.get(kind.cookie, "")
            if kind.shape.fullmatch(value):
                verdict = await self._judge(kind, value, local_address)
                if verdict.answer == "yes":
                    return verdict
        return verdict

    async def _judge(self, kind: _Kind, value: str, local_address: str) -> Verdict:
        self._forget()
        known = self._known.get((kind.cookie, value))
        if known:
            return known[1]
        own = own_address(local_address)
        verdict = await self._ask_all(kind, value, own) if own else UNSURE
        if verdict is not UNSURE:
            self._known[kind.cookie, value] = self._clock() + SURE, verdict
        return verdict

    async def _ask_all(self, kind: _Kind, value: str, own: str) -> Verdict:
        host = f"[{own}]" if ":" in own else own
        for scheme, port in self._server.places:
            url = f"{scheme}://{host}:{port}{kind.path}"
            if await self._is_sound(url):
                status, answer = await self._get(url, {"Cookie": f"{kind.cookie}={value}"})
                if status in (401, 403):
                    return NO
                user = kind.user(answer) if status == 200 else ""
                if user:
                    return Verdict("yes", user)
                return NO if answer else UNSURE
        return UNSURE

    async def _is_sound(self, url: str) -> bool:
        """The canary: whether a visitor without a cookie is turned away there."""
        if url not in self._sound:
            status, _ = await self._get(url, {})
            self._sound[url] = self._clock() + (CANARY if status == 401 else SURE), status == 401
        return self._sound[url][1]

    async def _get(self, url: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and JSON object; status 0 when there is no usable answer."""
        if not await self._turn():
            return 0, {}
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        try:
            # Its certificate is its own; it is asked on this very machine.
            async with (
                http.AsyncClient(verify=False, trust_env=False, timeout=TIMEOUT) as client,
                client.stream("GET", url, headers=headers) as response,
            ):
                return response.status_code, await _object(response)
        except (http.HTTPError, http.InvalidURL, ValueError):
            return 0, {}

    async def _turn(self) -> bool:
        """Waits for it; False when too many wait already."""
        now = self._clock()
        turn = max(now, self._next)
        if turn - now > QUEUE:
            return False
        self._next = turn + APART
        await asyncio.sleep(turn - now)
        return True

    def _forget(self) -> None:
        now = self._clock()
        self._known = {key: it for key, it in self._known.items() if it[0] > now}
        self._sound = {key: it for key, it in self._sound.items() if it[0] > now}


async def _object(response: Any) -> dict[str, Any]:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER:
            raise ValueError("too much")
    found = json.loads(body) if response.status_code == 200 else {}
    return found if isinstance(found, dict) else {}
