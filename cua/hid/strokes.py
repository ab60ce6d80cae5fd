"""An action -> the reports that carry it out, as data: pure, lazy, nothing here touches a device.

Keys are those of the computer's own layout (`target.py`); how the pointer gets to a place is
`pointing.py`'s. The mouse only presses where the pointer is when nobody knows where that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..types import Click, Drag, Keypress, Manual, Move, Point, Scroll, Type, Wait
from .layouts import Key
from .pointing import Absolute, Pointing, Relative
from .reports import BUTTONS, CAREFUL, CROSSING, FAST, Pace, Stroke, keyboard
from .target import ALL_UP, Target

US = Target()
SEEN = 8
"""Steps of a drag at least, so that a program that is about to see one does."""


def strokes(action: Manual, pointer: Point | None, target: Target = US) -> Iterator[Stroke]:
    """`pointer` is where the last report left the pointer, None if that is unknown.

    Raises `ActionError` before the first stroke if there is no such key or character.
    """
    by = pointing(target)
    if isinstance(action, Type):
        return _type(target.typed(action.text), by.pace)
    if isinstance(action, Keypress):
        return _press([target.key(name) for name in action.keys], action.count, by.pace)
    if isinstance(action, Click):
        return _with_keys(action.keys, _click(action, pointer, by), target)
    if isinstance(action, Move):
        return by.move(action.at, pointer)
    if isinstance(action, Drag):
        return _drag(action, pointer, by)
    if isinstance(action, Scroll):
        return _scroll(action, pointer, by, target)
    assert isinstance(action, Wait)
    return iter(())


def pointing(target: Target) -> Pointing:
    pace = CAREFUL if target.careful else FAST
    return Relative(pace, target.mouse) if target.mouse else Absolute(pace)


class Pull(NamedTuple):
    """A button held from one place to others."""

    button: int
    by: Pointing

    def begin(self, at: Point, pointer: Point | None) -> Iterator[Stroke]:
        yield from self.by.move(at, pointer)
        yield self.by.button(at, self.button, self.by.pace.between_clicks)

    def on(self, here: Point, there: Point, least: int) -> Iterator[Stroke]:
        """In `least` steps at least; where none is needed, the button is said again."""
        moved = False
        for stroke in self.by.drag(here, there, self.button, least):
            moved = True
            yield stroke
        if not moved:
            yield self.by.button(there, self.button, 0.0)

    def end(self, here: Point) -> Iterator[Stroke]:
        yield self.by.button(here, self.button, self.by.pace.between_clicks)
        yield self.by.button(here, 0, CROSSING)


def _click(action: Click, pointer: Point | None, by: Pointing) -> Iterator[Stroke]:
    button = BUTTONS[action.button]
    at = action.at or pointer
    if action.at is not None:
        yield from by.move(action.at, pointer)
    for n in range(action.count):
        last = n == action.count - 1
        yield by.button(at, button, by.pace.hold)
        yield by.button(at, 0, CROSSING if last else by.pace.between_clicks)


def _drag(action: Drag, pointer: Point | None, by: Pointing) -> Iterator[Stroke]:
    here = action.path[0] if len(action.path) > 1 or pointer is None else pointer
    pull = Pull(BUTTONS[action.button], by)
    yield from pull.begin(here, pointer)
    for there in action.path:
        yield from by.drag(here, there, pull.button, SEEN)
        here = there
    yield from pull.end(here)


def _scroll(
    action: Scroll, pointer: Point | None, by: Pointing, target: Target
) -> Iterator[Stroke]:
    """With Shift a wheel goes sideways."""
    at = action.at or pointer
    if action.at is not None:
        yield from by.move(action.at, pointer)
    if action.dx:
        yield from _with_keys(("SHIFT",), _turned(at, action.dx, by), target)
    yield from _turned(at, action.dy, by)


def _turned(at: Point | None, notches: int, by: Pointing) -> Iterator[Stroke]:
    """On a wheel, away from the person is positive and shows what is further up."""
    for _ in range(abs(notches)):
        yield by.wheel(at, -1 if notches > 0 else 1)


def _press(keys: Sequence[Key], count: int, pace: Pace) -> Iterator[Stroke]:
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    usages = list(dict.fromkeys(each.usage for each in keys if each.usage))[:6]
    for time in range(1, count + 1):
        if modifiers:
            yield Stroke("keyboard", keyboard(modifiers), 0.005 if usages else pace.hold, time)
        for n in range(len(usages)):
            yield Stroke("keyboard", keyboard(modifiers, usages[: n + 1]), pace.hold, time)
        yield Stroke("keyboard", keyboard(), max(0.005, pace.typing), time)


def _with_keys(names: Sequence[str], inner: Iterator[Stroke], target: Target) -> Iterator[Stroke]:
    """The strokes between pressing and letting go of keys."""
    keys = [target.key(name) for name in names]
    return _held(keys, inner) if keys else inner


def _held(keys: Sequence[Key], inner: Iterator[Stroke]) -> Iterator[Stroke]:
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    usages = [each.usage for each in keys if each.usage][:6]
    yield Stroke("keyboard", keyboard(modifiers, usages), FAST.hold)
    yield from inner
    yield Stroke("keyboard", keyboard(), CROSSING)


def _type(characters: Sequence[Sequence[Key]], pace: Pace) -> Iterator[Stroke]:
    """A character appears with its last key, that of an Alt code as everything goes up.

    Modifiers go down in a report of their own: some hosts miss them in the report of the first
    key. None goes down in the report in which another comes up: Shift and Alt together change the
    layout of some.
    """
    held = 0
    for n, keys in enumerate(characters):
        for key in keys:
            typed = n + (key is keys[-1])
            if held & ~key.modifiers:
                held = 0
                yield Stroke("keyboard", keyboard(), pace.typing, typed if key == ALL_UP else n)
            if key.modifiers != held:
                held = key.modifiers
                yield Stroke("keyboard", keyboard(held), pace.typing, n)
            if key.usage:
                yield Stroke("keyboard", keyboard(held, [key.usage]), pace.typing, typed)
                yield Stroke("keyboard", keyboard(held), pace.typing, typed)
    if held:
        yield Stroke("keyboard", keyboard(), pace.typing, len(characters))
