"""From the launch to the line that the KVM's server waits for, and to the first page."""

from __future__ import annotations

import asyncio
import statistics
import time
import urllib.error
import urllib.request
from contextlib import AbstractContextManager
from pathlib import Path

from .meter import MS, cpu
from .rows import Row
from .stage import Service, camera, service, settings, usb_host, vendors_service

PAIRS = 9


async def rows(folder: Path) -> list[Row]:
    with camera() as url, usb_host(folder):
        environ = settings(folder, url)
        pairs = []
        for _ in range(PAIRS + 1):
            ours = await asyncio.to_thread(_started, service(environ))
            theirs = await asyncio.to_thread(_started, vendors_service(url))
            pairs.append((ours, theirs))
    ours, theirs = zip(*pairs[1:], strict=True)  # the first pair filled the caches
    ours_line, ours_page, ours_cpu = zip(*ours, strict=True)
    theirs_line, theirs_page, theirs_cpu = zip(*theirs, strict=True)
    what = "launch, pages of the disk cached, alternating;"
    wanted = f"<= {statistics.median(theirs_page):.0f}"
    return [
        Row("start: line", "ms", ours_line, theirs_line, f"{what} Authentication line read"),
        Row("start: first page", "ms", ours_page, theirs_page, f"{what} 200 for GET /", wanted),
        Row("start: CPU", "ms", ours_cpu, theirs_cpu, "used until the first page was answered"),
    ]


def _started(launch: AbstractContextManager[Service]) -> tuple[float, float, float]:
    started = time.perf_counter()
    with launch as launched:
        said = time.perf_counter()
        while not _answers(launched.origin):
            time.sleep(0.001)
        answered = time.perf_counter()
        return (said - started) * MS, (answered - started) * MS, cpu(launched.pid) * MS


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
