"""Follow the line that is being typed, key by key, over many actions.

What a key does depends on the program: Ctrl+A goes to the start of a line or selects all of it, a
click may leave the line or move within it. So several possible lines are kept, and a rule applies
if it matches one of them. A line of which a part was deleted in the middle is not worked out: it is
asked about. All text typed since the last Enter is kept too, in case the guesses are wrong.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import NamedTuple

from ...types import Click, Drag, Keypress, ManualAction, Type
from . import chords

MAX_LINE_CHARS = 4000
"""Characters of a line that are followed."""
MAX_LINES = 12
"""Possible lines kept at a time."""
MAX_ENTERED = 40
MAX_PIECES = 200
MAX_PIECES_CHARS = 4 * MAX_LINE_CHARS
"""Characters of all lines that may begin at a cut in the typed text."""

# Unicode noncharacters, and the replacement character for objects.
PASTED = "\ufffc"
"""Stands for text that came from the clipboard."""
UNKNOWN = "\ufdd0"
"""At the end of a line: it may contain more, or less."""
MORE = "\ufdd1"
"""Stands for further possible lines, too many to judge."""
EDITED = "\ufdd2"
"""At the end of a line: a part in the middle of it was deleted or swapped."""

_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./!@#$%^&*()_+{}|:\"~<>?"
_CHARACTERS = {
    **{f"SHIFT+{each.upper()}": each.upper() for each in _SIGNS[:26]},
    **{chords.get_name(Keypress(keys=(each,))): each for each in _SIGNS},
    **{f"KP{each}": each for each in "0123456789/*-+."},
}
_CTRL_ENTERS = {"CTRL+J", "CTRL+M", "CTRL+O"}


def _fill(effect: str, chord: str, keys: str) -> dict[str, str]:
    return {f"{chord}{key}": effect for key in keys.split()}


_EFFECTS = {
    **_fill("backspace", "", "BACKSPACE CTRL+H"),
    **_fill("delete", "", "DELETE"),
    **_fill("left", "", "LEFT CTRL+B"),
    **_fill("right", "", "RIGHT CTRL+F"),
    **_fill("home", "", "HOME"),
    **_fill("end", "", "END CTRL+E"),
    **_fill("up", "", "UP CTRL+P"),
    **_fill("down", "", "DOWN CTRL+N"),
    **_fill("all", "", "CTRL+A WIN+A"),
    **_fill("kill", "", "CTRL+D CTRL+K CTRL+U CTRL+DELETE ALT+D"),
    **_fill("kill word", "", "CTRL+W CTRL+BACKSPACE ALT+BACKSPACE"),
    **_fill("swap", "", "CTRL+T"),
    **_fill("paste", "", "INSERT CTRL+V CTRL+Y CTRL+SHIFT+V WIN+V"),
    **_fill("fetch", "", "CTRL+R CTRL+SHIFT+U ALT+."),
    **_fill("fetch", "ALT+KP", "0 1 2 3 4 5 6 7 8 9"),
    **_fill("doubt", "", "F1 F2 F3 F4 F5 F7 F8 F9"),
    **_fill("doubt", "SHIFT+", "LEFT RIGHT HOME END UP DOWN"),
    **_fill("leave", "", "ESC"),
    **_fill("leave", "CTRL+", "C X G L Q S 0 - = SPACE TAB INSERT PAGEUP PAGEDOWN F4 ESC"),
    **_fill("leave", "CTRL+SHIFT+", "C N T TAB ESC"),
    **_fill("leave", "ALT+", "TAB SPACE ESC F2 F4 SHIFT+TAB"),
}
"""Chord -> what it does to a line.

