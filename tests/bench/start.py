"""From the launch to the line that the KVM's server waits for, to the first page, and until
that page can be used.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from websockets.sync.client import connect
from websockets.typing import Origin

from .meter import MS, cpu
from .rows import Row
from .stage import Service, camera, service, settings, usb_host, vendors_service

PAIRS = 7


@dataclass
class Starts:
    """Milliseconds of each start."""

    line: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    socket: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, launch: AbstractContextManager[Service], talk: Callable[[str], object]) -> None:
        started = time.perf_counter()
        with launch as launched:
            self.line.append((time.perf_counter() - started) * MS)
            while not _answers(launched.origin):
                time.sleep(0.001)
            self.page.append((time.perf_counter() - started) * MS)
            talk(launched.origin)
            self.socket.append((time.perf_counter() - started) * MS)
            self.cpu.append(cpu(launched.pid) * MS)


async def rows(folder: Path) -> list[Row]:
    with camera() as url, usb_host(folder):
        return await asyncio.to_thread(_pairs, settings(folder, url), url)


def _pairs(environ: dict[str, str], url: str) -> list[Row]:
    ours, theirs = Starts(), Starts()
    for n in range(PAIRS + 1):
        if n == 1:  # the first pair filled the caches
            ours, theirs = Starts(), Starts()
        ours.add(service(environ), _sit_down)
        theirs.add(vendors_service(url), _greet)
    wanted = f"<= {statistics.median(theirs.page):.0f}"
    page = "200 for GET /, launched in turn, files cached"
    return [
        Row("start: line", "ms", ours.line, theirs.line, "Authentication line read", paired=True),
        Row("start: first page", "ms", ours.page, theirs.page, page, wanted, paired=True),
        Row(
            "start: in use", "ms", ours.socket, theirs.socket, "welcome on its socket", paired=True
        ),
        Row("start: CPU", "ms", ours.cpu, theirs.cpu, "used until that welcome", paired=True),
    ]


def _sit_down(origin: str) -> None:
    address = origin.replace("http", "ws", 1) + "/api/ws"
    with connect(address, origin=Origin(origin), proxy=None) as socket:
        socket.send(json.dumps({"type": "hello", "token": None, "after": ""}))
        assert json.loads(socket.recv())["type"] == "welcome"


def _greet(origin: str) -> None:
    assert _answers(f"{origin}/socket.io/?EIO=4&transport=polling")


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except ConnectionError:
        return False
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionError):
            return False
        raise
