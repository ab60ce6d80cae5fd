"""The web server of a KVM, as far as its login goes: the personalities of five firmwares.

A NanoKVM-Pro needs no login from loopback; no kind needs one when its login is switched off; each
has its own way to end a login.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Literal

import trustme

TOKEN = "aGVhZGVy.cGF5bG9hZA.c2lnbmF0dXJl"
PIKVM_TOKEN = "0123456789abcdef" * 4
Fault = Literal["", "disabled", "error", "hang", "redirect", "html", "huge", "closed"]


@dataclass
class KvmWeb:
    """`users`: token -> role. Change the fields while it runs."""

    https: bool = True
    cookie: str = "nano-kvm-token"
    path: str = "/api/auth/account"
    trusts_loopback: bool = False
    has_roles: bool = False
    users: dict[str, str] = field(default_factory=lambda: {TOKEN: "admin"})
    fault: Fault = ""
    port: int = 0
    asked: list[str] = field(default_factory=list)
    """The cookies that it was shown, "" for none."""

    def settings(self, folder: Path) -> Path:
        """Its `server.yaml`."""
        scheme = "https" if self.https else "http"
        path = folder / "server.yaml"
        path.write_text(f"proto: {scheme}\nport:\n  {scheme}: {self.port}\n")
        return path

    def logout(self) -> None:
        self.users.clear()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status, body = await self._respond(head, writer.get_extra_info("peername")[0])
            place = "Location: https://evil.example/\r\n" if status == 307 else ""
            writer.write(
                f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{place}"
                f"Connection: close\r\n\r\n{body}".encode()
            )
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _respond(self, head: str, peer: str) -> tuple[int, str]:
        lines = head.split("\r\n")
        cookies = next((ln[7:] for ln in lines if ln.lower().startswith("cookie:")), "")
        morsel = SimpleCookie(cookies).get(self.cookie)
        token = morsel.value if morsel else ""
        self.asked.append(token)
        if self.fault == "closed":
            raise ConnectionError
        if self.fault == "hang":
            await asyncio.sleep(60)
        if lines[0].split()[1] != self.path:
            return 404, ""
        faults = {"error": 500, "redirect": 307}
        if self.fault in faults and token:
            return faults[self.fault], ""
        return self._judge(token, ipaddress.ip_address(peer).is_loopback)

    def _judge(self, token: str, loopback: bool) -> tuple[int, str]:
        free = self.fault == "disabled" or (self.trusts_loopback and loopback)
        if token not in self.users and not free:
            return 401, "unauthorized"
        if self.fault == "html":
            return 200, "<h1>Welcome</h1>"
        if self.fault == "huge":
            return 200, json.dumps({"code": 0, "data": {"username": "x" * 100_000}})
        if self.cookie == "auth_token":
            return 200, json.dumps({"ok": True, "result": {}})
        data = {"username": "maria"}
        if self.has_roles:
            data["role"] = self.users.get(token, "admin")
        return 200, json.dumps({"code": 0, "msg": "success", "data": data})


def firmwares() -> dict[str, KvmWeb]:
    """The personalities, each new."""
    pikvm = {"cookie": "auth_token", "path": "/api/auth/check", "users": {PIKVM_TOKEN: ""}}
    return {
        "pro": KvmWeb(trusts_loopback=True),
        "pro over http": KvmWeb(https=False, trusts_loopback=True),
        "nanokvm 2.5": KvmWeb(https=False),
        "nanokvm with roles": KvmWeb(https=False, has_roles=True),
        "nanokvm with roles over https": KvmWeb(has_roles=True),
        "pikvm": KvmWeb(**pikvm),  # type: ignore[arg-type]
    }


@asynccontextmanager
async def answering(web: KvmWeb) -> AsyncIterator[KvmWeb]:
    """On a free port of every address of this machine."""
    tls = None
    if web.https:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        trustme.CA().issue_cert("kvm.example").configure_cert(tls)
    server = await asyncio.start_server(web.answer, "0.0.0.0", web.port, ssl=tls)
    web.port = server.sockets[0].getsockname()[1]
    async with server:
        yield web
