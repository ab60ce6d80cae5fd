"""Menus that pop up in front of all windows."""

from __future__ import annotations

from dataclasses import dataclass

from .paint import ACCENT_SOFT, LINE, PAPER, Painter, Rect, text_width
from .usbhost import KeyDown
from .widgets import Act, Target, do_nothing


@dataclass
class Item:
    """One line of a menu."""

    text: str
    act: Act = do_nothing
    icon: str = ""


class Menu:
    """Items below each other. A second press on the `owner` closes it instead of opening it."""

    row_px = 38

    def __init__(self, items: list[Item], x: int, y: int, owner: object = None) -> None:
        self.items, self.owner, self.index = items, owner, -1
        width = max(int(max(text_width(item.text) for item in items)) + 44, 180)
        self.rect = Rect(x, y, width, self.row_px * len(items) + 12)

    def lines(self) -> list[tuple[Item, Rect]]:
        """Return the items with their places on the screen."""
        left, top, width = self.rect.x + 5, self.rect.y + 6, self.rect.w - 10
        return [
            (item, Rect(left, top + self.row_px * i, width, self.row_px))
            for i, item in enumerate(self.items)
        ]

    def list_targets(self) -> list[Target]:
        return [Target("Item", item.text, line) for item, line in self.lines()]

    def draw(self, p: Painter) -> None:
        p.shadow(self.rect)
        p.box(self.rect, PAPER, LINE, 8)
        for i, (item, line) in enumerate(self.lines()):
            if i == self.index:
                p.fill(line, ACCENT_SOFT, 5)
            p.text(line.x + 14, line.mid, item.text)

    def hover(self, x: int, y: int) -> None:
        found = (i for i, (_, line) in enumerate(self.lines()) if line.contains(x, y))
        self.index = next(found, -1)

    def choose(self, x: int, y: int) -> Act | None:
        """Return the action of the item at this place."""
        self.hover(x, y)
        return self.items[self.index].act if self.index >= 0 else None

    def key(self, event: KeyDown) -> Act | None:
        """Return the action that this key chooses."""
        if event.key in ("up", "down") and self.items:
            step = 1 if event.key == "down" else -1
            start = self.index if self.index >= 0 else min(-step, 0)
            self.index = (start + step) % len(self.items)
        elif event.key in ("enter", "space") and self.index >= 0:
            return self.items[self.index].act
        return None
