"""Follow the line that is being typed, key by key, over many actions.

A line that cannot be followed exactly is marked, and needs approval when it is entered. A click or
Tab may begin a new line or continue the old one, so all text typed since the last Enter is kept.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from ...types import Click, Drag, Keypress, ManualAction, Type
from . import chords
from .shell import MAX_LINE_CHARS

MAX_ENTERED = 40
MAX_PIECES = 200
MAX_PIECES_CHARS = 4 * MAX_LINE_CHARS
"""Characters of all lines that may begin at a cut in the typed text."""

# Unicode noncharacters, and the replacement character for objects.
PASTED = "\ufffc"
"""Stands for text that came from the clipboard."""
UNKNOWN = "\ufdd0"
"""At the end of a line: it may contain more or less text."""
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
_EFFECTS = {
    chord: line.split()[0]
    for line in (Path(__file__).parent / "line_keys.rules").read_text("utf-8").splitlines()
    for chord in line.split()[1:]
    if not line.startswith("#")
}
"""Chord -> what it does to a line."""

Entered = list[str]
"""The lines that one Enter may have entered."""


class Line:
    """`text` with the cursor `at` a position; `entered`: lines entered before, newest last.

    `mark`: `UNKNOWN` or `EDITED` where the text is not sure.
    """

    def __init__(self) -> None:
        self.text, self.at, self.mark = "", 0, ""
        self.entered: tuple[str, ...] = ()
        self._typed: tuple[str, ...] = ("",)  # since the last Enter, cut where a line may begin
        self._back = 0

    @property
    def piece(self) -> str:
        """The text typed since the last position where a line may begin."""
        return self._typed[-1]

    def follow(self, action: ManualAction) -> list[Entered]:
        """Follow an action; return the lines that each Enter in it may enter."""
        if isinstance(action, Type):
            parts = action.text.replace("\n", "\0\n\0").replace("\t", "\0\t\0").split("\0")
            return [line for part in parts if part for line in self._type(part)]
        if isinstance(action, Keypress):
            pressed = chords.get_pressed(action) * action.count
            return [line for chord in pressed for line in self._press(chord)]
        if isinstance(action, (Click, Drag)):
            self.leave()
            if action.button == "middle":  # X pastes with it
                self._insert(PASTED)
        return []

    def follow_unsure(self, action: ManualAction) -> None:
        """Follow an action that may not have been executed: a line may begin before and after."""
        self._note_start()
        typed = self._typed
        if self.follow(action):
            self._typed = (*typed, *self._typed)[-MAX_PIECES:]
        self._note_start()

    def leave(self) -> None:
        """Note that a new line may begin, without a known text."""
        self._note_start()
        self.text, self.at = "", 0

    def _press(self, chord: str) -> list[Entered]:
        if enters_line(chord):
            return self._enter()
        if character := _CHARACTERS.get(chord):
            return self._type(character)
        self._edit(_effect(chord))
        return []

    def _type(self, text: str) -> list[Entered]:
        if text == "\n":
            return self._enter()
        if text == "\t":
            self._doubt(self.mark or UNKNOWN)
            self.leave()
            return []
        self._typed = (*self._typed[:-1], (self._typed[-1] + text)[-MAX_LINE_CHARS - 1 :])
        self._insert(text)
        return []

    def _insert(self, text: str) -> None:
        whole = self.text[: self.at] + text + self.text[self.at :]
        self.text = whole[-MAX_LINE_CHARS - 1 :]
        self.at = min(self.at + len(text), len(self.text))

    def _enter(self) -> list[Entered]:
        found = dict.fromkeys([self.text + self.mark, *self._suffixes()])
        lines = [text for text in found if text.strip()]
        if lines:
            self.entered = (*self.entered, lines[0])[-MAX_ENTERED:]
        goes_on = self.text.endswith(("\\", "^", "`"))  # the shells go on with the next line
        self.text = self.text[:-1] if goes_on else ""
        self.at, self.mark, self._typed, self._back = len(self.text), "", ("",), 0
        return [lines] if lines else []

    def _suffixes(self) -> list[str]:
        """Return the text typed since each position where a line may begin."""
        starts = range(len(self._typed))
        texts = ["".join(self._typed[at:])[-MAX_LINE_CHARS - 1 :] for at in starts]
        sizes = accumulate(map(len, texts))
        found = [text for text, size in zip(texts, sizes, strict=True) if size <= MAX_PIECES_CHARS]
        return [*found, MORE][: len(texts)] if len(texts) > 1 else []

    def _edit(self, effect: str) -> None:
        if effect in ("up", "down"):
            self._recall_line(1 if effect == "up" else -1)
        elif effect == "leave":
            self.leave()
        elif effect in ("doubt", "edit"):
            self._doubt(EDITED if effect == "edit" else self.mark or UNKNOWN)
        elif effect == "fetch":
            self.mark = self.mark or UNKNOWN
        elif effect == "paste":
            self._insert(PASTED)
        elif effect:
            self._move(effect)

    def _move(self, effect: str) -> None:
        """Follow keys that have the same effect everywhere; Ctrl+A may also select all."""
        last = len(self.text)
        if effect in ("backspace", "delete"):
            start = self.at - (effect == "backspace")
            self.text = self.text[: max(0, start)] + self.text[start + 1 :]
            self.at = max(0, start)
            return
        if effect == "all":
            self._note_start()
        moved = {"left": self.at - 1, "right": self.at + 1, "end": last}
        self.at = min(last, max(0, moved.get(effect, 0)))

    def _recall_line(self, step: int) -> None:
        """Recall a line of a shell's history; elsewhere the key moves between lines."""
        self._back = max(0, self._back + step)
        self.leave()
        if 0 < self._back <= len(self.entered):
            self._insert(self.entered[-self._back].rstrip(UNKNOWN + EDITED))
        self.mark = self.mark or UNKNOWN

    def _doubt(self, mark: str) -> None:
        self.mark = mark if any(self._typed) else self.mark
        self._note_start()

    def _note_start(self) -> None:
        """Note that a line may begin here."""
        if self._typed[-1] and len(self._typed) < MAX_PIECES:
            self._typed = (*self._typed, "")


def enters_line(chord: str) -> bool:
    plain = chord.replace("SHIFT+", "")
    return plain.endswith("ENTER") or _EFFECTS.get(plain) == "enter"


def _effect(chord: str) -> str:
    """Return what a chord does to a line; "" if nothing."""
    *held, key = chord.split("+")
    found = _EFFECTS.get(chord, "")
    if found or key in chords.MODIFIERS or set(held) <= {"SHIFT"}:
        return found or _EFFECTS.get(key, "")
    return "leave" if "WIN" in held or {"CTRL", "ALT"} <= set(held) else "doubt"
