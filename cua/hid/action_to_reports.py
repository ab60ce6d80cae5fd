"""Generates the reports that carry out an action, as data: pure, lazy, without a device.

`input_profile.py` finds the keys in the computer's layout; `pointing.py` moves the pointer. While
the pointer's place is unknown, the relative mouse is used for buttons.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..types import Click, Drag, Keypress, ManualAction, Move, Point, Scroll, Type, Wait
from .input_profile import ALL_UP, InputProfile
from .keymap import combine
from .layouts import Key
from .pointing import Absolute, Pointing, Relative
from .reports import (
    BUTTONS,
    CAREFUL,
    CROSSING_S,
    DOUBLE_CLICK_S,
    FAST,
    TimedReport,
    Timing,
    make_keyboard_report,
)

US = InputProfile()
Reports = Iterator[TimedReport]
MIN_DRAG_STEPS = 8
"""Number of steps after which programs surely recognise a drag."""


def plan_reports(
    action: ManualAction, pointer: Point | None, profile: InputProfile = US
) -> Reports:
    """Generate the reports of an action; `pointer` is the pointer's place, None if unknown.

    Raises `ActionError` before the first report if a key or character is unknown.
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
    """Reports of a button that stays pressed from one place to others."""

    button: int
    by: Pointing

    def begin(self, at: Point, pointer: Point | None) -> Reports:
        yield from self.by.move(at, pointer)
        yield self.by.make_report(at, self.button, pause_s=self.by.timing.between_clicks)

    def move(self, here: Point, there: Point, least: int) -> Reports:
        """Move in at least `least` steps; without a move, repeat the report of the button."""
        moves = list(self.by.drag(here, there, self.button, least))
        yield from moves or [self.by.make_report(there, self.button)]

    def end(self, here: Point) -> Reports:
        yield self.by.make_report(here, self.button, pause_s=self.by.timing.between_clicks)
        yield self.by.make_report(here, pause_s=CROSSING_S)


def _click(action: Click, pointer: Point | None, by: Pointing, profile: InputProfile) -> Reports:
    """Press keys last, so that none is pressed while a mouse report waits to be polled."""
    move = by.move(action.at, pointer) if action.at is not None else iter(())
    clicks = _clicks(action, action.at or pointer, by)
    return itertools.chain(move, _with_keys(action.keys, clicks, profile))


def _clicks(action: Click, at: Point | None, by: Pointing) -> Reports:
    for n in range(action.count):
        last = n == action.count - 1
        press = by.make_report(at, BUTTONS[action.button], pause_s=by.timing.hold)
        yield replace(press, within=DOUBLE_CLICK_S) if n else press
        yield by.make_report(at, pause_s=CROSSING_S if last else by.timing.between_clicks)


def _drag(action: Drag, pointer: Point | None, by: Pointing) -> Reports:
    here = action.path[0] if len(action.path) > 1 or pointer is None else pointer
    drag = ButtonHold(BUTTONS[action.button], by)
    yield from drag.begin(here, pointer)
    for there in action.path:
        yield from by.drag(here, there, drag.button, MIN_DRAG_STEPS)
        here = there
    yield from drag.end(here)


def _scroll(action: Scroll, pointer: Point | None, by: Pointing, profile: InputProfile) -> Reports:
    """Scroll vertically with the wheel, horizontally with Shift and the wheel."""
    at = action.at or pointer
    if action.at is not None:
        yield from by.move(action.at, pointer)
    if action.dx:
        yield from _with_keys((*action.keys, "SHIFT"), _turn_wheel(at, action.dx, by), profile)
    if action.dy:
        yield from _with_keys(action.keys, _turn_wheel(at, action.dy, by), profile)


def _turn_wheel(at: Point | None, notches: int, by: Pointing) -> Reports:
    """Turn the wheel; away from the user scrolls up and is positive in a report."""
    for _ in range(abs(notches)):
        yield by.make_report(at, wheel=-1 if notches > 0 else 1, pause_s=by.timing.notch)


def _press(keys: Sequence[Key], count: int, timing: Timing) -> Reports:
    modifiers, usages = combine(keys)
    del usages[6:]  # a report has room for six
    for time in range(1, count + 1):
        if modifiers:
            yield _make_key_report(0.005 if usages else timing.hold, time, modifiers)
        for n in range(len(usages)):
            yield _make_key_report(timing.hold, time, modifiers, usages[: n + 1])
        yield _make_key_report(max(0.005, timing.typing), time)


def _with_keys(names: Sequence[str], inner: Reports, profile: InputProfile) -> Reports:
    """Press keys before the reports of `inner`, and release them afterwards."""
    keys = [profile.key(name) for name in names]
    return _hold_keys(keys, inner) if keys else inner


def _hold_keys(keys: Sequence[Key], inner: Reports) -> Reports:
    yield _make_key_report(FAST.hold, 0, *combine(keys))
    yield from inner
    yield _make_key_report(CROSSING_S)


def _type(characters: Sequence[Sequence[Key]], timing: Timing) -> Reports:
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
                yield _make_key_report(timing.typing, typed if key == ALL_UP else n)
            if key.modifiers != held:
                held = key.modifiers
                yield _make_key_report(timing.typing, n, held)
            if key.usage:
                yield _make_key_report(timing.typing, typed, held, [key.usage])
                yield _make_key_report(timing.typing, typed, held)
    if held:
        yield _make_key_report(timing.typing, len(characters))


def _make_key_report(
    pause_s: float, typed: int = 0, modifiers: int = 0, usages: Sequence[int] = ()
) -> TimedReport:
    return TimedReport("keyboard", make_keyboard_report(modifiers, usages), pause_s, typed)
