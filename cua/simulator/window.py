"""A window: its frame, and what every program in it has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import icons
from .paint import FAINT, INK, LINE, PANEL, PAPER, RED, SOFT, Painter, Rect
from .usbhost import KeyDown
from .widgets import Target, Widget

TITLE = 40
BUTTON = 46


class Program:
    """What runs in a window. Subclasses fill `widgets` and place them in `layout`."""

    name = ""
    icon = ""
    size = (760, 500)
    resizable = True
    listed = True
    """Whether it has an icon on the desktop and a line in the Start menu."""

    def __init__(self) -> None:
        self.widgets: list[Widget] = []
        self.first: Widget | None = None

    @property
    def title(self) -> str:
        return self.name

    def layout(self, width: int, height: int) -> None:
        """Place the widgets in an area of this size."""
        raise NotImplementedError

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PANEL)

    def key(self, event: KeyDown) -> bool:
        """Keys that no widget had a use for."""
        del event
        return False

    def load(self, path: str) -> None:
        """Show this file."""

    def context(self, widget: Widget, x: int, y: int) -> None:
        """A right click at this place of the screen."""

    def closing(self) -> bool:
        """Whether the window may be closed now; the place to ask about unsaved work."""
        return True

    def facts(self) -> dict[str, Any]:
        """Return the state of this program, for checkers."""
        return {}


@dataclass(eq=False)
class Window:
    """A program's place on the screen. `owner` is the window that waits for this dialog."""

    program: Program
    rect: Rect
    number: int
    owner: Window | None = None
    minimised: bool = False
    restore: Rect | None = None
    """The rectangle to come back to; set while the window is maximised."""
    focus: Widget | None = None
    _laid_out: tuple[int, ...] = ()

    @property
    def client(self) -> Rect:
        """The area of the program."""
        return Rect(self.rect.x + 1, self.rect.y + TITLE, self.rect.w - 2, self.rect.h - TITLE - 1)

    def place(self, rect: Rect) -> None:
        """Move it there, and lay it out anew if its size is another one."""
        self.rect = rect
        if self._laid_out != self.client[2:]:
            self._laid_out = self.client[2:]
            self.program.layout(self.client.w, self.client.h)

    def maximise(self, area: Rect) -> None:
        """To the whole of `area`, or back."""
        rect, self.restore = self.restore or area, None if self.restore else self.rect
        self.place(rect)

    def buttons(self) -> dict[str, Rect]:
        names = ("close", "maximise", "minimise") if self.program.resizable else ("close",)
        top, right = self.rect.y, self.rect.right
        return {
            name: Rect(right - (i + 1) * BUTTON, top, BUTTON, TITLE) for i, name in enumerate(names)
        }

    def button_at(self, x: int, y: int) -> str:
        found = (name for name, rect in self.buttons().items() if rect.holds(x, y))
        return next(found, "")

    def hit(self, x: int, y: int) -> tuple[Widget, int, int] | None:
        """The innermost widget at this place of the screen, and its origin on the screen."""
        x0, y0 = self.client.x, self.client.y
        for widget in reversed(self.program.widgets):
            if widget.visible and widget.rect.holds(x - x0, y - y0):
                left, top = x - x0 - widget.rect.x, y - y0 - widget.rect.y
                inner, inner_x, inner_y = widget.hit(left, top)
                return inner, x - inner_x, y - inner_y
        return None

    def targets(self) -> list[Target]:
        """What can be clicked in it, in the coordinates of the screen."""
        found = [Target("Frame", name, rect) for name, rect in self.buttons().items()]
        for widget in self.program.widgets:
            x, y = self.client.x + widget.rect.x, self.client.y + widget.rect.y
            seen = widget.targets() if widget.visible else []
            found += [target._replace(rect=target.rect.moved(x, y)) for target in seen]
        return found

    def tab_order(self) -> list[Widget]:
        shown = (widget for widget in self.program.widgets if widget.visible)
        return [
            inner
            for widget in shown
            for inner in widget.inside()
            if inner.takes_focus and inner.enabled
        ]

    def tab(self, step: int) -> None:
        """Move the focus to the next widget, or to the one before."""
        order = self.tab_order()
        if self.focus in order:
            self.focus = order[(order.index(self.focus) + step) % len(order)]
        elif order:
            self.focus = order[0 if step > 0 else -1]

    def draw(self, p: Painter, active: bool, hot: str) -> None:
        """`hot` is the button of the frame that the pointer is on."""
        radius = 0 if self.restore else 10
        if radius:
            p.shadow(self.rect)
        p.fill(self.rect, FAINT if active else LINE, radius)
        with p.clip(self.rect.shrunk(1), max(radius - 1, 0)) as inner:
            frame = inner.at(-self.rect.x - 1, -self.rect.y - 1)
            self._draw_title(frame, active, hot)
            client = frame.at(self.client.x, self.client.y)
            self.program.background(client, Rect(0, 0, self.client.w, self.client.h))
            for widget in self.program.widgets:
                if widget.visible:
                    widget.draw(client.at(widget.rect.x, widget.rect.y))

    def _draw_title(self, p: Painter, active: bool, hot: str) -> None:
        bar = Rect(self.rect.x, self.rect.y, self.rect.w, TITLE)
        p.fill(bar, PAPER if active else PANEL)
        p.fill(Rect(bar.x, bar.bottom - 1, bar.w, 1), LINE)
        p.stamp(bar.x + 12, bar.mid - 10, icons.icon(self.program.icon, 20))
        room = bar.w - 52 - BUTTON * len(self.buttons())
        p.text(bar.x + 42, bar.mid, self.program.title, INK if active else SOFT, width=room)
        for name, rect in self.buttons().items():
            if name == hot:
                p.fill(rect.shrunk(4), RED if name == "close" else LINE, 6)
            shown = "close-hover" if name == hot == "close" else name
            p.stamp(rect.x + 13, rect.mid - 10, icons.icon(shown, 20))
