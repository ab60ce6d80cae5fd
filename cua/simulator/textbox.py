"""A text with a caret and a selection, and its two widgets: one line, and many lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from .paint import (
    ACCENT,
    INK,
    LINE,
    PANEL,
    PAPER,
    SOFT,
    TEXT,
    Painter,
    Rect,
    line_height,
    text_width,
    wrap_text,
)
from .scroll_view import BAR_PX, ScrollView
from .usbhost import KeyDown
from .widgets import Position, Widget

PAD_PX = 10
LINE_PX = line_height(TEXT)


def expand_tabs(text: str) -> str:
    return text.replace("\t", "    ")


def find_column(text: str, x: int) -> int:
    """Return the index in this line that is nearest to `x` pixels."""
    return min(range(len(text) + 1), key=lambda i: abs(text_width(expand_tabs(text[:i])) - x))


class TextBox(Widget):
    """A text with a caret.

    `anchor` is the other end of the selection; equal to `caret` if nothing is selected.
    """

    takes_focus = True
    multiline = False
    ink, paper, marked = INK, PAPER, (178, 208, 255)
    """Colours of the text, the background and the selection."""
    caret = anchor = 0
    _typing = False

    def __init__(self) -> None:
        self._undo_states: list[tuple[str, int]] = []

    @property
    def selection(self) -> tuple[int, int]:
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    def copy(self) -> str:
        start, end = self.selection
        return self.text[start:end]

    def set_text(self, text: str, select: bool = False) -> None:
        """Replace the whole text; this cannot be undone. The caret is at the end."""
        self.text, self.caret = text, len(text)
        self.anchor = 0 if select else self.caret
        self._undo_states.clear()

    def move_to(self, place: int, extend: bool = False) -> None:
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
        self.move_to(start + len(text))
        self._typing = text.isalnum()

    def find_word(self, place: int, step: int) -> int:
        """Return the next start of a word to the left (-1) or right (1) of an index."""
        starts = [match.start() for match in re.finditer(r"\w+|[^\w\s]+", self.text)]
        if step < 0:
            return max((start for start in starts if start < place), default=0)
        return min((start for start in starts if start > place), default=len(self.text))

    def select_word(self, place: int) -> None:
        for match in re.finditer(r"\w+", self.text):
            if match.start() <= place <= match.end():
                self.anchor, self.caret = match.start(), match.end()

    def key(self, event: KeyDown) -> bool:
        """Handle a key that does not depend on lines; return whether it was one."""
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
        if self.copy() and event.chord in ("left", "right"):
            self.move_to(self.selection[event.key == "right"])
        else:
            self.move_to(places[event.key], extend)
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
            if self.caret == self.anchor:
                self.move_to(erase_to[chord], extend=True)
            if self.caret != self.anchor:
                self.insert("")
        elif chord == "ctrl+a":
            self.anchor, self.caret = 0, len(self.text)
        elif chord == "ctrl+z" and self._undo_states:
            self.text, place = self._undo_states.pop()
            self.move_to(place)
        else:
            return False
        return True

    def paste(self, text: str) -> None:
        self.insert(text if self.multiline else text.replace("\n", " "))

    def find_place(self, at: Position) -> int:
        """Return the index in the text that is nearest to a place in the widget."""
        raise NotImplementedError

    def press(self, at: Position) -> None:
        self.move_to(self.find_place(at))
        if at.clicks == 2:
            self.select_word(self.caret)
        elif at.clicks == 3:
            self.anchor, self.caret = self.find_line(self.caret)

    def drag(self, at: Position) -> None:
        self.move_to(self.find_place(at), extend=True)

    def find_line(self, _place: int) -> tuple[int, int]:
        return 0, len(self.text)

    def draw_line(self, p: Painter, top: int, line: tuple[int, int]) -> None:
        first, last = (min(max(i, line[0]), line[1]) for i in self.selection)
        is_focused = p.is_focused(self)
        if first < last and is_focused:
            left, right = (self.find_x(line[0], place) for place in (first, last))
            p.fill(Rect(left, top, right - left, LINE_PX), self.marked)
        p.text(0, top + LINE_PX // 2, expand_tabs(self.text[slice(*line)]), self.ink)
        if is_focused and line == self.find_line(self.caret):
            p.caret(Rect(self.find_x(line[0], self.caret), top + 2, 2, LINE_PX - 4), self.ink)

    def find_x(self, start: int, place: int) -> int:
        """Return the pixels from the left edge of the line that begins at `start` to `place`."""
        return round(text_width(expand_tabs(self.text[start:place])))


class Field(TextBox):
    """A field of one line. `hint` is shown while it is empty; `on_enter` gets the text."""

    _offset = 0

    def __init__(self, hint: str = "", on_enter: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self.hint, self.on_enter = hint, on_enter

    def key(self, event: KeyDown) -> bool:
        if event.chord != "enter" or not self.on_enter or not self.text.strip():
            return super().key(event)
        self.on_enter(self.text.strip())
        return True

    def draw(self, p: Painter) -> None:
        paper = PAPER if self.enabled else PANEL
        if p.is_focused(self):
            p.box(self.area, paper, ACCENT, 6, 2)
        else:
            p.box(self.area, paper, LINE)
        view = Rect(PAD_PX, 3, self.rect.w - 2 * PAD_PX, self.rect.h - 6)
        caret = self.find_x(0, self.caret)
        self._offset = max(min(self._offset, caret), caret - view.w + 2, 0)
        with p.clip(view) as clipped:
            inner = clipped.at(-self._offset, (view.h - LINE_PX) // 2)
            self.draw_line(inner, 0, (0, len(self.text)))
            if not self.text:
                inner.text(0, LINE_PX // 2, self.hint, SOFT)

    def find_place(self, at: Position) -> int:
        return find_column(self.text, at.x - PAD_PX + self._offset)


class TextArea(ScrollView, TextBox):
    """A text of many lines that wrap, with a scroll bar."""

    multiline = True
    notch_px = 3 * LINE_PX

    def _lines(self) -> list[tuple[int, int]]:
        return wrap_text(self.text, TEXT, self.rect.w - 2 * PAD_PX - BAR_PX)

    @property
    def total(self) -> int:
        return len(self._lines()) * LINE_PX + 2 * PAD_PX

    def _find_row(self, place: int) -> int:
        return max(i for i, (start, _) in enumerate(self._lines()) if start <= place)

    def find_line(self, place: int) -> tuple[int, int]:
        return self._lines()[self._find_row(place)]

    def draw(self, p: Painter) -> None:
        p.fill(self.area, self.paper)
        self.scroll_by(0)
        with p.clip(self.area) as clipped:
            inner = clipped.at(PAD_PX, PAD_PX - self.offset)
            for row, line in enumerate(self._lines()):
                if -LINE_PX < row * LINE_PX + PAD_PX - self.offset < self.rect.h:
                    self.draw_line(inner, row * LINE_PX, line)
            self.draw_bar(clipped)

    def find_place(self, at: Position) -> int:
        lines = self._lines()
        row = (at.y - PAD_PX + self.offset) // LINE_PX
        start, end = lines[min(max(row, 0), len(lines) - 1)]
        return start + find_column(self.text[start:end], at.x - PAD_PX)

    def key(self, event: KeyDown) -> bool:
        used = self._move_by_line(event) or super().key(event)
        if used:
            top = self._find_row(self.caret) * LINE_PX
            self.scroll_to(top, top + LINE_PX + 2 * PAD_PX)
        return used

    def _move_by_line(self, event: KeyDown) -> bool:
        """Handle the keys that depend on the line breaks."""
        if {"ctrl", "alt", "meta"} & event.mods:
            return False
        lines, row = self._lines(), self._find_row(self.caret)
        start, end = lines[row]
        page = max(self.rect.h // LINE_PX - 1, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        if event.key in steps:
            x = self.find_x(start, self.caret)
            first, last = lines[min(max(row + steps[event.key], 0), len(lines) - 1)]
            place = first + find_column(self.text[first:last], x)
        elif event.key in ("home", "end"):
            wraps = row + 1 < len(lines) and lines[row + 1][0] == end
            place = start if event.key == "home" else end - wraps
        else:
            return False
        self.move_to(place, "shift" in event.mods)
        return True