"kill" deletes a part, or does something else where a program has no such key; "fetch" inserts text
that was not typed; "doubt" has an unknown effect on a line that is not empty; "leave" goes
elsewhere, or does nothing.
"""


class LineState(NamedTuple):
    """A line and the cursor position `at`. `mark`: `UNKNOWN` or `EDITED` where it is not sure."""

    text: str = ""
    at: int = 0
    mark: str = ""

    @property
    def entered(self) -> str:
        return self.text + self.mark

    def put(self, text: str) -> LineState:
        whole = self.text[: self.at] + text + self.text[self.at :]
        if len(whole) > MAX_LINE_CHARS:
            return LineState(whole[:MAX_LINE_CHARS], self.at, self.mark or UNKNOWN)
        return self._replace(text=whole, at=self.at + len(text))

    def cut(self, start: int, end: int) -> LineState:
        start, end = max(0, start), min(len(self.text), end)
        return self._replace(text=self.text[:start] + self.text[end:], at=start)

    def mark_uncertain(self) -> LineState:
        return self._replace(mark=self.mark or UNKNOWN)


EMPTY = LineState()
Entered = list[str]
"""The lines that one Enter may have entered."""


class Line:
    """`possible`: the possible current lines; `entered`: lines entered before, newest last."""

    def __init__(self) -> None:
        self.possible: tuple[LineState, ...] = (EMPTY,)
        self.entered: tuple[str, ...] = ()
        self._typed: tuple[str, ...] = ("",)  # since the last Enter, cut where a line may begin
        self._back = 0

    def copy(self) -> Line:
        return copy.copy(self)

    @property
    def pending(self) -> list[str]:
        return [each.text for each in self.possible if each.text.strip()]

    def take(self, action: ManualAction) -> list[Entered]:
        """Follow an action; return the lines that each Enter in it enters."""
        if isinstance(action, Type):
            parts = filter(None, re.split("([\n\t])", action.text))
            return [line for part in parts for line in self._put(part)]
        if isinstance(action, Keypress):
            pressed = chords.get_pressed(action) * action.count
            return [line for chord in pressed for line in self._press(chord)]
        if isinstance(action, (Click, Drag)):
            self.leave()
            if action.button == "middle":  # X pastes with it
                self._set([*self.possible, *(each.put(PASTED) for each in self.possible)])
        return []

    def take_unsure(self, action: ManualAction) -> None:
        """Follow an action that may not have been executed."""
        before, typed = self.possible, self._typed
        if self.take(action):
            self._typed = (*typed, *self._typed)[-MAX_PIECES:]
        pairs = zip_longest(self.possible, before)
        self._set(each for pair in pairs for each in pair if each is not None)

    def leave(self, put: str = "", mark: str = "") -> None:
        """A new line may begin, and the others may go on."""
        self._cut()
        kept = [each.put(put) if put else each for each in self.possible if each.text]
        self._set([EMPTY, *(each._replace(mark=each.mark or mark) for each in kept)])

    def _press(self, chord: str) -> list[Entered]:
        plain = chord.replace("SHIFT+", "")
        if plain.endswith("ENTER") or plain in _CTRL_ENTERS:
            return self._enter()
        if character := _CHARACTERS.get(chord):
            return self._put(character)
        self._edit(_effect(chord))
        return []

    def _put(self, text: str) -> list[Entered]:
        if text == "\n":
            return self._enter()
        if text == "\t":
            self.leave(put=text)
            return []
        self._typed = (*self._typed[:-1], (self._typed[-1] + text)[-MAX_LINE_CHARS:])
        self._set(each.put(text) for each in self.possible)
        return []

    def _enter(self) -> list[Entered]:
        guessed = list(dict.fromkeys(each.entered for each in self.possible))
        kept = [
            each.cut(len(each.text) - 1, len(each.text))  # the shells go on with the next line
            for each in self.possible
            if each.text.endswith(("\\", "^", "`"))
        ]
        found = [text for text in guessed if text.strip()]
        self.entered = (*self.entered, *found[-2:])[-MAX_ENTERED:]
        found = list(dict.fromkeys([*found, *self._suffixes()]))
        self._typed, self._back = ("",), 0
        self._set([EMPTY, *kept])
        return [found] if found else []

    def _suffixes(self) -> list[str]:
        """Return all that was typed, and the rest from each position where a line may begin."""
        found = ["".join(self._typed)[-MAX_LINE_CHARS:]]
        left = MAX_PIECES_CHARS
        for at in range(len(self._typed) - 1, 0, -1):
            text = "".join(self._typed[at:])[-MAX_LINE_CHARS:]
            left -= len(text)
            if left < 0:
                return [*found, MORE]
            found.append(text)
        return [text for text in found if text.strip()]

    def _edit(self, effect: str) -> None:
        if effect in ("up", "down"):
            self._recall(1 if effect == "up" else -1)
        elif effect in ("leave", "doubt"):
            self.leave(mark=UNKNOWN if effect == "doubt" else "")
        elif effect == "fetch":
            self._set(each.mark_uncertain() for each in self.possible)
        elif effect == "paste":
            self._set(each.put(PASTED) for each in self.possible)
        elif effect in _EXACT:
            self._set(map(_EXACT[effect], self.possible))
        elif effect:
            self._cut()
            self._set(new for each in self.possible for new in _guess(each, effect))

    def _recall(self, step: int) -> None:
        """Recall a line of a shell's history; elsewhere the key moves between lines."""
        self._cut()
        self._back = max(0, self._back + step)
        kept = [each for each in self.possible if each.text not in self.entered]
        if 0 < self._back <= len(self.entered):
            text = self.entered[-self._back]
            kept.append(LineState(text, len(text)))
        self._set(kept or [EMPTY])

    def _cut(self) -> None:
        """Note that a line may begin here."""
        if self._typed[-1] and len(self._typed) < MAX_PIECES:
            self._typed = (*self._typed, "")

    def _set(self, possible: Iterable[LineState]) -> None:
        """Keep at most `MAX_LINES`; if there are more, none is certain."""
        found = tuple(dict.fromkeys(possible))
        if len(found) > MAX_LINES:
            found = tuple(each.mark_uncertain() for each in found[:MAX_LINES])
        self.possible = found


def _effect(chord: str) -> str:
    """Return what a chord does to a line; "" if nothing."""
    *held, key = chord.split("+")
    if key in chords.MODIFIERS:
        return ""
    if found := _EFFECTS.get(chord):
        return found
    if not set(held) - {"SHIFT"}:
        return _EFFECTS.get(key, "")
    return "leave" if "WIN" in held or {"CTRL", "ALT"} <= set(held) else "doubt"


_EXACT: dict[str, Callable[[LineState], LineState]] = {
    "backspace": lambda line: line.cut(line.at - 1, line.at),
    "delete": lambda line: line.cut(line.at, line.at + 1),
    "left": lambda line: line._replace(at=max(0, line.at - 1)),
    "right": lambda line: line._replace(at=min(len(line.text), line.at + 1)),
    "home": lambda line: line._replace(at=0),
    "end": lambda line: line._replace(at=len(line.text)),
}


def _guess(line: LineState, effect: str) -> list[LineState]:
    """Return what may become of a line."""
    if effect == "all":
        return [EMPTY, line._replace(at=0)]
    if line.at < len(line.text):
        return [EMPTY, line._replace(mark=EDITED)]
    if effect == "swap":
        swapped = line.text[:-2] + line.text[-1:] + line.text[-2:-1]
        return [EMPTY, line._replace(text=swapped), line]
    if effect == "kill word":  # by each definition of a word
        found = (re.search(pattern, line.text) for pattern in (r"\S*\s*\Z", r"\w*\W*\Z"))
        return [*(line.cut(match.start(), line.at) for match in found if match), line]
    return [EMPTY, line]
