"""The two widgets that take text: one line, and many."""

from __future__ import annotations

from collections.abc import Callable

from .editing import Edit
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
    wrapped,
)
from .scroll import BAR, Scroller
from .usbhost import KeyDown
from .widgets import Spot, Target, Widget, nothing

SELECTED = (178, 208, 255)
PAD = 10


def shown(text: str) -> str:
    """A tab is drawn as four blanks."""
    return text.replace("\t", "    ")


def column(text: str, x: int, size: int) -> int:
    """The place in this line that is nearest to `x` pixels."""
    widths = (abs(text_width(shown(text[:i]), size) - x) for i in range(len(text) + 1))
    return min(enumerate(widths), key=lambda pair: pair[1])[0]


class TextBox(Widget):
    """What both have in common: an `Edit`, and `changed` that is called after every change."""

    takes_focus = True

    def __init__(self, size: int, changed: Callable[[], None]) -> None:
        self.size, self.changed = size, changed
        self.edit = Edit()

    @property
    def value(self) -> str:
        return self.edit.text

    def targets(self) -> list[Target]:
        return [Target(type(self).__name__, self.value, self.area)]

    def key(self, event: KeyDown) -> bool:
        before = self.edit.text
        used = self.edit.key(event)
        if self.edit.text != before:
            self.changed()
        return used

    def copy(self) -> str:
        return self.edit.selected

    def paste(self, text: str) -> None:
        self.edit.insert(text if self.edit.multiline else text.replace("\n", " "))
        self.changed()

    def _select(self, clicks: int) -> None:
        if clicks == 2:
            self.edit.select_word(self.edit.caret)
        elif clicks == 3:
            self.edit.anchor, self.edit.caret = 0, len(self.edit.text)

    def _line(self, p: Painter, top: int, start: int, end: int, focused: bool) -> None:
        """One line of the text with its part of the selection, at the left edge of `p`."""
        text, high = self.edit.text[start:end], line_height(self.size)
        first, last = (min(max(i, start), end) for i in self.edit.selection)
        if first < last and focused:
            left, right = (self._x(start, place) for place in (first, last))
            p.fill(Rect(left, top, right - left, high), SELECTED)
        p.text(0, top + high // 2, shown(text), INK, self.size)

    def _x(self, start: int, place: int) -> int:
        return round(text_width(shown(self.edit.text[start:place]), self.size))


class Field(TextBox):
    """One line in a box; `hint` is shown while it is empty."""

    def __init__(
        self, hint: str = "", size: int = TEXT, changed: Callable[[], None] = nothing
    ) -> None:
        super().__init__(size, changed)
        self.hint = hint
        self._offset = 0

    def draw(self, p: Painter) -> None:
        focused = p.focused(self)
        p.box(
            self.area,
            PAPER if self.enabled else PANEL,
            ACCENT if focused else LINE,
            6,
            2 if focused else 1,
        )
        view = Rect(PAD, 3, self.rect.w - 2 * PAD, self.rect.h - 6)
        high = line_height(self.size)
        with p.clip(view) as clipped:
            self._follow(view.w)
            inner = clipped.at(-self._offset, (view.h - high) // 2)
            self._line(inner, 0, 0, len(self.edit.text), focused)
            if not self.edit.text:
                inner.text(0, high // 2, self.hint, SOFT, self.size)
            if focused:
                inner.caret(Rect(self._x(0, self.edit.caret), 2, 2, high - 4))

    def _follow(self, width: int) -> None:
        x = self._x(0, self.edit.caret)
        self._offset = max(min(self._offset, x), x - width + 2, 0)

    def press(self, at: Spot) -> None:
        self.edit.go(column(self.edit.text, at.x - PAD + self._offset, self.size))
        self._select(at.clicks)

    def drag(self, at: Spot) -> None:
        place = column(self.edit.text, at.x - PAD + self._offset, self.size)
        self.edit.go(place, extend=True)


class TextArea(TextBox):
    """Many lines that wrap, with a scroll bar."""

    def __init__(self, size: int = TEXT, changed: Callable[[], None] = nothing) -> None:
        super().__init__(size, changed)
        self.edit.multiline = True
        self.scroll = Scroller()

    @property
    def _step(self) -> int:
        return line_height(self.size)

    def _lines(self) -> list[tuple[int, int]]:
        return wrapped(self.edit.text, self.size, self.rect.w - 2 * PAD - BAR)

    def _fit(self) -> None:
        self.scroll.fit(self.rect.h, len(self._lines()) * self._step + 2 * PAD)

    def _line_of(self, place: int) -> int:
        return max(i for i, (start, _) in enumerate(self._lines()) if start <= place)

    def draw(self, p: Painter) -> None:
        p.fill(self.area, PAPER)
        lines, focused = self._lines(), p.focused(self)
        self._fit()
        first = max(self.scroll.offset - PAD, 0) // self._step
        with p.clip(self.area) as clipped:
            inner = clipped.at(PAD, PAD - self.scroll.offset)
            for i, (start, end) in enumerate(lines[first : first + self.rect.h // self._step + 2]):
                self._line(inner, (first + i) * self._step, start, end, focused)
            if focused:
                row = self._line_of(self.edit.caret)
                x = self._x(lines[row][0], self.edit.caret)
                inner.caret(Rect(x, row * self._step + 2, 2, self._step - 4))
            self.scroll.draw(clipped, Rect(self.rect.w - BAR, 0, BAR, self.rect.h))

    def _place(self, at: Spot) -> int:
        lines = self._lines()
        row = (at.y - PAD + self.scroll.offset) // self._step
        start, end = lines[min(max(row, 0), len(lines) - 1)]
        return start + column(self.edit.text[start:end], at.x - PAD, self.size)

    def press(self, at: Spot) -> None:
        if self.scroll.press(at.x, at.y, self.rect.w):
            return
        self.edit.go(self._place(at))
        self._select(at.clicks)

    def _select(self, clicks: int) -> None:
        if clicks == 3:
            self.edit.anchor, self.edit.caret = self._lines()[self._line_of(self.edit.caret)]
        else:
            super()._select(clicks)

    def drag(self, at: Spot) -> None:
        if self.scroll.held:
            self.scroll.drag(at.y)
        else:
            self.edit.go(self._place(at), extend=True)

    def wheel(self, notches: int) -> bool:
        self._fit()
        return self.scroll.by(-notches * 3 * self._step)

    def key(self, event: KeyDown) -> bool:
        used = self._vertical(event) or super().key(event)
        if used:
            top = self._line_of(self.edit.caret) * self._step
            self._fit()
            self.scroll.show(top, top + self._step + 2 * PAD)
        return used

    def _vertical(self, event: KeyDown) -> bool:
        """Keys that depend on how the text is broken into lines."""
        if {"ctrl", "alt", "meta"} & event.mods:
            return False
        lines, row = self._lines(), self._line_of(self.edit.caret)
        start, end = lines[row]
        page = max(self.rect.h // self._step - 1, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        if event.key in steps:
            x = self._x(start, self.edit.caret)
            first, last = lines[min(max(row + steps[event.key], 0), len(lines) - 1)]
            place = first + column(self.edit.text[first:last], x, self.size)
        elif event.key in ("home", "end"):
            soft = row + 1 < len(lines) and lines[row + 1][0] == end
            place = start if event.key == "home" else end - soft
        else:
            return False
        self.edit.go(place, "shift" in event.mods)
        return True
