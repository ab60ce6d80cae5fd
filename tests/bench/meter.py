"""What a process has used: CPU to the nanosecond, memory as its fair share (PSS)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MS = 1000.0


def cpu(pid: int) -> float:
    """Seconds of CPU that all threads of a process have used, those that ended included."""
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) makes it


def pss(pid: int) -> float:
    """MiB; pages that are shared count for each process in part."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"no Pss of process {pid}")


async def busy(pid: int, seconds: float) -> float:
    """The CPU seconds that a process uses per second."""
    before, started = cpu(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return (cpu(pid) - before) / (time.monotonic() - started)


@contextmanager
def elapsed(
    samples: list[float], clock: Callable[[], float] = time.perf_counter
) -> Iterator[None]:
    """Adds the milliseconds that the block took."""
    started = clock()
    yield
    samples.append((clock() - started) * MS)
