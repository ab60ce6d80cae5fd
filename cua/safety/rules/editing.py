"""Effects of keys on a line that is being typed, in various programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...hid import keymap
from ...hid.layouts import Key

MAX_LINE_CHARS = 4000
"""Characters of a line that are followed."""
PASTED = "\ufffc"
"""Stands for text that came from the clipboard."""
UNKNOWN = "\ufdd0"
"""At the end of a line: the rest is not known. A Unicode noncharacter."""


class Text(NamedTuple):
    """A line and the cursor position `at`. `all`: the whole line is selected; not `known`: it may
    contain more, or less."""

    text: str = ""
    at: int = 0
    all: bool = False
    known: bool = True

    @property
    def entered(self) -> str:
        return self.text if self.known else self.text + UNKNOWN

    def put(self, character: str) -> Text:
        if self.all:
            return Text(character, len(character))
        if len(self.text) >= MAX_LINE_CHARS:
            return self._replace(known=False)
        text = self.text[: self.at] + character + self.text[self.at :]
        return self._replace(text=text, at=self.at + len(character))

    def cut(self, start: int, end: int) -> Text:
        start, end = max(0, start), min(len(self.text), end)
        return self._replace(text=self.text[:start] + self.text[end:], at=start)


Edit = Callable[[Text], Sequence[Text]]


def _kill_word(each: Text) -> list[Text]:
    """Delete the word before the cursor, by each definition of a word."""
    found = (re.search(pattern, each.text[: each.at]) for pattern in (r"\S*\s*\Z", r"\w*\W*\Z"))
    return [*(each.cut(match.start(), each.at) for match in found if match), each]


def _kill_next(each: Text) -> list[Text]:
    patterns = (r"\S*\s*", r"\W*\w*", r"\w*\W*")
    found = (re.match(pattern, each.text[each.at :]) for pattern in patterns)
    return [Text(), *(each.cut(each.at, each.at + match.end()) for match in found if match), each]


def _swap(each: Text) -> list[Text]:
    """Swap the characters around the cursor; a browser opens a new tab instead."""
    at = min(each.at, len(each.text) - 1)
    if at < 1:
        return [Text(), each]
    text = each.text[: at - 1] + each.text[at] + each.text[at - 1] + each.text[at + 1 :]
    return [Text(), each._replace(text=text, at=at + 1), each]


def _select(each: Text) -> list[Text]:
    """Select a part, which the next character may replace."""
    return [each._replace(known=not each.text and each.known)]


EDITS: dict[str, Edit] = {
    "backspace": lambda each: [Text() if each.all else each.cut(each.at - 1, each.at)],
    "delete": lambda each: [Text() if each.all else each.cut(each.at, each.at + 1)],
    "may delete": lambda each: [each.cut(each.at, each.at + 1), each],
    "left": lambda each: [each._replace(at=max(0, each.at - 1), all=False)],
    "right": lambda each: [each._replace(at=min(len(each.text), each.at + 1), all=False)],
    "home": lambda each: [each._replace(at=0, all=False)],
    "end": lambda each: [each._replace(at=len(each.text), all=False)],
    "all": lambda each: [each._replace(at=0), each._replace(all=True)],
    "clear": lambda each: [Text(), each],
    "kill start": lambda each: [each.cut(0, each.at), each],
    "kill end": lambda each: [each.cut(each.at, len(each.text)), each],
    "kill word": _kill_word,
    "kill next": _kill_next,
    "swap": _swap,
    "select": _select,
}
BEGIN = {"all", "clear", "kill start", "kill next", "swap"}
"""After these a new line may begin."""

_KEYS: dict[str, dict[str, str]] = {
    "": {
        "BACKSPACE": "backspace",
        "DELETE": "delete",
        "LEFT": "left",
        "RIGHT": "right",
        "HOME": "home",
        "END": "end",
        "UP": "up",
        "DOWN": "down",
        "ESC": "clear",
        "INSERT": "paste",
        **dict.fromkeys(("F1", "F2", "F3", "F4", "F5", "F7", "F8", "F9"), "doubt"),
    },
    "SHIFT": dict.fromkeys(("LEFT", "RIGHT", "HOME", "END", "UP", "DOWN"), "select"),
    "CTRL": {
        "H": "backspace",
        "D": "may delete",
        "B": "left",
        "F": "right",
        "A": "all",
        "E": "end",
        "P": "up",
        "N": "down",
        "U": "kill start",
        "K": "kill end",
        "W": "kill word",
        "BACKSPACE": "kill word",
        "DELETE": "kill next",
        "T": "swap",
        "X": "clear",
        "C": "clear",
        "V": "paste",
        "Y": "paste",
        "R": "fetch",
        **dict.fromkeys(("G", "L", "Q", "S", "0", "-", "=", "SPACE", "TAB", "INSERT"), "leave"),
        **dict.fromkeys(("PAGEUP", "PAGEDOWN", "F4", "ESC"), "leave"),
    },
    "CTRL+SHIFT": {
        "V": "paste",
        "U": "fetch",
        **dict.fromkeys(("C", "N", "T", "TAB", "ESC"), "leave"),
    },
    "ALT": {
        "BACKSPACE": "kill word",
        "D": "kill next",
        ".": "fetch",
        **dict.fromkeys((f"KP{digit}" for digit in range(10)), "fetch"),
        **dict.fromkeys(("TAB", "SPACE", "ESC", "F2", "F4"), "leave"),
    },
    "ALT+SHIFT": {"TAB": "leave"},
    "WIN": {"A": "all", "X": "clear", "C": "clear", "V": "paste"},
}
"""Chord -> key -> what it does: an edit, or how it is followed by `Line`.

"fetch" inserts text that was not typed, "doubt" has an unknown effect on a line that is not empty,
"leave" goes elsewhere or does nothing.
"""
_EDITING = {
    (chord, keymap.key(name).usage): edit
    for chord, keys in _KEYS.items()
    for name, edit in keys.items()
}


def name(key: Key) -> str:
    """Return what the key does; "" if it does not edit."""
    shift, ctrl, alt, win = (
        key.modifiers & (keymap.MODIFIERS[each] | keymap.MODIFIERS[f"R{each}"])
        for each in ("SHIFT", "CTRL", "ALT", "WIN")
    )
    held = "ALT" if alt else "CTRL" if ctrl else "WIN" if win else ""
    chord = f"{held}+SHIFT".strip("+") if shift else held
    found = _EDITING.get((chord, key.usage))
    if found or not held:
        return found or _EDITING.get(("", key.usage), "")
    return "leave" if win or (ctrl and alt) else "doubt"
