"""The real desktop with our screen and input on it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from cua.evaluation.environments import DESKTOP
from cua.evaluation.testbed import Computer, open_computer
from cua.types import Point

SIZE = DESKTOP.size
TIMEOUT_S = 20.0
TERMINAL = {"program": "Terminal", "rect": [60, 40, 1000, 600]}
FORM = {"program": "Browser", "page": "/form.html", "rect": [100, 30, 1000, 660]}
NEWS = {**FORM, "page": "/news.html"}
State = dict[str, Any]


@asynccontextmanager
async def desktop(*programs: dict[str, Any], **files: str) -> AsyncIterator[Computer]:
    """Open a desktop; the last program is in front."""
    scenario = {"open": list(programs), "files": files}
    async with open_computer(
        DESKTOP.boot, SIZE, scenario, lambda width, height: (width, height)
    ) as there:
        yield there


def to_point(x: float, y: float) -> Point:
    """Return the middle of this pixel."""
    return Point(x=(x + 0.5) / SIZE[0], y=(y + 0.5) / SIZE[1])


def find_box(state: State, label: str) -> tuple[int, int, int, int]:
    """Return the box of a label on the web page, in pixels: left, top, width, height."""
    found: tuple[int, int, int, int] = next(
        tuple(box) for _, name, box in state["page"]["targets"] if name == label
    )
    return found


def find_middle(state: State, label: str) -> Point:
    left, top, width, height = find_box(state, label)
    return to_point(left + width // 2, top + height // 2)


async def wait_until(
    there: Computer, so: Callable[[State], bool], seconds: float = TIMEOUT_S
) -> State:
    """Return the first state for which `so` is true; after `seconds` the last one."""
    end = time.monotonic() + seconds
    state = await there.state()
    while not so(state) and time.monotonic() < end:
        await asyncio.sleep(0.05)
        state = await there.state()
    return state
