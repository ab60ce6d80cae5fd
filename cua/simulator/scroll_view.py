"""Widgets that show a part of a content that is higher than they are."""

from __future__ import annotations

from .paint import LINE, PANEL, PAPER, SOFT, Painter, Rect
from .usbhost import KeyDown
from .widgets import Spot, Target, Widget, hit, placed_targets

BAR_PX = 14
"""Width of the scroll bar."""
MIN_THUMB_PX = 28


class ScrollView(Widget):
    """A widget with a scroll bar; `offset` pixels of its content are above it.

    `border` is the width in pixels of the frame around the view.
    """

    takes_focus = True
    border = 0
    notch_px = 90
    """How far one notch of the wheel scrolls."""

    offset, view, total = 0, 1, 0
    dragging_thumb = False
    _grip = 0

    def content_height(self) -> int:
        """Return the height of the whole content in pixels."""
        return self.total

    @property
    def max_offset(self) -> int:
        return max(self.total - self.view, 0)

    def fit(self) -> None:
        """Follow a change of the content or of the size."""
        self.view, self.total = self.rect.h - 2 * self.border, self.content_height()
        self.scroll_by(0)

    def scroll_by(self, pixels: int) -> bool:
        """Return whether there was anything to scroll."""
        self.offset = min(max(self.offset + pixels, 0), self.max_offset)
        return self.max_offset > 0

    def scroll_to(self, top: int, bottom: int) -> None:
        """Scroll as little as is needed to see this part."""
        self.scroll_by(max(bottom - self.offset - self.view, 0))
        self.scroll_by(min(top - self.offset, 0))

    def wheel(self, notches: int) -> None:
        self.fit()
        self.scroll_by(-notches * self.notch_px)

    def press(self, at: Spot) -> None:
        self.dragging_thumb = self.max_offset > 0 and at.x > self.rect.w - BAR_PX
        if not self.dragging_thumb:
            super().press(at)
            return
        top, height = self._thumb()
        if not top <= at.y < top + height:
            self._grip = height // 2
            self.drag(at)
        self._grip = at.y - self._thumb()[0]

    def drag(self, at: Spot) -> None:
        if not self.dragging_thumb:
            super().drag(at)
            return
        free = max(self.view - self._thumb()[1], 1)
        self.offset = 0
        self.scroll_by((at.y - self._grip) * self.max_offset // free)

    def _thumb(self) -> tuple[int, int]:
        """Return the top and the height of the thumb."""
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
    """A view of other widgets; `children` have coordinates of the whole content."""

    def __init__(self) -> None:
        self.children: list[Widget] = []

    def set_children(self, children: list[Widget], height: int) -> None:
        """Show these widgets, which are `height` pixels high together."""
        self.children, self.total = children, height
        self.fit()

    def draw(self, p: Painter) -> None:
        p.fill(self.area, PAPER)
        self.fit()
        with p.clip(self.area) as inner:
            for child in self.children:
                top = child.rect.y - self.offset
                if -child.rect.h < top < self.rect.h:
                    child.draw(inner.at(child.rect.x, top))
            self.draw_bar(inner)

    def hit(self, x: int, y: int) -> tuple[Widget, int, int]:
        on_bar = self.max_offset and x > self.rect.w - BAR_PX
        found = None if on_bar else hit(self.children, x, y + self.offset)
        return found or (self, x, y)

    def targets(self) -> list[Target]:
        found = placed_targets(self.children, 0, -self.offset)
        return [target for target in found if self.area.holds(target.rect.x, target.rect.mid)]

    def inside(self) -> list[Widget]:
        return [self, *self.children]

    def key(self, event: KeyDown) -> bool:
        page = self.rect.h - 40
        steps = {"up": -40, "down": 40, "pageup": -page, "pagedown": page, "space": page}
        steps |= {"home": -self.total, "end": self.total}
        return event.key in steps and self.scroll_by(steps[event.key])
