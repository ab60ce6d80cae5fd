"""Menus that pop up over everything: context menus and drop-down menus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import icons
from .paint import ACCENT_SOFT, FAINT, INK, LINE, PAPER, Painter, Rect, text_width
from .usbhost import KeyDown
from .widgets import Target, nothing

ROW = 38


@dataclass
class Item:
    """One line of a menu; `text` "" is a separator."""

    text: str
    act: Callable[[], None] = nothing
    icon: str = ""
    enabled: bool = True


SEPARATOR = Item("", enabled=False)


class Popup:
    """Something in front of all windows. `owner` is what opened it, so a second click closes it."""

    rect = Rect(0, 0, 0, 0)
    owner: object = None

    def draw(self, p: Painter) -> None:
        raise NotImplementedError

    def hover(self, x: int, y: int) -> None:
        raise NotImplementedError

    def choose(self, x: int, y: int) -> Callable[[], None] | None:
        """What a click at this place does; the menu closes first. None: nothing, it stays."""
        raise NotImplementedError

    def key(self, event: KeyDown) -> Callable[[], None] | None:
        """What this key does; the menu closes first."""
        raise NotImplementedError

    def targets(self) -> list[Target]:
        """Its lines, in the coordinates of the screen."""
        raise NotImplementedError


class Menu(Popup):
    """A list of items at a place on the screen."""

    def __init__(self, items: list[Item], x: int, y: int, owner: object = None) -> None:
        self.items, self.owner = items, owner
        self.index = -1
        widest = max(text_width(item.text) for item in items)
        icons_wide = 34 if any(item.icon for item in items) else 0
        width = max(int(widest) + 44 + icons_wide, 180)
        self.rect = Rect(x, y, width, sum(self._high(item) for item in items) + 12)

    @staticmethod
    def _high(item: Item) -> int:
        return ROW if item.text else 9

    def fit(self, width: int, height: int) -> None:
        """Move it so that all of it is on a screen of this size."""
        x = max(min(self.rect.x, width - self.rect.w), 0)
        y = max(min(self.rect.y, height - self.rect.h), 0)
        self.rect = Rect(x, y, self.rect.w, self.rect.h)

    def targets(self) -> list[Target]:
        lines = zip(self.items, self._lines(), strict=True)
        return [Target("Item", item.text, line) for item, line in lines if item.text]

    def _lines(self) -> list[Rect]:
        lines, top = [], self.rect.y + 6
        for item in self.items:
            lines.append(Rect(self.rect.x + 5, top, self.rect.w - 10, self._high(item)))
            top += self._high(item)
        return lines

    def draw(self, p: Painter) -> None:
        p.shadow(self.rect)
        p.box(self.rect, PAPER, LINE, 8)
        for i, (item, line) in enumerate(zip(self.items, self._lines(), strict=True)):
            self._draw_item(p, item, line, i == self.index)

    def _draw_item(self, p: Painter, item: Item, line: Rect, marked: bool) -> None:
        if not item.text:
            p.fill(Rect(line.x + 8, line.mid, line.w - 16, 1), LINE)
            return
        if marked and item.enabled:
            p.fill(line, ACCENT_SOFT, 5)
        left = line.x + 14
        if item.icon:
            p.stamp(left, line.mid - 11, icons.icon(item.icon, 22))
            left += 34
        p.text(left, line.mid, item.text, INK if item.enabled else FAINT)

    def _at(self, x: int, y: int) -> int:
        return next((i for i, line in enumerate(self._lines()) if line.holds(x, y)), -1)

    def hover(self, x: int, y: int) -> None:
        self.index = self._at(x, y)

    def choose(self, x: int, y: int) -> Callable[[], None] | None:
        index = self._at(x, y)
        return self.items[index].act if index >= 0 and self.items[index].enabled else None

    def key(self, event: KeyDown) -> Callable[[], None] | None:
        if event.key in ("up", "down"):
            self._step(1 if event.key == "down" else -1)
        elif event.key in ("enter", "space") and self.index >= 0:
            return self.items[self.index].act
        return None

    def _step(self, by: int) -> None:
        enabled = [i for i, item in enumerate(self.items) if item.enabled]
        if self.index not in enabled:
            self.index = enabled[0 if by > 0 else -1]
        else:
            self.index = enabled[(enabled.index(self.index) + by) % len(enabled)]
