"""Manners on a machine that has something more important to do: a KVM's own video.

Its server encodes and sends that video on the same two small cores and the same gigabyte. So this
program steps back when both want the processor, is the one that ends when memory runs out, and may
not take more than half of it. The writer process does not step back: it holds the keys.
"""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

NICE = 5
"""About a third of the processor when another process wants all of it."""
FIRST_TO_GO = 500
"""Of -1000 to 1000: how early the kernel ends it when memory runs out."""
SHARE = 0.5
"""Of the machine's memory."""
LEAST = 384 * 2**20
"""Bytes that it may have in any case; a task takes about 80 MB."""


def step_back() -> None:
    """For this process and those it starts; what the system refuses stays as it is."""
    nice = max(NICE, os.nice(0))
    for thread in Path("/proc/self/task").iterdir():  # Linux has a priority for each
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_GO))
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (share(), most))


def share() -> int:
    """Bytes of data that it may have."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(LEAST, int(memory * SHARE))
