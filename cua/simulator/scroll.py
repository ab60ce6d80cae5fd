"""How far something is scrolled, and the bar that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from .paint import LINE, PANEL, SOFT, Painter, Rect

BAR = 14
"""Width of the bar in pixels."""


@dataclass
class Scroller:
    """`offset` pixels of `total` are above the view, which is `view` pixels high."""

    offset: int = 0
    view: int = 1
    total: int = 0
    held: bool = False
    """Whether the thumb is being dragged."""
    _grip: int = 0

    @property
    def most(self) -> int:
        return max(self.total - self.view, 0)

    def fit(self, view: int, total: int) -> None:
        self.view, self.total = view, total
        self.by(0)

    def by(self, pixels: int) -> bool:
        """Whether there was anything to scroll."""
        self.offset = min(max(self.offset + pixels, 0), self.most)
        return self.most > 0

    def show(self, top: int, bottom: int) -> None:
        """Scroll as little as is needed to see this part."""
        self.by(max(bottom - self.offset - self.view, 0))
        self.by(min(top - self.offset, 0))

    def _thumb(self) -> tuple[int, int]:
        height = max(self.view * self.view // max(self.total, 1), 28)
        return self.offset * (self.view - height) // max(self.most, 1), height

    def _grab(self, y: int) -> None:
        """Take the thumb, after a jump if it is elsewhere."""
        top, height = self._thumb()
        if not top <= y < top + height:
            self._grip = height // 2
            self.drag(y)
        self._grip = y - self._thumb()[0]

    def press(self, x: int, y: int, width: int) -> bool:
        """Whether this press in a view of `width` pixels was for the bar."""
        self.held = self.most > 0 and x > width - BAR
        if self.held:
            self._grab(y)
        return self.held

    def drag(self, y: int) -> None:
        """To this height, if the thumb is held."""
        if not self.held:
            return
        room = max(self.view - self._thumb()[1], 1)
        self.offset = 0
        self.by((y - self._grip) * self.most // room)

    def draw(self, p: Painter, rect: Rect) -> None:
        """`rect` is the whole column of the bar."""
        if not self.most:
            return
        top, height = self._thumb()
        p.fill(rect, PANEL)
        p.fill(Rect(rect.x, rect.y, 1, rect.h), LINE)
        p.fill(Rect(rect.x + 4, rect.y + top + 2, rect.w - 7, height - 4), SOFT, 4)
