"""A list of rows of which one can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import icons
from .paint import ACCENT, ACCENT_SOFT, INK, LINE, PAPER, SOFT, Painter, Rect
from .scroll import BAR, Scroller
from .usbhost import KeyDown
from .widgets import Spot, Target, Widget, nothing


@dataclass
class Row:
    """One line of a list: texts of its columns, and an icon."""

    cells: tuple[str, ...]
    icon: str = ""


class ListBox(Widget):
    """Rows that can be chosen. `columns` are where their cells start, in pixels."""

    takes_focus = True

    def __init__(
        self,
        rows: Sequence[Row],
        columns: Sequence[int] = (0,),
        opened: Callable[[], None] = nothing,
        chosen: Callable[[], None] = nothing,
        step: int = 40,
    ) -> None:
        self.rows = list(rows)
        self.columns, self.opened, self.chosen, self.step = columns, opened, chosen, step
        self.index = -1
        self.scroll = Scroller()

    @property
    def row(self) -> Row | None:
        return self.rows[self.index] if 0 <= self.index < len(self.rows) else None

    def at(self, y: int) -> int:
        """The index of the row at this height, -1 for none."""
        index = (y - 1 + self.scroll.offset) // self.step
        return index if 0 <= index < len(self.rows) else -1

    def targets(self) -> list[Target]:
        lines = ((row, i * self.step - self.scroll.offset) for i, row in enumerate(self.rows))
        return [
            Target("Row", row.cells[0], Rect(0, top, self.rect.w, self.step))
            for row, top in lines
            if -self.step // 2 < top <= self.rect.h - self.step // 2
        ]

    def draw(self, p: Painter) -> None:
        p.box(self.area, PAPER, LINE, 6)
        self._fit()
        with p.clip(self.area.shrunk(1), 5) as inner:
            for index in range(max(self.at(1), 0), len(self.rows)):
                top = index * self.step - self.scroll.offset
                if top > self.rect.h:
                    break
                self._draw_row(inner, index, Rect(0, top, self.rect.w - 2, self.step))
            self.scroll.draw(inner, Rect(self.rect.w - BAR - 2, 0, BAR, self.rect.h - 2))

    def _draw_row(self, p: Painter, index: int, line: Rect) -> None:
        row, left = self.rows[index], 12
        if index == self.index:
            p.fill(line, ACCENT_SOFT)
            if p.focused(self):
                p.fill(Rect(0, line.y, 3, line.h), ACCENT)
        if row.icon:
            p.stamp(left, line.y + (self.step - 24) // 2, icons.icon(row.icon, 24))
            left += 36
        ends = [*self.columns[1:], line.w - 12]
        for cell, column, end in zip(row.cells, self.columns, ends, strict=False):
            start = column + (left if column == 0 else 0)
            p.text(start, line.mid, cell, INK if column == 0 else SOFT, width=end - start - 8)

    def press(self, at: Spot) -> None:
        if self.scroll.press(at.x, at.y, self.rect.w):
            return
        self._choose(self.at(at.y))
        if at.clicks == 2 and self.row:
            self.opened()

    def drag(self, at: Spot) -> None:
        self.scroll.drag(at.y)

    def _fit(self) -> None:
        """Rows come and go between two drawings, so every scrolling starts with this."""
        self.scroll.fit(self.rect.h - 2, len(self.rows) * self.step)

    def wheel(self, notches: int) -> bool:
        self._fit()
        return self.scroll.by(-notches * self.step)

    def _choose(self, index: int) -> None:
        self.index = index
        if self.row:
            self._fit()
            self.scroll.show(index * self.step, (index + 1) * self.step)
        self.chosen()

    def key(self, event: KeyDown) -> bool:
        page = max(self.scroll.view // self.step, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -9999, "end": 9999}
        if event.key in steps and self.rows:
            self._choose(min(max(self.index + steps[event.key], 0), len(self.rows) - 1))
            return True
        if event.chord == "enter" and self.row:
            self.opened()
            return True
        return False
