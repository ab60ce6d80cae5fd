"""A screenshot of a stable screen: how long it takes, how old it is, what it costs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from cua.screen.video_screen import VideoScreen

from .camera import age
from .meter import MS, elapsed
from .rows import Row
from .stage import camera, reading

SHOTS = 40
PAUSE = 0.05
STABLE_S = 0.2


async def rows(folder: Path) -> list[Row]:
    with camera() as url:
        async with reading(url) as screen:
            times, _, cpu = await _shots(screen, stamped=False)
    with camera("--stamped") as url:
        async with reading(url) as screen:
            noisy, ages, noisy_cpu = await _shots(screen, stamped=True)
            reader = await _reader(screen)
    same, other = "frames of the same bytes", "no two frames of the same bytes"
    about = "30 fps, HTTPS, 1280x720"
    return [
        Row("screenshot: time", "ms", times, f"{about}, {same}", "<= 5"),
        Row("screenshot: time, noisy source", "ms", noisy, f"{about}, {other}", "<= 5"),
        Row("screenshot: age", "ms", ages, "since it was sent, at hand-over"),
        Row("screenshot: CPU", "ms", [cpu], f"beyond the reader's; {same}"),
        Row("screenshot: CPU, noisy source", "ms", [noisy_cpu], other),
        Row("reader: CPU per frame", "ms", [reader], "the stream being read all the time"),
    ]


async def _shots(screen: VideoScreen, *, stamped: bool) -> tuple[list[float], list[float], float]:
    """Milliseconds of each shot, its age, and CPU per shot beyond that of reading the stream."""
    idle = await _load(2.0)
    times: list[float] = []
    ages = []
    before, started = time.process_time(), time.perf_counter()
    for _ in range(SHOTS):
        with elapsed(times):
            frame = await screen.take_screenshot(time.monotonic() - 1.0, STABLE_S, 3.0)
        if stamped:
            ages.append(age(frame.jpeg) * MS)
        await asyncio.sleep(PAUSE)
    spent = time.process_time() - before - idle * (time.perf_counter() - started)
    return times, ages, max(0.0, spent) / SHOTS * MS


async def _reader(screen: VideoScreen) -> float:
    assert screen.newest is not None
    first, before = screen.newest.seq, time.process_time()
    await asyncio.sleep(3.0)
    return (time.process_time() - before) / (screen.newest.seq - first) * MS


async def _load(seconds: float) -> float:
    """The CPU seconds that this process uses per second."""
    before, started = time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    return (time.process_time() - before) / (time.perf_counter() - started)
