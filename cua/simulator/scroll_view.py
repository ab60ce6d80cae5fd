"""Widgets that scroll: a view of other widgets, and a list of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .paint import ACCENT, ACCENT_SOFT, INK, LINE, PANEL, PAPER, SOFT, Painter, Rect
from .usbhost import KeyDown
from .widgets import Act, Position, Target, Widget, do_nothing

BAR_PX = 14
"""Width of the scroll bar."""
MIN_THUMB_PX = 28


class ScrollView(Widget):
    """A widget with a scroll bar; `offset` is the height in pixels of the content above the view.

    `border` is the width in pixels of the frame around the view.
    """

    takes_focus = True
    border = 0
    notch_px = 90
    """Pixels per notch of the wheel."""

    dragging_thumb = False
    _grip = 0

    @property
    def view(self) -> int:
        """The height of the visible part."""
        return self.rect.h - 2 * self.border

    @property
    def total(self) -> int:
        raise NotImplementedError

    @property
    def max_offset(self) -> int:
        return max(self.total - self.view, 0)

    def scroll_by(self, pixels: int) -> bool:
        """Scroll; return whether the offset changed."""
        self.offset = min(max(self.offset + pixels, 0), self.max_offset)
        return self.max_offset > 0

    def scroll_to(self, top: int, bottom: int) -> None:
        """Scroll as little as needed to show this part."""
        self.scroll_by(max(bottom - self.offset - self.view, 0))
        self.scroll_by(min(top - self.offset, 0))

    def wheel(self, notches: int) -> None:
        self.scroll_by(-notches * self.notch_px)

    def press(self, at: Position) -> None:
        self.dragging_thumb = self.max_offset > 0 and at.x > self.rect.w - BAR_PX
        if not self.dragging_thumb:
            super().press(at)
            return
        top, height = self._thumb()
        self._grip = at.y - top if top <= at.y < top + height else height // 2
        self.drag(at)

    def drag(self, at: Position) -> None:
        if not self.dragging_thumb:
            super().drag(at)
            return
        track = max(self.view - self._thumb()[1], 1)
        self.offset = 0
        self.scroll_by((at.y - self._grip) * self.max_offset // track)

    def _thumb(self) -> tuple[int, int]:
        height = max(self.view * self.view // max(self.total, 1), MIN_THUMB_PX)
        return self.offset * (self.view - height) // max(self.max_offset, 1), height

    def draw_bar(self, p: Painter) -> None:
        if not self.max_offset:
            return
        bar = Rect(self.rect.w - 2 * self.border - BAR_PX, 0, BAR_PX, self.view)
        top, height = self._thumb()
        p.fill(bar, PANEL)
        p.fill(Rect(bar.x, 0, 1, bar.h), LINE)
        p.fill(Rect(bar.x + 4, top + 2, bar.w - 7, height - 4), SOFT, 4)


class ScrollArea(ScrollView):
    """A view of other widgets."""

    total = 0

    def set_children(self, children: list[Widget], height: int) -> None:
        """Show these widgets, which have a total height of `height` pixels."""
        self.children, self.total = children, height
        self.scroll_by(0)

    def draw(self, p: Painter) -> None:
        p.fill(self.area, PAPER)
        self.scroll_by(0)
        with p.clip(self.area) as inner:
            super().draw(inner)
            self.draw_bar(inner)

    def find_widget(self, x: int, y: int) -> tuple[Widget, int, int]:
        on_bar = self.max_offset and x > self.rect.w - BAR_PX
        return (self, x, y) if on_bar else super().find_widget(x, y)

    def key(self, event: KeyDown) -> bool:
        page = self.rect.h - 40
        steps = {"up": -40, "down": 40, "pageup": -page, "pagedown": page, "space": page}
        steps |= {"home": -self.total, "end": self.total}
        return event.key in steps and self.scroll_by(steps[event.key])


@dataclass
class Row:
    """A line of a list: an icon, texts by column, and a path."""

    cells: tuple[str, ...]
    icon: str
    path: str = ""


class ListBox(ScrollView):
    """A list of rows, `row_px` pixels high; `columns` are the left edges of the cells."""

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

    @property
    def total(self) -> int:
        return len(self.rows) * self.row_px

    def list_targets(self) -> list[Target]:
        lines = ((row, i * self.row_px - self.offset) for i, row in enumerate(self.rows))
        return [
            Target("Row", row.cells[0], Rect(0, top, self.rect.w, self.row_px))
            for row, top in lines
            if -self.row_px // 2 < top <= self.rect.h - self.row_px // 2
        ]

    def draw(self, p: Painter) -> None:
        p.box(self.area, PAPER, LINE, 6)
        self.scroll_by(0)
        with p.clip(self.area.shrink(1), 5) as inner:
            for index in range(len(self.rows)):
                line = Rect(0, index * self.row_px - self.offset, self.rect.w - 2, self.row_px)
                if -self.row_px < line.y <= self.rect.h:
                    self._draw_row(inner, index, line)
            self.draw_bar(inner)

    def _draw_row(self, p: Painter, index: int, line: Rect) -> None:
        row, left = self.rows[index], 48
        if index == self.index:
            p.fill(line, ACCENT_SOFT)
            if p.is_focused(self):
                p.fill(Rect(0, line.y, 3, line.h), ACCENT)
        p.draw_icon(12, line.y + (self.row_px - 24) // 2, row.icon, 24)
        ends = [*self.columns[1:], line.w - 12]
        for cell, column, end in zip(row.cells, self.columns, ends, strict=False):
            start = column + (left if column == 0 else 0)
            p.text(start, line.mid, cell, INK if column == 0 else SOFT, width=end - start - 8)

    def press(self, at: Position) -> None:
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
