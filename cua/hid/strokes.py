"""An action -> the reports that carry it out, as data: pure, lazy, nothing here touches a device.

Three endpoints, as the KVMs have them: a boot keyboard (8 bytes), a relative mouse (4) and an
absolute pointer (6; 0..32767 over the screen, little-endian). The pointer is always driven
absolutely; the relative mouse only presses where the pointer is when nobody knows where that is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ..types import Click, Drag, Keypress, Manual, Move, Point, Scroll, Type, Wait
from . import keymap

Endpoint = Literal["keyboard", "mouse", "pointer"]
LENGTHS: dict[Endpoint, int] = {"keyboard": 8, "mouse": 4, "pointer": 6}
BUTTONS = {"left": 1, "right": 2, "middle": 4}
FULL_SCALE = 0x7FFF

# Seconds. A USB host takes a report per 1..10 ms and says so by back-pressure, so typing needs no
# sleep beyond letting it poll; programs want to see the pointer before a button and the button for
# longer than one poll.
TYPING = 0.002
HOLD = 0.025
BETWEEN_CLICKS = 0.06
DRAG_STEP = 0.008
NOTCH = 0.01
# Endpoints are polled independently: without a pause a key could overtake the click before it.
CROSSING = 0.012


class Stroke(NamedTuple):
    """One report for one endpoint, and how many seconds to leave it before the next.

    `typed` counts the characters that the computer has when it has taken the report: one appears
    as its key goes down.
    """

    endpoint: Endpoint
    report: bytes
    hold: float = 0.0
    typed: int = 0


def keyboard(modifiers: int = 0, usages: Sequence[int] = ()) -> bytes:
    """An 8-byte boot keyboard report; at most 6 usages."""
    return bytes([modifiers, 0, *usages, *bytes(6 - len(usages))])


def absolute(at: Point, buttons: int = 0, wheel: int = 0) -> bytes:
    """A 6-byte pointer report.

    A host shows position p of 0..32767 at pixel floor(p * size / 32768). Rounding up makes pixel /
    size come out at exactly that pixel, and both the first and the last pixel reachable.
    """
    x, y = (min(FULL_SCALE, math.ceil(part * (FULL_SCALE + 1))) for part in (at.x, at.y))
    return bytes([buttons, x & 0xFF, x >> 8, y & 0xFF, y >> 8, wheel & 0xFF])


def position(report: bytes) -> Point:
    """Where a pointer report leaves the pointer."""
    x, y = int.from_bytes(report[1:3], "little"), int.from_bytes(report[3:5], "little")
    return Point(x=x / (FULL_SCALE + 1), y=y / (FULL_SCALE + 1))


def relative(buttons: int = 0, wheel: int = 0) -> bytes:
    """A 4-byte mouse report that moves nothing."""
    return bytes([buttons, 0, 0, wheel & 0xFF])


def strokes(action: Manual, pointer: Point | None, layout: str = "us") -> Iterator[Stroke]:
    """`pointer` is where the last report left the pointer, None if that is unknown.

    Raises `ActionError` before the first stroke if there is no such key or character.
    """
    if isinstance(action, Type):
        return _type(keymap.typed(action.text, layout))
    if isinstance(action, Keypress):
        return _press([keymap.key(name) for name in action.keys], action.count)
    if isinstance(action, Click):
        return _with_keys(action.keys, _click(action, pointer))
    if isinstance(action, Move):
        return _move(action.at, pointer)
    if isinstance(action, Drag):
        return _drag(action, pointer)
    if isinstance(action, Scroll):
        return _with_keys(("SHIFT",) if action.dx else (), _scroll(action, pointer))
    assert isinstance(action, Wait)
    return iter(())


def _move(at: Point, pointer: Point | None) -> Iterator[Stroke]:
    if pointer is None or absolute(at) == absolute(pointer):
        # A host drops an absolute position equal to the last one, even if the person's own mouse
        # has moved the pointer since; a step aside makes it count.
        aside = Point(x=at.x + (0.002 if at.x < 0.5 else -0.002), y=at.y)
        yield Stroke("pointer", absolute(aside), DRAG_STEP)
    yield Stroke("pointer", absolute(at), HOLD)


def _click(action: Click, pointer: Point | None) -> Iterator[Stroke]:
    button = BUTTONS[action.button]
    at = action.at or pointer
    if action.at is not None:
        yield from _move(action.at, pointer)
    for n in range(action.count):
        last = n == action.count - 1
        yield _button(at, button, HOLD)
        yield _button(at, 0, CROSSING if last else BETWEEN_CLICKS)


def _button(at: Point | None, buttons: int, hold: float) -> Stroke:
    if at is None:
        return Stroke("mouse", relative(buttons), hold)
    return Stroke("pointer", absolute(at, buttons), hold)


def _drag(action: Drag, pointer: Point | None) -> Iterator[Stroke]:
    button = BUTTONS[action.button]
    start = action.path[0] if len(action.path) > 1 or pointer is None else pointer
    yield from _move(start, pointer)
    yield Stroke("pointer", absolute(start, button), BETWEEN_CLICKS)
    here = start
    for there in action.path:
        for at in _between(here, there):
            yield Stroke("pointer", absolute(at, button), DRAG_STEP)
        here = there
    yield Stroke("pointer", absolute(here, button), BETWEEN_CLICKS)
    yield Stroke("pointer", absolute(here), CROSSING)


def _between(here: Point, there: Point) -> Iterator[Point]:
    """Points of a straight line, `there` included, at most 2 % of the screen apart."""
    count = max(8, round(max(abs(there.x - here.x), abs(there.y - here.y)) / 0.02))
    if here == there:
        return
    for n in range(1, count + 1):
        part = n / count
        yield Point(
            x=min(1.0, max(0.0, here.x + (there.x - here.x) * part)),
            y=min(1.0, max(0.0, here.y + (there.y - here.y) * part)),
        )


def _scroll(action: Scroll, pointer: Point | None) -> Iterator[Stroke]:
    at = action.at or pointer
    if action.at is not None:
        yield from _move(action.at, pointer)
    # On a wheel, away from the person is positive and shows what is further up.
    for amount in (action.dx, action.dy):
        for _ in range(abs(amount)):
            wheel = -1 if amount > 0 else 1
            if at is None:
                yield Stroke("mouse", relative(wheel=wheel), NOTCH)
            else:
                yield Stroke("pointer", absolute(at, wheel=wheel), NOTCH)


def _press(keys: Sequence[keymap.Key], count: int) -> Iterator[Stroke]:
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    usages = list(dict.fromkeys(each.usage for each in keys if each.usage))[:6]
    for _ in range(count):
        if modifiers:
            yield Stroke("keyboard", keyboard(modifiers), 0.005 if usages else HOLD)
        for n in range(len(usages)):
            yield Stroke("keyboard", keyboard(modifiers, usages[: n + 1]), HOLD)
        yield Stroke("keyboard", keyboard(), 0.005)


def _with_keys(names: Sequence[str], inner: Iterator[Stroke]) -> Iterator[Stroke]:
    """The strokes between pressing and letting go of keys."""
    keys = [keymap.key(name) for name in names]
    return _held(keys, inner) if keys else inner


def _held(keys: Sequence[keymap.Key], inner: Iterator[Stroke]) -> Iterator[Stroke]:
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    usages = [each.usage for each in keys if each.usage][:6]
    yield Stroke("keyboard", keyboard(modifiers, usages), HOLD)
    yield from inner
    yield Stroke("keyboard", keyboard(), CROSSING)


def _type(keys: Sequence[keymap.Key]) -> Iterator[Stroke]:
    """Shift goes down in a report of its own: some hosts miss it in the report of the first key."""
    held = 0
    for n, each in enumerate(keys):
        if each.modifiers != held:
            held = each.modifiers
            yield Stroke("keyboard", keyboard(held), TYPING, typed=n)
        yield Stroke("keyboard", keyboard(held, [each.usage]), TYPING, typed=n + 1)
        yield Stroke("keyboard", keyboard(held), TYPING, typed=n + 1)
    if held:
        yield Stroke("keyboard", keyboard(), TYPING, typed=len(keys))
