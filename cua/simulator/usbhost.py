"""The USB host of the simulated computer: report bytes in, input events out.

It works like Linux' usbhid, hid-input and a US layout: differences between reports become events, a
roll-over error is ignored, a pressed key repeats, an unchanged absolute position moves nothing. It
is pure, with the time as an argument, so tests use it as the oracle for reports.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

KEYBOARD, RELATIVE, ABSOLUTE = 0, 1, 2
LENGTH = {KEYBOARD: 8, RELATIVE: 4, ABSOLUTE: 6}
"""Length in bytes of a report, by device."""

REPEAT_DELAY_S, REPEAT_INTERVAL_S = 0.5, 0.04
DOUBLE_CLICK_S, DOUBLE_CLICK_PX = 0.5, 4
BUTTONS = ("left", "right", "middle", "back", "forward")
ROLL_OVER = 1
MODIFIERS = ("ctrl", "shift", "alt", "meta", "ctrl", "shift", "alt", "meta")
"""Names of the bits of a keyboard report's first byte, the same for left and right."""


def _keys() -> dict[int, tuple[str, str, str]]:
    keys = {4 + i: (c, c, c.upper()) for i, c in enumerate("abcdefghijklmnopqrstuvwxyz")}
    pairs = ["1!", "2@", "3#", "4$", "5%", "6^", "7&", "8*", "9(", "0)"]
    keys |= {0x1E + i: (pair[0], pair[0], pair[1]) for i, pair in enumerate(pairs)}
    signs = {0x2D: "-_", 0x2E: "=+", 0x2F: "[{", 0x30: "]}", 0x31: "\\|", 0x33: ";:"}
    signs |= {0x34: "'\"", 0x35: "`~", 0x36: ",<", 0x37: ".>", 0x38: "/?"}
    keys |= {usage: (pair[0], pair[0], pair[1]) for usage, pair in signs.items()}
    for usage, name, char in ((0x28, "enter", "\n"), (0x2B, "tab", "\t"), (0x2C, "space", " ")):
        keys[usage] = (name, char, char)
    for i, char in enumerate("/*-+"):
        keys[0x54 + i] = ("kp" + char, char, char)
    keys[0x58] = ("enter", "\n", "\n")
    for i, char in enumerate("1234567890."):
        keys[0x59 + i] = (char, char, char)
    return {**keys, **_silent()}


def _silent() -> dict[int, tuple[str, str, str]]:
    names = {0x29: "esc", 0x2A: "backspace", 0x39: "capslock", 0x65: "menu"}
    names |= {0x3A + i: f"f{i + 1}" for i in range(12)}
    rest = "printscreen scrolllock pause insert home pageup delete end pagedown right left down up"
    names |= {0x46 + i: name for i, name in enumerate((rest + " numlock").split())}
    return {usage: (name, "", "") for usage, name in names.items()}


KEYS = _keys()
"""Usage -> name, character, character with shift; "" for none."""


@dataclass(frozen=True)
class KeyDown:
    """A press of a key. `char` is its character, "" for none; `chord` is like "ctrl+shift+s"."""

    key: str
    char: str = ""
    mods: frozenset[str] = frozenset()
    repeat: bool = False

    @property
    def chord(self) -> str:
        held = [name for name in MODIFIERS[:4] if name in self.mods and name != self.key]
        return "+".join([*held, self.key])


@dataclass(frozen=True)
class KeyUp:
    key: str


@dataclass(frozen=True)
class Moved:
    """A move of the pointer to a pixel."""

    x: int
    y: int


@dataclass(frozen=True)
class Pressed:
    """A press of a button; `clicks` is 2 for the second press of a double click, 3 for a third."""

    button: str
    x: int
    y: int
    clicks: int = 1


@dataclass(frozen=True)
class Released:
    button: str
    x: int
    y: int


@dataclass(frozen=True)
class Wheel:
    """A turn of the wheel in notches; positive scrolls up."""

    notches: int
    x: int
    y: int


Event = KeyDown | KeyUp | Moved | Pressed | Released | Wheel


