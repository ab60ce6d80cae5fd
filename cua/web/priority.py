"""Lower this process's priority on a KVM, whose own video server shares two cores and 1 GB.

It yields the processor, and is killed first if memory runs out. The writer process keeps its
priority, as it has to release the keys.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

NICE = 5
"""Niceness: a third of the processor if another process uses all of it."""
OOM_SCORE_ADJ = 500
"""Priority for being killed if memory runs out, -1000 to 1000."""


def lower_priority() -> None:
    """Apply to this process and its children, as far as the system allows it."""
    nice = max(NICE, os.nice(0))
    for thread in Path("/proc/self/task").iterdir():  # Linux has a priority for each
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE_ADJ))
