"""Input tasks on a real desktop, and what the programs there received."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from cua.evaluation.testbed import Computer
from cua.types import Click, Drag, Keypress, Move, Scroll, Type

from .real_desktop import SIZE, State, find_box, find_middle, to_point, wait_until

RANGE = {"program": "Browser", "page": "/range.html?seed=7", "rect": [0, 0, 1280, 720]}
TARGETS, SIDE = 200, 8
CHARACTERS = 2000


def random_text(count: int = CHARACTERS, seed: int = 3) -> str:
    """Random printable characters of a US keyboard."""
    dice = random.Random(seed)
    return "".join(dice.choice(string.printable[:95]) for _ in range(count))


class Typed(NamedTuple):
    """What arrived of what was typed, and the seconds that typing it took."""

    wanted: str
    arrived: str
    seconds: float


async def type_into_terminal(there: Computer, text: str) -> Typed:
    """Into `cat`, which writes a file of what the terminal gave it."""
    await there.inputs.perform(Type(text="cat > typed.txt\n"))
    await wait_until(there, lambda state: "typed.txt" in state["files"])
    seconds = await _timed(there, text)
    await there.inputs.perform(Keypress(keys=("ENTER",)))
    await there.inputs.perform(Keypress(keys=("CTRL", "D")))
    state = await wait_until(there, lambda state: state["files"]["typed.txt"].endswith("\n"))
    return Typed(text, state["files"]["typed.txt"].removesuffix("\n"), seconds)


async def type_into_browser(there: Computer, text: str) -> Typed:
    await there.inputs.perform(Click(at=find_middle(await there.state(), "Text")))
    await wait_until(there, _browser_listens)  # the window manager says who gets keys, when it can
    await there.inputs.perform(Keypress(keys=("CTRL", "A")))  # what an earlier try has left
    seconds = await _timed(there, text)
    # its length tells nothing: a dead key shows as a sign of its own until the next one
    state = await _until_with_moves(there, lambda state: _text(state) == text)
    return Typed(text, _text(state), seconds)


async def _until_with_moves(there: Computer, so: Callable[[State], bool]) -> State:
    """Like `wait_until`: a busy Chromium leaves X events in its queue until the next one comes."""
    state = await wait_until(there, so, seconds=2)
    for x in range(20):
        if so(state):
            break
        await there.inputs.perform(Move(at=to_point(x, SIZE[1] - 1)))
        state = await wait_until(there, so, seconds=1)
    return state


def _text(state: State) -> str:
    return str(state["page"]["values"]["text"])


def _browser_listens(state: dict[str, Any]) -> bool:
    return any(each["program"] == "Browser" and each["active"] for each in state["windows"])


async def _timed(there: Computer, text: str) -> float:
    started = time.monotonic()
    await there.inputs.perform(Type(text=text))
    return time.monotonic() - started


async def shoot(there: Computer, count: int = TARGETS) -> dict[str, Any]:
    """Click in the middle of each target; returns what the page counted for it."""
    state = await there.state()
    before = state["page"]["result"]
    view, seen = state["page"]["result"]["view"], find_box(state, "Target")
    places = _places(7, *view)
    left, top = next(places)
    corner = (seen[0] - left, seen[1] - top)
    place = (left, top)
    for number in range(1, count + 1):
        x, y = corner[0] + place[0] + SIDE // 2, corner[1] + place[1] + SIDE // 2
        await there.inputs.perform(Click(at=to_point(x, y)))
        place = next(places)
        state = await wait_until(there, partial(_shot, _shots(before) + number))
    result: dict[str, Any] = state["page"]["result"]
    return {name: result[name] - before[name] for name in ("hits", "misses")}


def _shot(number: int, state: dict[str, Any]) -> bool:
    return _shots(state["page"]["result"]) >= number


def _shots(result: dict[str, Any]) -> int:
    return int(result["hits"] + result["misses"])


def _places(seed: int, width: int, height: int) -> Iterator[tuple[int, int]]:
    """Where the page puts its targets, one after the other; the same sum as in range.html."""
    state = seed

    def below(limit: int) -> int:
        nonlocal state
        state = state * 16807 % 2147483647
        return int(state / 2147483647 * limit)

    while True:
        yield below(width - SIDE), below(height - SIDE)


async def drag_box(there: Computer, right: int, down: int) -> tuple[int, int]:
    """Returns how far it went, in pixels."""
    state = await there.state()
    before = state["page"]["result"]["box"]
    left, top, width, height = find_box(state, "Box")
    x, y = left + width // 2, top + height // 2
    path = (to_point(x, y), to_point(x + right, y + down))
    await there.inputs.perform(Drag(path=path))
    wanted = [before[0] + right, before[1] + down]
    state = await wait_until(there, lambda state: state["page"]["result"]["box"] == wanted)
    after = state["page"]["result"]["box"]
    return after[0] - before[0], after[1] - before[1]


NOTCH = 120
"""What a browser calls one notch of the wheel."""


async def turn_wheel(there: Computer, notches: int) -> float:
    """Returns the notches that the page counted."""
    before = (await there.state())["page"]["facts"]["wheel"]
    wanted = before + notches * NOTCH
    await there.inputs.perform(Scroll(at=to_point(640, 500), dy=notches))
    state = await wait_until(there, lambda state: state["page"]["facts"]["wheel"] == wanted)
    return float(state["page"]["facts"]["wheel"] - before) / NOTCH


async def double_click(there: Computer) -> int:
    """Returns the double clicks that the page counted."""
    before = (await there.state())["page"]["facts"]["doubles"]
    await there.inputs.perform(Click(at=to_point(640, 400), count=2))
    state = await wait_until(there, lambda state: state["page"]["facts"]["doubles"] > before)
    return int(state["page"]["facts"]["doubles"] - before)
