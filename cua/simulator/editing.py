"""A text with a caret, a selection and the keys that every editor knows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .usbhost import KeyDown


@dataclass
class Edit:
    """`anchor` is the other end of the selection; equal to `caret` where nothing is selected."""

    text: str = ""
    caret: int = 0
    anchor: int = 0
    multiline: bool = False
    _undo_states: list[tuple[str, int]] = field(default_factory=list)
    _typing: bool = False

    @property
    def selection(self) -> tuple[int, int]:
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected(self) -> str:
        start, end = self.selection
        return self.text[start:end]

    def set(self, text: str, select: bool = False) -> None:
        """Replace the whole text; this cannot be undone. The caret is at the end."""
        self.text, self.caret = text, len(text)
        self.anchor = 0 if select else self.caret
        self._undo_states.clear()

    def go(self, place: int, extend: bool = False) -> None:
        self.caret = min(max(place, 0), len(self.text))
        self._typing = False
        if not extend:
            self.anchor = self.caret

    def insert(self, text: str) -> None:
        """Replace the selection."""
        if not (self._typing and text.isalnum()):
            self._undo_states.append((self.text, self.caret))
        start, end = self.selection
        self.text = self.text[:start] + text + self.text[end:]
        self.go(start + len(text))
        self._typing = text.isalnum()

    def undo(self) -> None:
        if self._undo_states:
            self.text, place = self._undo_states.pop()
            self.go(place)

    def erase(self, to: int) -> None:
        """Delete the selection, or from the caret to this place."""
        if self.caret == self.anchor:
            self.go(to, extend=True)
        if self.caret != self.anchor:
            self.insert("")

    def find_word(self, place: int, step: int) -> int:
        """Return the next start of a word to the left (-1) or right (1) of this place."""
        starts = [match.start() for match in re.finditer(r"\w+|[^\w\s]+", self.text)]
        if step < 0:
            return max((start for start in starts if start < place), default=0)
        return min((start for start in starts if start > place), default=len(self.text))

    def select_word(self, place: int) -> None:
        for match in re.finditer(r"\w+", self.text):
            if match.start() <= place <= match.end():
                self.anchor, self.caret = match.start(), match.end()

    def key(self, event: KeyDown) -> bool:
        """Return whether it was a key for a text without regard to lines."""
        fits = event.char not in "\n\t" or (self.multiline and event.chord != "shift+tab")
        if event.char and fits:
            self.insert(event.char)
            return True
        return self._move(event) or self._change(event.chord)

    def _move(self, event: KeyDown) -> bool:
        extend, by_word = "shift" in event.mods, "ctrl" in event.mods
        places = {
            "left": self.find_word(self.caret, -1) if by_word else self.caret - 1,
            "right": self.find_word(self.caret, 1) if by_word else self.caret + 1,
            "home": 0,
            "end": len(self.text),
        }
        if event.key not in places or "alt" in event.mods:
            return False
        if self.selected and event.chord in ("left", "right"):
            self.go(self.selection[event.key == "right"])
        else:
            self.go(places[event.key], extend)
        return True

    def _change(self, chord: str) -> bool:
        erase_to = {
            "backspace": self.caret - 1,
            "shift+backspace": self.caret - 1,
            "delete": self.caret + 1,
            "ctrl+backspace": self.find_word(self.caret, -1),
            "ctrl+delete": self.find_word(self.caret, 1),
        }
        if chord in erase_to:
            self.erase(erase_to[chord])
        elif chord == "ctrl+a":
            self.anchor, self.caret = 0, len(self.text)
        elif chord == "ctrl+z":
            self.undo()
        else:
            return False
        return True