class Keyboard:
    """A boot keyboard. `caps` is the state of caps lock, `held` are the names of pressed keys."""

    def __init__(self) -> None:
        self.caps = False
        self._mod_byte = 0
        self._array = bytes(6)
        self._held: list[int] = []
        self._repeating = 0
        self._repeat_at = 0.0

    @property
    def held(self) -> list[str]:
        return sorted(self._mods()) + [KEYS[usage][0] for usage in self._held]

    def report(self, data: bytes, now: float) -> list[Event]:
        """Return the events of an 8-byte report, after the repeats that were due before it."""
        events = self.tick(now)
        events += self._modifiers(data[0])
        if ROLL_OVER not in data[2:8]:
            events += self._keys(data[2:8], now)
        return events

    def tick(self, now: float) -> list[Event]:
        """Return repeats of the last key if it is still pressed."""
        events: list[Event] = []
        while self._repeating and now >= self._repeat_at:
            self._repeat_at += REPEAT_INTERVAL_S
            events.append(self._down(self._repeating, repeat=True))
        return events

    def _mods(self) -> frozenset[str]:
        return frozenset(name for i, name in enumerate(MODIFIERS) if self._mod_byte >> i & 1)

    def _modifiers(self, byte: int) -> list[Event]:
        before, self._mod_byte = self._mods(), byte
        after = self._mods()
        events: list[Event] = [KeyUp(name) for name in sorted(before - after)]
        return events + [KeyDown(name, "", after) for name in sorted(after - before)]

    def _keys(self, array: bytes, now: float) -> list[Event]:
        events: list[Event] = []
        for old, new in zip(self._array, array, strict=True):
            if old in self._held and old not in array:
                events.append(self._up(old))
            if new in KEYS and new not in self._held:
                self._held.append(new)
                events.append(self._down(new))
                self._repeating, self._repeat_at = new, now + REPEAT_DELAY_S
        self._array = array
        return events

    def _up(self, usage: int) -> KeyUp:
        self._held.remove(usage)
        if usage == self._repeating:
            self._repeating = 0
        return KeyUp(KEYS[usage][0])

    def _down(self, usage: int, repeat: bool = False) -> KeyDown:
        name, plain, shifted = KEYS[usage]
        if name == "capslock" and not repeat:
            self.caps = not self.caps
        mods = self._mods()
        upper = ("shift" in mods) != (self.caps and name.isalpha() and len(name) == 1)
        char = "" if mods - {"shift"} else shifted if upper else plain
        return KeyDown(name, char, mods, repeat)


class Pointer:
    """The pointer of both the relative mouse and the absolute pointer; `x`, `y` in pixels."""

    def __init__(self, width: int, height: int) -> None:
        self._size = (width, height)
        self.x, self.y = width // 2, height // 2
        self._buttons = {RELATIVE: 0, ABSOLUTE: 0}
        self._absolute = (0, 0)
        self._last = ("", 0, 0, 0, 0.0)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the screen; the pointer keeps its relative position."""
        self.x, self.y = self.x * width // self._size[0], self.y * height // self._size[1]
        self._size = (width, height)

    @property
    def held(self) -> list[str]:
        mask = self._buttons[RELATIVE] | self._buttons[ABSOLUTE]
        return [name for i, name in enumerate(BUTTONS) if mask >> i & 1]

    def relative(self, data: bytes, now: float) -> list[Event]:
        """Return the events of one 4-byte report: buttons, dx, dy, wheel."""
        buttons, dx, dy, notches = struct.unpack("<Bbbb", data)
        events = self._move(self.x + dx, self.y + dy)
        return events + self._press(RELATIVE, buttons & 7, now) + self._wheel(notches)

    def absolute(self, data: bytes, now: float) -> list[Event]:
        """Return the events of a 6-byte report: buttons, x, y (little endian, 0..32767), wheel."""
        buttons, x, y, notches = struct.unpack("<BHHb", data)
        place = (min(x, 0x7FFF), min(y, 0x7FFF))
        events: list[Event] = []
        if place != self._absolute:
            self._absolute = place
            width, height = self._size
            events = self._move(place[0] * width // 0x8000, place[1] * height // 0x8000)
        return events + self._press(ABSOLUTE, buttons & 31, now) + self._wheel(notches)

    def _move(self, x: int, y: int) -> list[Event]:
        x, y = min(max(x, 0), self._size[0] - 1), min(max(y, 0), self._size[1] - 1)
        if (x, y) == (self.x, self.y):
            return []
        self.x, self.y = x, y
        return [Moved(x, y)]

    def _press(self, device: int, mask: int, now: float) -> list[Event]:
        before, self._buttons[device] = self.held, mask
        after = self.held
        events: list[Event] = [Released(b, self.x, self.y) for b in before if b not in after]
        return events + [self._down(b, now) for b in after if b not in before]

    def _down(self, button: str, now: float) -> Pressed:
        last, x, y, clicks, at = self._last
        near = max(abs(self.x - x), abs(self.y - y)) <= DOUBLE_CLICK_PX
        again = last == button and near and now - at <= DOUBLE_CLICK_S
        clicks = clicks % 3 + 1 if again else 1
        self._last = (button, self.x, self.y, clicks, now)
        return Pressed(button, self.x, self.y, clicks)

    def _wheel(self, notches: int) -> list[Event]:
        return [Wheel(notches, self.x, self.y)] if notches else []


class UsbHost:
    """The three devices. `typed` are the typed characters, `counts` the reports by device."""

    def __init__(self, width: int, height: int) -> None:
        self.keyboard = Keyboard()
        self.pointer = Pointer(width, height)
        self.typed: list[str] = []
        self.counts = [0, 0, 0]

    def report(self, device: int, data: bytes, now: float) -> list[Event]:
        """Return the events of a report of `device` (0..2) that arrived at `now` seconds."""
        self.counts[device] += 1
        read = (self.keyboard.report, self.pointer.relative, self.pointer.absolute)[device]
        return self._record_typed(read(data, now))

    def tick(self, now: float) -> list[Event]:
        return self._record_typed(self.keyboard.tick(now))

    def _record_typed(self, events: list[Event]) -> list[Event]:
        self.typed += [event.char for event in events if isinstance(event, KeyDown)]
        return events
