"""What a process has used: CPU to the nanosecond, memory as its fair share (PSS)."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

MS = 1000.0


def family(pid: int) -> list[int]:
    """The process and those that it started and that still run."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def cpu(pid: int) -> float:
    """Seconds of CPU that a process and its family have used."""
    # as clock_getcpuclockid(3) makes the number of a clock
    return sum(time.clock_gettime((~each << 3) | 2) for each in family(pid))


def memory(pid: int) -> tuple[float, float]:
    """PSS and RSS of a process and its family in MiB; PSS shares out what several of all have."""
    sizes = {"Pss": 0.0, "Rss": 0.0}
    for each in family(pid):
        for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in sizes:
                sizes[name] += int(rest.split()[0]) / 1024
    return sizes["Pss"], sizes["Rss"]


async def busy(pid: int, seconds: float) -> float:
    """The CPU seconds that a process and its family use per second."""
    before, started = cpu(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return (cpu(pid) - before) / (time.monotonic() - started)


@contextmanager
def elapsed(samples: list[float], clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Adds the milliseconds that the block took."""
    started = clock()
    yield
    samples.append((clock() - started) * MS)


def between(times: Iterable[float]) -> list[float]:
    """The milliseconds from each of some moments in seconds to the next."""
    return [(after - before) * MS for before, after in itertools.pairwise(times)]
