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
    _past: list[tuple[str, int]] = field(default_factory=list)
    _typing: bool = False

    @property
    def selection(self) -> tuple[int, int]:
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected(self) -> str:
        start, end = self.selection
        return self.text[start:end]

    def set(self, text: str, select: bool = False) -> None:
        """Replace everything, with no way back; the caret stands at the end."""
        self.text, self.caret = text, len(text)
        self.anchor = 0 if select else self.caret
        self._past.clear()

    def go(self, place: int, extend: bool = False) -> None:
        self.caret = min(max(place, 0), len(self.text))
        self._typing = False
        if not extend:
            self.anchor = self.caret

    def insert(self, text: str) -> None:
        """Put text in the place of the selection."""
        if not (self._typing and text.isalnum()):
            self._past.append((self.text, self.caret))
        start, end = self.selection
        self.text = self.text[:start] + text + self.text[end:]
        self.go(start + len(text))
        self._typing = text.isalnum()

    def undo(self) -> None:
        if self._past:
            self.text, place = self._past.pop()
            self.go(place)

    def erase(self, to: int) -> None:
        """Delete the selection, or from the caret to this place."""
        if self.caret == self.anchor:
            self.go(to, extend=True)
        if self.caret != self.anchor:
            self.insert("")

    def word(self, place: int, step: int) -> int:
        """The next start of a word to the left (-1) or right (1) of this place."""
        starts = [match.start() for match in re.finditer(r"\w+|[^\w\s]+", self.text)]
        if step < 0:
            return max((start for start in starts if start < place), default=0)
        return min((start for start in starts if start > place), default=len(self.text))

    def select_word(self, place: int) -> None:
        for match in re.finditer(r"\w+", self.text):
            if match.start() <= place <= match.end():
                self.anchor, self.caret = match.start(), match.end()

    def key(self, event: KeyDown) -> bool:
        """Whether it was a key for a text; lines and the clipboard are the widget's business."""
        fits = event.char not in "\n\t" or (self.multiline and event.chord != "shift+tab")
        if event.char and fits:
            self.insert(event.char)
            return True
        return self._move(event) or self._change(event.chord)

    def _move(self, event: KeyDown) -> bool:
        extend = "shift" in event.mods
        jump = "ctrl" in event.mods
        places = {
            "left": self.word(self.caret, -1) if jump else self.caret - 1,
            "right": self.word(self.caret, 1) if jump else self.caret + 1,
            "home": 0,
            "end": len(self.text),
        }
        if event.key not in places or "alt" in event.mods:
            return False
        if self.anchor != self.caret and not extend and not jump and event.key in ("left", "right"):
            self.go(self.selection[event.key == "right"])
        else:
            self.go(places[event.key], extend)
        return True

    def _change(self, chord: str) -> bool:
        if chord in ("backspace", "shift+backspace"):
            self.erase(self.caret - 1)
        elif chord == "delete":
            self.erase(self.caret + 1)
        elif chord == "ctrl+backspace":
            self.erase(self.word(self.caret, -1))
        elif chord == "ctrl+delete":
            self.erase(self.word(self.caret, 1))
        elif chord == "ctrl+a":
            self.anchor, self.caret = 0, len(self.text)
        elif chord == "ctrl+z":
            self.undo()
        else:
            return False
        return True
