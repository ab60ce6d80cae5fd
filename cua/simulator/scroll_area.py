"""A view of widgets that are together higher than the view."""

from __future__ import annotations

from .paint import PAPER, Painter, Rect
from .scroll import BAR, Scroller
from .usbhost import KeyDown
from .widgets import Spot, Target, Widget

STEP = 90
"""Pixels per notch of the wheel."""


class ScrollArea(Widget):
    """`children` have their places in the coordinates of the whole content."""

    takes_focus = True

    def __init__(self) -> None:
        self.children: list[Widget] = []
        self.scroll = Scroller()

    def fill(self, children: list[Widget], height: int) -> None:
        """Show these widgets, which are `height` pixels high together."""
        self.children = children
        self.scroll.fit(self.rect.h, height)

    def draw(self, p: Painter) -> None:
        p.fill(self.area, PAPER)
        self.scroll.fit(self.rect.h, self.scroll.total)
        with p.clip(self.area) as inner:
            for child in self.children:
                top = child.rect.y - self.scroll.offset
                if -child.rect.h < top < self.rect.h:
                    child.draw(inner.at(child.rect.x, top))
            self.scroll.draw(inner, Rect(self.rect.w - BAR, 0, BAR, self.rect.h))

    def hit(self, x: int, y: int) -> tuple[Widget, int, int]:
        if self.scroll.most and x > self.rect.w - BAR:
            return self, x, y
        down = y + self.scroll.offset
        for child in reversed(self.children):
            if child.rect.holds(x, down):
                return child.hit(x - child.rect.x, down - child.rect.y)
        return self, x, y

    def targets(self) -> list[Target]:
        found = []
        for child in self.children:
            left, top = child.rect.x, child.rect.y - self.scroll.offset
            found += [
                target._replace(rect=target.rect.moved(left, top)) for target in child.targets()
            ]
        return [target for target in found if self.area.holds(target.rect.x, target.rect.mid)]

    def inside(self) -> list[Widget]:
        return [self, *self.children]

    def press(self, at: Spot) -> None:
        self.scroll.press(at.x, at.y, self.rect.w)

    def drag(self, at: Spot) -> None:
        self.scroll.drag(at.y)

    def wheel(self, notches: int) -> bool:
        return self.scroll.by(-notches * STEP)

    def key(self, event: KeyDown) -> bool:
        page = self.rect.h - 40
        steps = {"up": -40, "down": 40, "pageup": -page, "pagedown": page, "space": page}
        steps |= {"home": -self.scroll.total, "end": self.scroll.total}
        return event.key in steps and self.scroll.by(steps[event.key])
