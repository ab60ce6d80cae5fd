"""Generates the reports that carry out an action, as data: pure, lazy, without a device.

Keys are those of the computer's layout (`input_profile.py`); `pointing.py` moves the pointer. While
the place of the pointer is unknown, the relative mouse is used for buttons.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..types import Click, Drag, Keypress, ManualAction, Move, Point, Scroll, Type, Wait
from .input_profile import ALL_UP, InputProfile
from .layouts import Key
from .pointing import Absolute, Pointing, Relative
from .reports import BUTTONS, CAREFUL, CROSSING_S, DOUBLE_CLICK_S, FAST, Stroke, Timing, keyboard

US = InputProfile()
MIN_DRAG_STEPS = 8
"""Programs recognise a drag only after several steps."""


def strokes(
    action: ManualAction, pointer: Point | None, profile: InputProfile = US
) -> Iterator[Stroke]:
    """Generate the strokes of an action; `pointer` is the place of the pointer, None if unknown.

    Raises `ActionError` before the first stroke if there is no such key or character.
    """
    by = choose_pointing(profile)
    if isinstance(action, Type):
        return _type(profile.keys_for(action.text), by.timing)
    if isinstance(action, Keypress):
        return _press([profile.key(name) for name in action.keys], action.count, by.timing)
    if isinstance(action, Click):
        return _click(action, pointer, by, profile)
    if isinstance(action, Move):
        return _with_keys(action.keys, by.move(action.at, pointer), profile)
    if isinstance(action, Drag):
        return _with_keys(action.keys, _drag(action, pointer, by), profile)
    if isinstance(action, Scroll):
        return _scroll(action, pointer, by, profile)
    assert isinstance(action, Wait)
    return iter(())


def choose_pointing(profile: InputProfile) -> Pointing:
    timing = CAREFUL if profile.careful else FAST
    return Relative(timing, profile.mouse) if profile.mouse else Absolute(timing)


class ButtonHold(NamedTuple):
    """Strokes of a button held from one place to others."""

    button: int
    by: Pointing

    def begin(self, at: Point, pointer: Point | None) -> Iterator[Stroke]:
        yield from self.by.move(at, pointer)
        yield self.by.stroke(at, self.button, hold=self.by.timing.between_clicks)

    def move(self, here: Point, there: Point, least: int) -> Iterator[Stroke]:
        """Move in at least `least` steps; if none is needed, repeat the report of the button."""
        moved = False
        for stroke in self.by.drag(here, there, self.button, least):
            moved = True
            yield stroke
        if not moved:
            yield self.by.stroke(there, self.button)

    def end(self, here: Point) -> Iterator[Stroke]:
        yield self.by.stroke(here, self.button, hold=self.by.timing.between_clicks)
        yield self.by.stroke(here, hold=CROSSING_S)


def _click(
    action: Click, pointer: Point | None, by: Pointing, profile: InputProfile
) -> Iterator[Stroke]:
    """Press keys last, so that none is held while waiting for a mouse that is not polled."""
    way = by.move(action.at, pointer) if action.at is not None else iter(())
    clicks = _clicks(action, action.at or pointer, by)
    return itertools.chain(way, _with_keys(action.keys, clicks, profile))


def _clicks(action: Click, at: Point | None, by: Pointing) -> Iterator[Stroke]:
    for n in range(action.count):
        last = n == action.count - 1
        press = by.stroke(at, BUTTONS[action.button], hold=by.timing.hold)
        yield press._replace(within=DOUBLE_CLICK_S) if n else press
        yield by.stroke(at, hold=CROSSING_S if last else by.timing.between_clicks)


def _drag(action: Drag, pointer: Point | None, by: Pointing) -> Iterator[Stroke]:
    here = action.path[0] if len(action.path) > 1 or pointer is None else pointer
    drag = ButtonHold(BUTTONS[action.button], by)
    yield from drag.begin(here, pointer)
    for there in action.path:
        yield from by.drag(here, there, drag.button, MIN_DRAG_STEPS)
        here = there
    yield from drag.end(here)


def _scroll(
    action: Scroll, pointer: Point | None, by: Pointing, profile: InputProfile
) -> Iterator[Stroke]:
    """Scroll vertically with the wheel, horizontally with Shift and the wheel."""
    at = action.at or pointer
    if action.at is not None:
        yield from by.move(action.at, pointer)
    if action.dx:
        yield from _with_keys((*action.keys, "SHIFT"), _turn_wheel(at, action.dx, by), profile)
    if action.dy:
        yield from _with_keys(action.keys, _turn_wheel(at, action.dy, by), profile)


def _turn_wheel(at: Point | None, notches: int, by: Pointing) -> Iterator[Stroke]:
    """Turn the wheel; away from the user scrolls up and is positive in a report."""
    for _ in range(abs(notches)):
        yield by.stroke(at, wheel=-1 if notches > 0 else 1, hold=by.timing.notch)


def _press(keys: Sequence[Key], count: int, timing: Timing) -> Iterator[Stroke]:
    modifiers, usages = _combine(keys)
    for time in range(1, count + 1):
        if modifiers:
            yield Stroke("keyboard", keyboard(modifiers), 0.005 if usages else timing.hold, time)
        for n in range(len(usages)):
            yield Stroke("keyboard", keyboard(modifiers, usages[: n + 1]), timing.hold, time)
        yield Stroke("keyboard", keyboard(), max(0.005, timing.typing), time)


def _combine(keys: Sequence[Key]) -> tuple[int, list[int]]:
    """Return modifiers and usages for one report, which has room for six."""
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    return modifiers, list(dict.fromkeys(each.usage for each in keys if each.usage))[:6]


def _with_keys(
    names: Sequence[str], inner: Iterator[Stroke], profile: InputProfile
) -> Iterator[Stroke]:
    """Hold keys during the strokes of `inner`."""
    keys = [profile.key(name) for name in names]
    return _hold_keys(keys, inner) if keys else inner


def _hold_keys(keys: Sequence[Key], inner: Iterator[Stroke]) -> Iterator[Stroke]:
    yield Stroke("keyboard", keyboard(*_combine(keys)), FAST.hold)
    yield from inner
    yield Stroke("keyboard", keyboard(), CROSSING_S)


def _type(characters: Sequence[Sequence[Key]], timing: Timing) -> Iterator[Stroke]:
    """Type characters, each of which takes one or more keys.

    A character appears when its last key is pressed, or for an Alt code when all keys are
    released. Modifiers are pressed in a separate report before the key, because some hosts miss
    them in the same one. One modifier is never pressed in the report that releases another,
    because on some systems Shift and Alt together switch the layout.
    """
    held = 0
    for n, keys in enumerate(characters):
        for key in keys:
            typed = n + (key is keys[-1])
            if held & ~key.modifiers:
                held = 0
                yield Stroke("keyboard", keyboard(), timing.typing, typed if key == ALL_UP else n)
            if key.modifiers != held:
                held = key.modifiers
                yield Stroke("keyboard", keyboard(held), timing.typing, n)
            if key.usage:
                yield Stroke("keyboard", keyboard(held, [key.usage]), timing.typing, typed)
                yield Stroke("keyboard", keyboard(held), timing.typing, typed)
    if held:
        yield Stroke("keyboard", keyboard(), timing.typing, len(characters))
