"""From the launch to the line that the KVM's server waits for, and to the first page."""

from __future__ import annotations

import asyncio
import statistics
import time
import urllib.error
import urllib.request
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from .meter import MS, cpu
from .rows import Row
from .stage import Service, camera, service, settings, usb_host, vendors_service

PAIRS = 9


@dataclass
class Starts:
    """Milliseconds of each start."""

    line: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, launch: AbstractContextManager[Service]) -> None:
        started = time.perf_counter()
        with launch as launched:
            self.line.append((time.perf_counter() - started) * MS)
            while not _answers(launched.origin):
                time.sleep(0.001)
            self.page.append((time.perf_counter() - started) * MS)
            self.cpu.append(cpu(launched.pid) * MS)


async def rows(folder: Path) -> list[Row]:
    with camera() as url, usb_host(folder):
        return await asyncio.to_thread(_pairs, settings(folder, url), url)


def _pairs(environ: dict[str, str], url: str) -> list[Row]:
    Starts().add(service(environ))  # fills the caches
    Starts().add(vendors_service(url))
    ours, theirs = Starts(), Starts()
    for _ in range(PAIRS):
        ours.add(service(environ))
        theirs.add(vendors_service(url))
    wanted = f"<= {statistics.median(theirs.page):.0f}"
    page = "200 for GET /, launched in turn, files cached"
    return [
        Row("start: line", "ms", ours.line, theirs.line, "Authentication line read", paired=True),
        Row("start: first page", "ms", ours.page, theirs.page, page, wanted, paired=True),
        Row("start: CPU", "ms", ours.cpu, theirs.cpu, "used until that page", paired=True),
    ]


def _answers(origin: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(origin, timeout=5) as answer:
            return bool(answer.status == 200)
    except ConnectionError:
        return False
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionError):
            return False
        raise
