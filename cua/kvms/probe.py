"""Find the kind of KVM at `kvm://HOST`, a host name alone, or the address of its web page.

The public endpoints of all kinds are read in parallel; a VNC server counts only if none answers,
since some of these KVMs have one too. No login is tried and only these requests are sent, so
certificates are left to the KVM's class. `kvm://` alone means this machine's USB.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import SplitResult

from .. import tls_contexts
from ..messages import Message
from ..timeouts import within
from ..types import CuaError
from .address import VNC_PORT, find_scheme, split_address
from .tls_pinning import unreachable_error
from .usb_pair import find_pair

TIMEOUT_S = 4.0
MAX_ANSWER_BYTES = 64 * 1024
ANY = "kvm://"
UNNAMED = re.compile(rf"({ANY})?([^/?#\s]+)/?|https?://([^/?#\s]+)\S*|{ANY}")
VNC_HELLO = b"RFB 003."


class Probe(NamedTuple):
    """A GET of `path` that a KVM answers, also without login; `holds` recognises the answer."""

    kind: str
    path: str
    holds: str
    covers: str = ""
    """Another kind of KVM that also answers this probe; empty: none."""


NANOKVM = r'^"?unauthorized|^\{"code":'
PROBES = (
    Probe("nanokvm-pro", "/api/extensions/kvmadmin/status", NANOKVM, covers="nanokvm"),
    Probe("nanokvm", "/api/auth/account", NANOKVM),
    Probe("pikvm", "/api/auth/check", r'^\{\s*"ok":'),
    Probe("onekvm", "/api/setup", r'"needs_setup":'),
    Probe("jetkvm", "/device/status", r'"isSetup":'),
)


def names_kind(address: str) -> bool:
    """Whether an address names the kind of KVM; empty does: the KVM that this runs on."""
    return UNNAMED.fullmatch(address.strip()) is None


async def find_address(address: str) -> str:
    """Return the address of the KVM that answers; an address with a kind stays unchanged.

    Raises `CuaError` if no KVM answers, or several do.
    """
    unnamed = UNNAMED.fullmatch(address.strip())
    if not unnamed:
        return address
    if unnamed[0] == ANY:
        await asyncio.to_thread(find_pair, "", "")
        return "usb://"
    parts = split_address(ANY + (unnamed[2] or unnamed[3]))
    user, at, place = parts.netloc.rpartition("@")
    found = []
    for kind, base in (await _probe(parts, place)).items():
        protocol, _, where = base.partition("://")
        found.append(f"{find_scheme(kind, protocol)}://{user}{at}{where}")
    if not found:
        raise CuaError(Message("kvm.none_found", place=place), setting="kvm")
    if len(found) > 1:
        raise CuaError(Message("kvm.several_found", place=place, found=found), setting="kvm")
    return found[0]


async def _probe(parts: SplitResult, place: str) -> dict[str, str]:
    """Return the URL of each kind that answers. Raises `CuaError` if no server answers."""
    answers = await _read_all(place, has_port=parts.port is not None)
    found = _find_kinds(answers)
    if not found and await _has_vnc(parts.hostname or "", parts.port or VNC_PORT):
        return {"vnc": f"vnc://{place}"}
    failures = [answer for *_, answer in answers if isinstance(answer, Exception)]
    if len(failures) == len(answers):
        raise unreachable_error(place, failures[-1])
    return found


async def _has_vnc(host: str, port: int) -> bool:
    """Whether a VNC server answers; it sends its version without a request."""
    try:
        async with within(TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                return await reader.readexactly(len(VNC_HELLO)) == VNC_HELLO
            finally:
                writer.close()
    except (OSError, EOFError, UnicodeError, asyncio.TimeoutError):  # UnicodeError: a long name
        return False


async def _read_all(place: str, *, has_port: bool) -> list[tuple[str, Probe, str | Exception]]:
    bases = [f"https://{place}", f"http://{place}"]
    if not has_port:
        bases.append(f"http://{place}:8080")  # One-KVM's own port
    asked = [(base, probe) for base in bases for probe in PROBES]
    http = await asyncio.to_thread(importlib.import_module, "httpx2")
    async with http.AsyncClient(
        verify=tls_contexts.make_unverified_context(), trust_env=False, timeout=TIMEOUT_S
    ) as client:
        answers = await asyncio.gather(*(_read(client, base + probe.path) for base, probe in asked))
    return [(*each, answer) for each, answer in zip(asked, answers, strict=True)]


def _find_kinds(answers: Iterable[tuple[str, Probe, str | Exception]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base, probe, answer in answers:
        if isinstance(answer, str) and re.search(probe.holds, answer):
            found.setdefault(probe.kind, base)
    covered = {probe.covers for probe in PROBES if probe.kind in found}
    return {kind: base for kind, base in found.items() if kind not in covered}


async def _read(client: Any, url: str) -> str | Exception:
    """Return the beginning of the answer, or the error."""
    http = importlib.import_module("httpx2")
    body = b""
    try:
        async with within(TIMEOUT_S), client.stream("GET", url) as answer:
            async for part in answer.aiter_bytes():
                body += part
                if len(body) >= MAX_ANSWER_BYTES:
                    break
    except (http.HTTPError, http.InvalidURL, asyncio.TimeoutError) as error:
        return error
    return body.decode("utf-8", "replace")
