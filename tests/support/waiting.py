"""Wait for a condition."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 15) -> None:
    """Return when `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {describe(condition)}"
        await asyncio.sleep(0.005)


def describe(condition: Callable[[], object]) -> str:
    """Return the lines of code in which a condition stands."""
    try:
        return " ".join(inspect.getsource(condition).split())
    except (TypeError, OSError):  # it is a method in C, or a partial
        return repr(condition)
