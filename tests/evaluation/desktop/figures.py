"""Accuracy and speed of input on a real desktop: `python -m tests.evaluation.desktop.figures`."""

from __future__ import annotations

import asyncio
import sys
import time

from .input_tasks import (
    RANGE,
    TARGETS,
    Typed,
    double_click,
    drag_box,
    random_text,
    shoot,
    turn_wheel,
    type_into_browser,
    type_into_terminal,
)
from .real_desktop import TERMINAL, desktop


async def main() -> None:
    async with desktop(TERMINAL) as there:
        _say("xterm", _typing(await type_into_terminal(there, random_text(seed=4))))
    async with desktop(RANGE) as there:
        _say("Chromium", _typing(await type_into_browser(there, random_text())))
        started = time.monotonic()
        result = await shoot(there)
        took = (time.monotonic() - started) / TARGETS
        _say("targets of 8 x 8 px", f"{result['hits']} of {TARGETS} hit, {took * 1000:.0f} ms each")
        _say("a drag by (200, -60)", f"by {await drag_box(there, 200, -60)}")
        _say("ten notches of the wheel", f"{await turn_wheel(there, 10):g}")
        _say("a double click", f"{await double_click(there)}")


def _typing(typed: Typed) -> str:
    """Lost, doubled and swapped characters are all wrong places."""
    wrong = sum(a != b for a, b in zip(typed.wanted, typed.arrived, strict=False))
    wrong += abs(len(typed.wanted) - len(typed.arrived))
    rate = len(typed.wanted) / typed.seconds
    return f"{len(typed.wanted)} random characters, {wrong} wrong, {rate:.0f} a second"


def _say(what: str, words: str) -> None:
    sys.stdout.write(f"{what}: {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
