"""The widgets of the desktop.

A widget draws itself with its top left corner as the origin, and gets clicks in these coordinates.
Windows, menus and the taskbar are widgets too; the desktop is the outermost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .paint import (
    ACCENT,
    ACCENT_DEEP,
    ACCENT_SOFT,
    FAINT,
    INK,
    LINE,
    NOWHERE,
    PANEL,
    PAPER,
    TEXT,
    WHITE,
    Color,
    Painter,
    Rect,
    label_width,
    line_height,
    translate,
    wrap_text,
)
from .usbhost import KeyDown

Act = Callable[[], None]


def do_nothing() -> None:
    """The action of a button without an action."""


class Position(NamedTuple):
    """A place in a widget; `clicks` is 2 for a double click."""

    x: int
    y: int
    clicks: int = 1


class Target(NamedTuple):
    """A visible widget for checkers: its class, its text and its place."""

    kind: str
    text: str
    rect: Rect


class Widget:
    """An object on the screen; `text` and the name of its class identify it for checkers.

    `rect` is its place in its parent. The last one of `children` is in front; the upper `offset`
    pixels of them are scrolled out of view.
    """

    text = ""
    rect = NOWHERE
    takes_focus = False
    visible = True
    enabled = True
    children: Sequence[Widget] = ()
    offset = 0

    @property
    def area(self) -> Rect:
        """The widget's rectangle in its own coordinates."""
        return Rect(0, 0, self.rect.w, self.rect.h)

    def draw(self, p: Painter) -> None:
        for child in self.children:
            top = child.rect.y - self.offset
            if child.visible and -child.rect.h < top < self.rect.h:
                child.draw(p.at(child.rect.x, top))

    def find_widget(self, x: int, y: int) -> tuple[Widget, int, int]:
        """Return the innermost widget at this place, and the place in its coordinates."""
        y += self.offset
        for child in reversed(self.children):
            if child.visible and child.rect.contains(x, y):
                return child.find_widget(x - child.rect.x, y - child.rect.y)
        return self, x, y - self.offset

    def list_targets(self) -> list[Target]:
        """Return its visible parts, in its own coordinates."""
        if not self.children:
            return [Target(type(self).__name__, self.text, self.area)]
        found = place_targets(self.children, -self.offset)
        return [target for target in found if self.area.contains(target.rect.x, target.rect.mid)]

    def list_inner(self) -> list[Widget]:
        """Return this widget and its descendants, in the order of the Tab key."""
        shown = (child for child in self.children if child.visible)
        return [self, *(inner for child in shown for inner in child.list_inner())]

    def press(self, at: Position) -> None:
        pass

    def drag(self, at: Position) -> None:
        pass

    def release(self, at: Position) -> None:
        pass

    def wheel(self, notches: int) -> None:
        pass

    def key(self, event: KeyDown) -> bool:
        """Handle a key; return whether the widget uses it."""
        del event
        return False

    def copy(self) -> str:
        """Return the selected text."""
        return ""

    def paste(self, text: str) -> None:
        """Replace the selected text."""


def place_targets(widgets: Sequence[Widget], dy: int = 0) -> list[Target]:
    """Return the visible parts of these widgets in their parent's coordinates."""
    return [
        target._replace(rect=target.rect.translate(widget.rect.x, widget.rect.y + dy))
        for widget in widgets
        if widget.visible
        for target in widget.list_targets()
    ]


@dataclass(eq=False)
class Label(Widget):
    """A text, which wraps if `wrap`. Its `buddy` gets the clicks on it."""

    text: str
    color: Color = INK
    size: int = TEXT
    bold: bool = False
    wrap: bool = False
    icon: str = ""
    buddy: Widget | None = None

    def find_widget(self, x: int, y: int) -> tuple[Widget, int, int]:
        return (self.buddy, 0, 0) if self.buddy else (self, x, y)

    def height(self, width: int) -> int:
        return len(wrap_text(translate(self.text), self.size, width)) * line_height(self.size)

    def draw(self, p: Painter) -> None:
        left = 0
        if self.icon:
            p.draw_icon(0, (self.rect.h - 40) // 2, self.icon, 40)
            left = 54
        if not self.wrap:
            p.text(left, self.rect.h // 2, self.text, self.color, self.size, self.bold)
            return
        step, text = line_height(self.size), translate(self.text)
        lines = wrap_text(text, self.size, self.rect.w - left)
        for i, (start, end) in enumerate(lines):
            p.text(left, i * step + step // 2, text[start:end], self.color, self.size)


class Button(Widget):
    """A button that acts when the mouse button is released on it."""

    takes_focus = True
    keys = frozenset({"enter", "space"})

    def __init__(self, text: str, act: Act, primary: bool = False) -> None:
        self.text, self.act, self.primary = text, act, primary

    @property
    def width(self) -> int:
        return max(label_width(self.text) + 36, 96)

    def draw(self, p: Painter) -> None:
        hover = p.is_hovered(self)
        fill, border, ink = (PANEL if hover else PAPER), LINE, INK
        if not self.enabled:
            fill, ink = PANEL, FAINT
        elif self.primary:
            fill = border = ACCENT_DEEP if hover else ACCENT
            ink = WHITE
        if p.is_focused(self):
            p.box(self.area, PAPER, ACCENT, 8, 2)
            p.box(self.area.shrink(3), fill, border, 5)
        else:
            p.box(self.area, fill, border, 6)
        p.text(self.rect.w // 2, self.rect.h // 2, self.text, ink, anchor="middle")

    def release(self, at: Position) -> None:
        if self.area.contains(at.x, at.y):
            self.act()

    def key(self, event: KeyDown) -> bool:
        if used := event.chord in self.keys:
            self.act()
        return used


class IconButton(Button):
    """A button with a picture; `text` is the name of the picture."""

    def draw(self, p: Painter) -> None:
        if p.is_hovered(self) and self.enabled:
            p.fill(self.area, LINE, 6)
        if p.is_focused(self):
            p.box(self.area, PAPER, ACCENT, 6, 2)
        side = min(self.rect.w, self.rect.h) - 14
        p.draw_icon(7, 7, self.text, side)


class Link(Button):
    @property
    def width(self) -> int:
        return label_width(self.text) + 8

    def draw(self, p: Painter) -> None:
        color = ACCENT if p.is_hovered(self) else ACCENT_DEEP
        p.text(2, self.rect.h // 2, self.text, color)
        if p.is_hovered(self) or p.is_focused(self):
            p.fill(Rect(2, self.rect.h // 2 + TEXT * 5 // 8, self.width - 6, 1), color)


class Radio(Button):
    """A radio button; `act` sets `on` for its group."""

    keys = frozenset({"space"})
    on = False

    def draw(self, p: Painter) -> None:
        mark = Rect(2, self.rect.h // 2 - 10, 20, 20)
        edge = ACCENT if self.on or p.is_focused(self) or p.is_hovered(self) else FAINT
        p.box(mark, ACCENT if self.on else PAPER, edge, 10, 2)
        if self.on:
            p.fill(mark.shrink(6), WHITE, 4)
        p.text(32, self.rect.h // 2, self.text)
        if p.is_focused(self):
            p.fill(Rect(32, self.rect.h - 3, label_width(self.text), 2), ACCENT_SOFT)


class Progress(Widget):
    """A progress bar; `done` is 0..1."""

    done = 0.0

    def draw(self, p: Painter) -> None:
        p.fill(self.area, LINE, self.rect.h // 2)
        filled = max(int(self.rect.w * self.done), self.rect.h)
        p.fill(Rect(0, 0, filled, self.rect.h), ACCENT, self.rect.h // 2)
