"""The two widgets that take text: one line, and many."""

from __future__ import annotations

from .editing import Edit
from .paint import (
    ACCENT,
    LINE,
    PANEL,
    PAPER,
    SOFT,
    TEXT,
    Painter,
    Rect,
    line_height,
    text_width,
    wrapped,
)
from .scroll_view import BAR_PX, ScrollView
from .usbhost import KeyDown
from .widgets import Spot, Target, Widget

SELECTED = (178, 208, 255)
PAD_PX = 10
LINE_PX = line_height(TEXT)


def expand_tabs(text: str) -> str:
    return text.replace("\t", "    ")


def find_column(text: str, x: int) -> int:
    """Return the place in this line that is nearest to `x` pixels."""
    return min(range(len(text) + 1), key=lambda i: abs(text_width(expand_tabs(text[:i])) - x))


class TextBox(Widget):
    """A widget with an `Edit`."""

    takes_focus = True

    def __init__(self, multiline: bool = False) -> None:
        self.edit = Edit(multiline=multiline)

    @property
    def value(self) -> str:
        return self.edit.text

    def targets(self) -> list[Target]:
        return [Target(type(self).__name__, self.value, self.area)]

    def key(self, event: KeyDown) -> bool:
        return self.edit.key(event)

    def copy(self) -> str:
        return self.edit.selected

    def paste(self, text: str) -> None:
        self.edit.insert(text if self.edit.multiline else text.replace("\n", " "))

    def find_place(self, at: Spot) -> int:
        """Return the place in the text that is nearest to this place of the widget."""
        raise NotImplementedError

    def press(self, at: Spot) -> None:
        self.edit.go(self.find_place(at))
        if at.clicks == 2:
            self.edit.select_word(self.edit.caret)
        elif at.clicks == 3:
            self.edit.anchor, self.edit.caret = self.find_line(self.edit.caret)

    def drag(self, at: Spot) -> None:
        self.edit.go(self.find_place(at), extend=True)

    def find_line(self, _place: int) -> tuple[int, int]:
        """Return the start and the end of the line at this place."""
        return 0, len(self.value)

    def draw_line(self, p: Painter, top: int, line: tuple[int, int]) -> None:
        """Draw one line of the text with the selection and the caret in it."""
        first, last = (min(max(i, line[0]), line[1]) for i in self.edit.selection)
        focused = p.focused(self)
        if first < last and focused:
            left, right = (self.find_x(line[0], place) for place in (first, last))
            p.fill(Rect(left, top, right - left, LINE_PX), SELECTED)
        p.text(0, top + LINE_PX // 2, expand_tabs(self.value[slice(*line)]))
        if focused and line == self.find_line(self.edit.caret):
            p.caret(Rect(self.find_x(line[0], self.edit.caret), top + 2, 2, LINE_PX - 4))

    def find_x(self, start: int, place: int) -> int:
        """Return how far `place` is from the left edge of the line that begins at `start`."""
        return round(text_width(expand_tabs(self.value[start:place])))


class Field(TextBox):
    """One line in a box; `hint` is shown while it is empty."""

    _offset = 0

    def __init__(self, hint: str = "") -> None:
        super().__init__()
        self.hint = hint

    def draw(self, p: Painter) -> None:
        paper = PAPER if self.enabled else PANEL
        if p.focused(self):
            p.box(self.area, paper, ACCENT, 6, 2)
        else:
            p.box(self.area, paper, LINE)
        view = Rect(PAD_PX, 3, self.rect.w - 2 * PAD_PX, self.rect.h - 6)
        caret = self.find_x(0, self.edit.caret)
        self._offset = max(min(self._offset, caret), caret - view.w + 2, 0)
        with p.clip(view) as clipped:
            inner = clipped.at(-self._offset, (view.h - LINE_PX) // 2)
            self.draw_line(inner, 0, (0, len(self.value)))
            if not self.value:
                inner.text(0, LINE_PX // 2, self.hint, SOFT)

    def find_place(self, at: Spot) -> int:
        return find_column(self.value, at.x - PAD_PX + self._offset)


class TextArea(ScrollView, TextBox):
    """Many lines that wrap, with a scroll bar."""

    notch_px = 3 * LINE_PX

    def __init__(self) -> None:
        super().__init__(multiline=True)

    def _lines(self) -> list[tuple[int, int]]:
        return wrapped(self.value, TEXT, self.rect.w - 2 * PAD_PX - BAR_PX)

    def content_height(self) -> int:
        return len(self._lines()) * LINE_PX + 2 * PAD_PX

    def _find_row(self, place: int) -> int:
        return max(i for i, (start, _) in enumerate(self._lines()) if start <= place)

    def find_line(self, place: int) -> tuple[int, int]:
        return self._lines()[self._find_row(place)]

    def draw(self, p: Painter) -> None:
        p.fill(self.area, PAPER)
        self.fit()
        with p.clip(self.area) as clipped:
            inner = clipped.at(PAD_PX, PAD_PX - self.offset)
            for row, line in enumerate(self._lines()):
                if -LINE_PX < row * LINE_PX + PAD_PX - self.offset < self.rect.h:
                    self.draw_line(inner, row * LINE_PX, line)
            self.draw_bar(clipped)

    def find_place(self, at: Spot) -> int:
        lines = self._lines()
        row = (at.y - PAD_PX + self.offset) // LINE_PX
        start, end = lines[min(max(row, 0), len(lines) - 1)]
        return start + find_column(self.value[start:end], at.x - PAD_PX)

    def key(self, event: KeyDown) -> bool:
        used = self._move_by_line(event) or super().key(event)
        if used:
            top = self._find_row(self.edit.caret) * LINE_PX
            self.fit()
            self.scroll_to(top, top + LINE_PX + 2 * PAD_PX)
        return used

    def _move_by_line(self, event: KeyDown) -> bool:
        """Handle the keys that depend on how the text is broken into lines."""
        if {"ctrl", "alt", "meta"} & event.mods:
            return False
        lines, row = self._lines(), self._find_row(self.edit.caret)
        start, end = lines[row]
        page = max(self.rect.h // LINE_PX - 1, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        if event.key in steps:
            x = self.find_x(start, self.edit.caret)
            first, last = lines[min(max(row + steps[event.key], 0), len(lines) - 1)]
            place = first + find_column(self.value[first:last], x)
        elif event.key in ("home", "end"):
            wraps = row + 1 < len(lines) and lines[row + 1][0] == end
            place = start if event.key == "home" else end - wraps
        else:
            return False
        self.edit.go(place, "shift" in event.mods)
        return True
