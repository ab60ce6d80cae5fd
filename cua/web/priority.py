"""Lower this process's priority on a KVM, whose own video server shares two cores and 1 GB.

It yields the processor, is killed first when memory runs out, and may use half of the memory. The
writer process keeps its priority, as it holds the keys.
"""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

NICE = 5
"""About a third of the processor when another process wants all of it."""
OOM_SCORE_ADJ = 500
"""Of -1000 to 1000: how early the kernel kills it when memory runs out."""
MEMORY_PROPORTION = 0.5
MIN_MEMORY_BYTES = 384 * 2**20
"""A task takes about 80 MB."""


def lower_priority() -> None:
    """Apply to this process and its children, as far as the system allows it."""
    nice = max(NICE, os.nice(0))
    for thread in Path("/proc/self/task").iterdir():  # Linux has a priority for each
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE_ADJ))
    _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory_limit(), hard_limit))


def memory_limit() -> int:
    """Return bytes."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(MIN_MEMORY_BYTES, int(memory * MEMORY_PROPORTION))
