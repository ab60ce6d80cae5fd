"""A list of rows of which one can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import icons
from .paint import ACCENT, ACCENT_SOFT, INK, LINE, PAPER, SOFT, Painter, Rect
from .scroll_view import ScrollView
from .usbhost import KeyDown
from .widgets import Act, Spot, Target, do_nothing


@dataclass
class Row:
    """A line of a list: an icon, and texts by column."""

    cells: tuple[str, ...]
    icon: str


class ListBox(ScrollView):
    """Rows of `row_px` pixels; `columns` are where the cells start."""

    border = 1
    row_px = notch_px = 40

    def __init__(
        self, rows: Sequence[Row], on_open: Act = do_nothing, on_choose: Act = do_nothing
    ) -> None:
        self.rows, self.columns, self.index = list(rows), [0], -1
        self.on_open, self.on_choose = on_open, on_choose

    @property
    def row(self) -> Row | None:
        return self.rows[self.index] if 0 <= self.index < len(self.rows) else None

    def content_height(self) -> int:
        return len(self.rows) * self.row_px

    def targets(self) -> list[Target]:
        lines = ((row, i * self.row_px - self.offset) for i, row in enumerate(self.rows))
        return [
            Target("Row", row.cells[0], Rect(0, top, self.rect.w, self.row_px))
            for row, top in lines
            if -self.row_px // 2 < top <= self.rect.h - self.row_px // 2
        ]

    def draw(self, p: Painter) -> None:
        p.box(self.area, PAPER, LINE, 6)
        self.fit()
        with p.clip(self.area.shrunk(1), 5) as inner:
            for index in range(len(self.rows)):
                line = Rect(0, index * self.row_px - self.offset, self.rect.w - 2, self.row_px)
                if -self.row_px < line.y <= self.rect.h:
                    self._draw_row(inner, index, line)
            self.draw_bar(inner)

    def _draw_row(self, p: Painter, index: int, line: Rect) -> None:
        row, left = self.rows[index], 48
        if index == self.index:
            p.fill(line, ACCENT_SOFT)
            if p.focused(self):
                p.fill(Rect(0, line.y, 3, line.h), ACCENT)
        p.stamp(12, line.y + (self.row_px - 24) // 2, icons.icon(row.icon, 24))
        ends = [*self.columns[1:], line.w - 12]
        for cell, column, end in zip(row.cells, self.columns, ends, strict=False):
            start = column + (left if column == 0 else 0)
            p.text(start, line.mid, cell, INK if column == 0 else SOFT, width=end - start - 8)

    def press(self, at: Spot) -> None:
        super().press(at)
        if self.dragging_thumb:
            return
        index = (at.y - 1 + self.offset) // self.row_px
        self._choose(index if 0 <= index < len(self.rows) else -1)
        if at.clicks == 2 and self.row:
            self.on_open()

    def _choose(self, index: int) -> None:
        self.index = index
        if self.row:
            self.fit()
            self.scroll_to(index * self.row_px, (index + 1) * self.row_px)
        self.on_choose()

    def key(self, event: KeyDown) -> bool:
        page, count = max(self.view // self.row_px, 1), len(self.rows)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        steps |= {"home": -count, "end": count}
        if event.key in steps and self.rows:
            self._choose(min(max(self.index + steps[event.key], 0), count - 1))
        elif event.chord == "enter" and self.row:
            self.on_open()
        else:
            return False
        return True
