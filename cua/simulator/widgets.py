"""The widget kit: what windows are filled with.

A widget draws itself with its own top left corner as the origin, and gets the places of clicks in
the same coordinates. Programs set `rect` in their `layout`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import icons
from .paint import (
    ACCENT,
    ACCENT_DEEP,
    ACCENT_SOFT,
    FAINT,
    INK,
    LINE,
    PANEL,
    PAPER,
    TEXT,
    WHITE,
    Color,
    Painter,
    Rect,
    line_height,
    text_width,
    wrapped,
)
from .usbhost import KeyDown


def nothing() -> None:
    """What a button does that does nothing."""


class Spot(NamedTuple):
    """A place in a widget; `clicks` is 2 for a double click."""

    x: int
    y: int
    clicks: int = 1


class Target(NamedTuple):
    """Something that can be seen and clicked, for checkers: what it is, what it says, and where."""

    kind: str
    text: str
    rect: Rect


class Widget:
    """Something in a window. `key` and `wheel` say whether they had a use for the event."""

    text = ""
    rect = Rect(0, 0, 0, 0)
    takes_focus = False
    visible = True
    enabled = True

    def draw(self, p: Painter) -> None:
        raise NotImplementedError

    def hit(self, x: int, y: int) -> tuple[Widget, int, int]:
        """The innermost widget at this place, and the place in its coordinates."""
        return self, x, y

    def targets(self) -> list[Target]:
        """What is seen of this widget, in its own coordinates."""
        return [Target(type(self).__name__, self.text, self.area)]

    def inside(self) -> list[Widget]:
        """This widget and those in it, in the order of the Tab key."""
        return [self]

    def press(self, at: Spot) -> None:
        pass

    def drag(self, at: Spot) -> None:
        pass

    def release(self, at: Spot) -> None:
        pass

    def wheel(self, notches: int) -> bool:
        del notches
        return False

    def key(self, event: KeyDown) -> bool:
        del event
        return False

    def copy(self) -> str:
        """What Ctrl+C takes."""
        return ""

    def paste(self, text: str) -> None:
        """What Ctrl+V brings, in the place of what is selected."""

    @property
    def area(self) -> Rect:
        """The widget in its own coordinates."""
        return Rect(0, 0, self.rect.w, self.rect.h)


class Label(Widget):
    """Words, which wrap if `wrap`. A click on them is for their `buddy`, if they have one."""

    buddy: Widget | None = None

    def __init__(
        self,
        text: str,
        color: Color = INK,
        size: int = TEXT,
        bold: bool = False,
        wrap: bool = False,
        icon: str = "",
    ) -> None:
        self.text, self.color, self.size, self.bold, self.wrap = text, color, size, bold, wrap
        self.icon = icon

    def hit(self, x: int, y: int) -> tuple[Widget, int, int]:
        return (self.buddy, 0, 0) if self.buddy else (self, x, y)

    def height(self, width: int) -> int:
        return len(wrapped(self.text, self.size, width)) * line_height(self.size)

    def draw(self, p: Painter) -> None:
        left = 0
        if self.icon:
            p.stamp(0, (self.rect.h - 40) // 2, icons.icon(self.icon, 40))
            left = 54
        if not self.wrap:
            p.text(left, self.rect.h // 2, self.text, self.color, self.size, self.bold)
            return
        step = line_height(self.size)
        lines = wrapped(self.text, self.size, self.rect.w - left)
        for i, (start, end) in enumerate(lines):
            p.text(left, i * step + step // 2, self.text[start:end], self.color, self.size)


class Button(Widget):
    """Acts when the mouse button is let go on it, as real buttons do."""

    takes_focus = True

    def __init__(self, text: str, act: Callable[[], None] = nothing, primary: bool = False) -> None:
        self.text, self.act, self.primary = text, act, primary

    @property
    def width(self) -> int:
        return max(int(text_width(self.text)) + 36, 96)

    def draw(self, p: Painter) -> None:
        hover = p.hovered(self)
        fill, border, ink = (PANEL if hover else PAPER), LINE, INK
        if not self.enabled:
            fill, ink = PANEL, FAINT
        elif self.primary:
            fill = border = ACCENT_DEEP if hover else ACCENT
            ink = WHITE
        if p.focused(self):
            p.box(self.area, PAPER, ACCENT, 8, 2)
            p.box(self.area.shrunk(3), fill, border, 5)
        else:
            p.box(self.area, fill, border, 6)
        p.text(self.rect.w // 2, self.rect.h // 2, self.text, ink, anchor="middle")

    def release(self, at: Spot) -> None:
        if self.area.holds(at.x, at.y):
            self.act()

    def key(self, event: KeyDown) -> bool:
        if event.chord not in ("enter", "space"):
            return False
        self.act()
        return True


class IconButton(Button):
    """A button with a picture; `text` is the name of the picture."""

    def draw(self, p: Painter) -> None:
        if p.hovered(self) and self.enabled:
            p.fill(self.area, LINE, 6)
        if p.focused(self):
            p.box(self.area, PAPER, ACCENT, 6, 2)
        side = min(self.rect.w, self.rect.h) - 14
        p.stamp(7, 7, icons.icon(self.text, side))


class Link(Button):
    """A button that looks like a link."""

    def __init__(self, text: str, act: Callable[[], None], size: int = TEXT) -> None:
        super().__init__(text, act)
        self.size = size

    @property
    def width(self) -> int:
        return int(text_width(self.text, self.size)) + 8

    def draw(self, p: Painter) -> None:
        color = ACCENT if p.hovered(self) else ACCENT_DEEP
        p.text(2, self.rect.h // 2, self.text, color, self.size)
        if p.hovered(self) or p.focused(self):
            p.fill(Rect(2, self.rect.h // 2 + self.size * 5 // 8, self.width - 6, 1), color)


class Check(Widget):
    """A checkbox, or one of several radio buttons if `radio`."""

    takes_focus = True

    def __init__(
        self, text: str, on: bool = False, act: Callable[[], None] = nothing, radio: bool = False
    ) -> None:
        self.text, self.on, self.act, self.radio = text, on, act, radio

    def draw(self, p: Painter) -> None:
        mark = Rect(2, self.rect.h // 2 - 10, 20, 20)
        radius = 10 if self.radio else 4
        edge = ACCENT if self.on or p.focused(self) or p.hovered(self) else FAINT
        p.box(mark, ACCENT if self.on else PAPER, edge, radius, 2)
        if self.on:
            p.fill(mark.shrunk(6), WHITE, 4 if self.radio else 1)
        p.text(32, self.rect.h // 2, self.text)
        if p.focused(self):
            p.fill(Rect(32, self.rect.h - 3, int(text_width(self.text)), 2), ACCENT_SOFT)

    def release(self, at: Spot) -> None:
        if self.area.holds(at.x, at.y):
            self.toggle()

    def toggle(self) -> None:
        self.on = True if self.radio else not self.on
        self.act()

    def key(self, event: KeyDown) -> bool:
        if event.chord != "space":
            return False
        self.toggle()
        return True


class Progress(Widget):
    """How much is done, 0..1."""

    def __init__(self) -> None:
        self.done = 0.0

    def draw(self, p: Painter) -> None:
        p.fill(self.area, LINE, self.rect.h // 2)
        filled = max(int(self.rect.w * self.done), self.rect.h)
        p.fill(Rect(0, 0, filled, self.rect.h), ACCENT, self.rect.h // 2)
