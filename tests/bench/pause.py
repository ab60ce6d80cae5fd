"""Pausing the real service in each phase of a step: how soon it is acknowledged, what comes after.

The request goes out on a raw socket, and the FIFOs are emptied just before it, at its answer and a
while later: so it is certain which reports came between and which after.
"""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cua.hid.reports import LENGTHS
from tests.servers.openai_server import OpenAIServer
from tests.support.devices import Fifos
from tests.support.page_client import Page, page

from .meter import MS
from .rows import Row
from .stage import Service, camera, service, settings

TIMES = 20
AFTERWARDS = 0.12
"""Seconds in which no report may come after the acknowledgement."""


class Phase(NamedTuple):
    name: str
    reply: dict[str, Any]
    event: str
    """By which the page sees that the phase has begun."""
    data: dict[str, Any]
    within: float
    """Seconds after that in which the pause comes, at random."""
    moving: bool = False


PHASES = [
    Phase("looking", {"fault": "silent"}, "phase", {"phase": "looking"}, 0.6, moving=True),
    Phase("thinking", {"fault": "silent"}, "phase", {"phase": "thinking"}, 0.15),
    Phase("typing", {"text": "typestr " + "Aa" * 1000}, "acting", {}, 0.2),
    Phase("dragging", {"text": "drag 0.05 0.05 0.95 0.95"}, "acting", {}, 0.35),
    Phase("waiting", {"text": "sleep 60"}, "acting", {}, 0.1),
]


@dataclass
class Pauses:
    acknowledged: list[float] = field(default_factory=list)
    between: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


async def rows(folder: Path) -> list[Row]:
    fifos = Fifos(folder)
    found: dict[str, Pauses] = {}
    for moving in (False, True):
        phases = [phase for phase in PHASES if phase.moving == moving]
        with camera(*["--moving"] * moving) as url:
            found |= await _phases(phases, fifos, settings(folder, url))
    fifos.close()
    return [_row(name, found[name]) for name, *_ in PHASES]


async def _phases(
    phases: Iterable[Phase], fifos: Fifos, environ: dict[str, str]
) -> dict[str, Pauses]:
    found: dict[str, Pauses] = {}
    async with OpenAIServer() as model:
        with service({**environ, "CUA_BASE_URL": model.base_url}) as started:
            async with page(started.origin) as person:
                await person.until("screen", state="live")
                for phase in phases:
                    reply = phase.reply
                    model.script = lambda _, reply=reply: reply
                    found[phase.name] = await _pauses(phase, started, person, fifos)
                    await person.post("/api/reset")
    return found


async def _pauses(phase: Phase, started: Service, person: Page, fifos: Fifos) -> Pauses:
    pauses = Pauses()
    for _ in range(TIMES):
        person.events.clear()
        await person.post("/api/send", text="go on")
        await person.until(phase.event, **phase.data)
        await asyncio.sleep(random.uniform(0.02, phase.within))
        await asyncio.to_thread(_pause, started.origin, person.token, fifos, pauses)
        await asyncio.sleep(AFTERWARDS)
        pauses.after.append(len(_reports(fifos)))
    return pauses


def _pause(origin: str, token: str, fifos: Fifos, pauses: Pauses) -> None:
    address = urlsplit(origin)
    with socket.create_connection((address.hostname, address.port or 80), 10) as connection:
        time.sleep(0.02)  # until the service has taken the connection
        _reports(fifos)
        sent = time.perf_counter()
        connection.sendall(
            f"POST /api/pause HTTP/1.1\r\nHost: {address.netloc}\r\nOrigin: {origin}\r\n"
            f"X-CUA-Token: {token}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        answer = connection.recv(4096)
        pauses.acknowledged.append((time.perf_counter() - sent) * MS)
        reports = _reports(fifos)
        while chunk := connection.recv(4096):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    pauses.between.append(len(reports))


def _reports(fifos: Fifos) -> list[bytes]:
    return [report for endpoint in LENGTHS for report in fifos.read(endpoint)]


def _row(name: str, pauses: Pauses) -> Row:
    what = f"{max(pauses.between)} reports at most until the answer, {max(pauses.after)} after it"
    return Row(
        f"pause while {name}", "ms", pauses.acknowledged, what, "<= 50, <= 1 + its release, 0"
    )
