"""Wait for a condition."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Return when `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the condition does not hold within {seconds} s"
        await asyncio.sleep(0.005)
