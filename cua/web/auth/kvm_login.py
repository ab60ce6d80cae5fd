"""Check with the KVM on which this runs whether a client is logged in to it.

Cookies ignore ports, so a browser that is logged in to the KVM sends its cookie here too. It is
checked at the address to which the client connected, never on loopback, which a NanoKVM-Pro trusts
without a login. A KVM is trusted only if it rejects a request without a cookie (the canary): with
its login switched off it would accept everyone.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ...kvms.local_web_server import KvmServer
from ...timeouts import cancel_and_wait, wait_for_answer
from ..local_addresses import find_own_address

TIMEOUT_S = 3.0
"""Time for a request; time in which this process stalled does not count against the KVM."""
MAX_ANSWER_BYTES = 4096
VERDICT_LIFETIME_S = 5.0
REQUEST_INTERVAL_S = 0.2
"""Time between two requests, so that clients cannot overload the KVM or guess cookies."""
MAX_WAIT_S = 2.0


class Verdict(NamedTuple):
    """Whether a cookie is valid; "unsure" if the KVM cannot be asked or trusted."""

    answer: Literal["none", "no", "unsure", "yes"] = "none"
    name: str = ""


NO, UNSURE = Verdict("no"), Verdict("unsure")


class _Cookie(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    path: str
    user: Callable[[dict[str, Any]], str]


def _nanokvm_user(answer: dict[str, Any]) -> str:
    """Return the user; with firmware that reports roles only an administrator."""
    data = answer.get("data")
    if answer.get("code") != 0 or not isinstance(data, dict):
        return ""
    return str(data.get("username") or "user") if data.get("role", "admin") == "admin" else ""


def _pikvm_user(answer: dict[str, Any]) -> str:
    return "user" if answer.get("ok") is True else ""


COOKIES = (
    _Cookie(
        "nano-kvm-token",
        re.compile(r"(?=.{1,4096}$)[\w-]+\.[\w-]+\.[\w-]+", re.ASCII),
        "/api/auth/account",
        _nanokvm_user,
    ),
    _Cookie("auth_token", re.compile(r"[0-9a-fA-F]{16,256}"), "/api/auth/check", _pikvm_user),
)


class KvmLogin:
    """Asks the KVM's own web server. Cookies go to no other server."""

    def __init__(self, server: KvmServer, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._verdicts: dict[tuple[str, str], tuple[float, Verdict]] = {}
        """Kind and value of a cookie -> the time at which the verdict expires, and the verdict."""
        self._next_request_at = 0.0

    async def verify(self, cookies: Mapping[str, str], local_address: str) -> Verdict:
        """`local_address`: the address of this machine to which the client connected."""
        verdict = Verdict()
        for kind in COOKIES:
            value = cookies.get(kind.name, "")
            if kind.pattern.fullmatch(value):
                verdict = await self._verify_cookie(kind, value, local_address)
                if verdict.answer == "yes":
                    return verdict
        return verdict

    async def _verify_cookie(self, kind: _Cookie, value: str, local_address: str) -> Verdict:
        now = self._clock()
        self._verdicts = {key: it for key, it in self._verdicts.items() if it[0] > now}
        if known := self._verdicts.get((kind.name, value)):
            return known[1]
        own = find_own_address(local_address)
        verdict = await self._ask_all(kind, value, own) if own else UNSURE
        if verdict is not UNSURE:
            self._verdicts[kind.name, value] = self._clock() + VERDICT_LIFETIME_S, verdict
        return verdict

    async def _ask_all(self, kind: _Cookie, value: str, own: str) -> Verdict:
        host = f"[{own}]" if ":" in own else own
        for scheme, port in self._server.places:
            url = f"{scheme}://{host}:{port}{kind.path}"
            canary, _ = await self._get_json(url, {})
            if canary == 401:
                return await self._ask_address(url, kind, value)
        return UNSURE

    async def _ask_address(self, url: str, kind: _Cookie, value: str) -> Verdict:
        status, answer = await self._get_json(url, {"Cookie": f"{kind.name}={value}"})
        if user := kind.user(answer) if status == 200 else "":
            return Verdict("yes", user)
        return NO if answer or status in (401, 403) else UNSURE

    async def _get_json(self, url: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Return status and JSON object; status 0 without a usable answer."""
        if not await self._wait_for_turn():
            return 0, {}
        http = await asyncio.to_thread(importlib.import_module, "httpx2")
        asking = asyncio.ensure_future(_request_json(http, url, headers))
        try:
            return await wait_for_answer(asking, TIMEOUT_S)
        except asyncio.TimeoutError:
            return 0, {}
        finally:
            await cancel_and_wait(asking)

    async def _wait_for_turn(self) -> bool:
        """Wait for the next request's time; return False at once if it exceeds `MAX_WAIT_S`."""
        now = self._clock()
        turn = max(now, self._next_request_at)
        if turn - now > MAX_WAIT_S:
            return False
        self._next_request_at = turn + REQUEST_INTERVAL_S
        await asyncio.sleep(turn - now)
        return True


async def _request_json(http: Any, url: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Return status and JSON object, however long it takes; status 0 without a usable answer."""
    try:
        # the certificate is self-signed, and the connection does not leave this machine
        async with (
            http.AsyncClient(verify=False, trust_env=False, timeout=None) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            return response.status_code, await _read_object(response)
    except (http.HTTPError, http.InvalidURL, ValueError):
        return 0, {}


async def _read_object(response: Any) -> dict[str, Any]:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise ValueError("too long")
    found = json.loads(body) if response.status_code == 200 else {}
    return found if isinstance(found, dict) else {}
