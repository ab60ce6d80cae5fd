"""From the launch to the line that the KVM's server waits for, to the first page, and until
that page can be used.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from websockets.sync.client import connect
from websockets.typing import Origin

from .meter import MS, cpu
from .rows import Row
from .stage import Service, camera, service, settings, usb_host

TIMES = 7


@dataclass
class Starts:
    """Milliseconds of each start."""

    line: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    socket: list[float] = field(default_factory=list)
    page_cpu: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, launch: AbstractContextManager[Service]) -> None:
        started = time.perf_counter()
        with launch as launched:
            self.line.append((time.perf_counter() - started) * MS)
            while not _answers(launched.origin):
                time.sleep(0.001)
            self.page.append((time.perf_counter() - started) * MS)
            self.page_cpu.append(cpu(launched.pid) * MS)
            _say_hello(launched.origin)
            self.socket.append((time.perf_counter() - started) * MS)
            self.cpu.append(cpu(launched.pid) * MS)


async def rows(folder: Path) -> list[Row]:
    with camera() as url, usb_host(folder):
        return await asyncio.to_thread(_starts, settings(folder, url))


def _starts(environ: dict[str, str]) -> list[Row]:
    Starts().add(service(environ))  # fills the caches
    starts = Starts()
    for _ in range(TIMES):
        starts.add(service(environ))
    return [
        Row("start: line", "ms", starts.line, "Authentication line read, files cached"),
        Row("start: page", "ms", starts.page, "200 for GET / after the line", "<= 376"),
        Row("start: page, CPU", "ms", starts.page_cpu, "used until then", "<= 390"),
        Row("start: in use", "ms", starts.socket, "welcome on its socket"),
        Row("start: in use, CPU", "ms", starts.cpu, "used until that welcome"),
    ]


def _say_hello(origin: str) -> None:
    address = origin.replace("http", "ws", 1) + "/api/ws"
    with connect(address, origin=Origin(origin), proxy=None, open_timeout=60) as socket:
        socket.send(json.dumps({"type": "hello", "token": None, "after": ""}))
        assert json.loads(socket.recv())["type"] == "welcome"


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
