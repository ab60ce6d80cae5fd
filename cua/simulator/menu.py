"""Menus that pop up in front of all windows."""

from __future__ import annotations

from collections.abc import Sequence

from .paint import ACCENT_SOFT, LINE, PAPER, Painter, Rect, label_width
from .usbhost import KeyDown
from .widgets import Act, Widget, do_nothing


class Item(Widget):
    def __init__(self, text: str, act: Act = do_nothing, icon: str = "") -> None:
        self.text, self.act, self.icon = text, act, icon

    def draw(self, p: Painter) -> None:
        if self.icon:
            p.draw_icon(12, self.area.mid - 14, self.icon, 28)
        p.text(54 if self.icon else 14, self.area.mid, self.text)


class Menu(Widget):
    """A menu of items below each other; `close` closes it.

    A second press on the `owner` closes the menu.
    """

    children: Sequence[Item]
    row_px = 38

    def __init__(
        self, items: Sequence[Item], x: int, y: int, close: Act, owner: object = None
    ) -> None:
        self.close, self.owner, self.index = close, owner, -1
        width = max(max(label_width(item.text) for item in items) + 44, 180)
        self.rect = Rect(x, y, width, self.row_px * len(items) + 12)
        self.show(items)

    def show(self, items: Sequence[Item]) -> None:
        self.children = items
        for i, item in enumerate(items):
            item.rect = Rect(5, 6 + self.row_px * i, self.rect.w - 10, self.row_px)

    def draw(self, p: Painter) -> None:
        p.shadow(self.area)
        p.box(self.area, PAPER, LINE, 8)
        self.draw_items(p)

    def draw_items(self, p: Painter) -> None:
        if self.index >= 0:
            p.fill(self.children[self.index].rect, ACCENT_SOFT, 5)
        super().draw(p)

    def choose(self, widget: Widget) -> None:
        """Choose this item, or none if the widget is not an item."""
        self.index = next((i for i, item in enumerate(self.children) if item is widget), -1)

    def run(self) -> None:
        """Run the action of the chosen item, if any."""
        if self.index >= 0:
            self.close()
            self.children[self.index].act()

    def key(self, event: KeyDown) -> bool:
        if event.key in ("up", "down") and self.children:
            step = 1 if event.key == "down" else -1
            start = self.index if self.index >= 0 else min(-step, 0)
            self.index = (start + step) % len(self.children)
        elif event.key in ("enter", "space"):
            self.run()
        elif event.key == "esc":
            self.close()
        return True
