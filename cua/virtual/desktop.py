"""The desktop: windows in their order, and what is behind and in front of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from .apps.messages import Message
from .hands import Hands
from .menu import Item, Menu, Popup
from .paint import Painter, Rect
from .shelf import Shelf
from .stage import Stage
from .taskbar import HEIGHT, StartMenu, Taskbar
from .usbhost import Event
from .widgets import Widget
from .window import Program, Window

if TYPE_CHECKING:
    from .pc import Computer


class Desktop(Stage):
    """`windows` are in the order in which they are drawn; the last one that shows is active."""

    name = "desktop"
    pointer = True

    def __init__(self, pc: Computer) -> None:
        self.pc = pc
        self.clipboard = ""
        self.windows: list[Window] = []
        self._numbers = itertools.count()
        self.popup: Popup | None = None
        self.shelf = Shelf(self)
        self.taskbar = Taskbar(self)
        self.hands = Hands(self)

    # --- windows ----------------------------------------------------------------------------------

    @property
    def area(self) -> Rect:
        """Where windows may be: everything but the taskbar."""
        return Rect(0, 0, self.pc.size[0], self.pc.size[1] - HEIGHT)

    def fit(self) -> None:
        """The screen has another size: no window may be larger, or lie outside."""
        area = self.area
        for window in self.windows:
            x, y, width, height = window.rect
            width, height = min(width, area.w), min(height, area.h)
            left, top = min(x, area.w - width), min(y, area.h - height)
            window.place(area if window.restore else Rect(left, top, width, height))

    @property
    def active(self) -> Window | None:
        return next((w for w in reversed(self.windows) if not w.minimised), None)

    def window_of(self, program: Program) -> Window:
        return next(window for window in self.windows if window.program is program)

    def window_at(self, x: int, y: int) -> Window | None:
        shown = (w for w in reversed(self.windows) if not w.minimised)
        return next((w for w in shown if w.rect.holds(x, y)), None)

    def running(self, name: str) -> Window | None:
        return next((w for w in self.windows if w.program.name == name and not w.owner), None)

    def start(self, name: str, path: str = "") -> None:
        """Open a program by its name; it takes a moment, as the scenario says."""

        def launch() -> None:
            self.launch(name, path)

        self.pc.after(self.pc.scenario.delay, launch)

    def launch(self, name: str, path: str = "") -> Window:
        window = self.open(self.pc.programs[name](self))
        if path:
            window.program.load(path)
        self.pc.scenario.opened(self.pc, name)
        return window

    def open(self, program: Program, owner: Window | None = None) -> Window:
        """Show a program in a new window; a dialog stands in the middle of its owner."""
        width = min(program.size[0], self.area.w)
        height = min(program.size[1], self.area.h)
        spot = self._spot(width, height, owner)
        window = Window(program, spot, next(self._numbers), owner)
        self.windows.append(window)
        window.place(window.rect)
        window.focus = program.first
        self.popup = None
        return window

    def _spot(self, width: int, height: int, owner: Window | None) -> Rect:
        around = owner.rect if owner else self.area
        x, y = around.x + (around.w - width) // 2, around.y + (around.h - height) // 2
        if not owner:
            step = sum(not w.owner for w in self.windows) % 6
            x, y = x + 32 * step - 10 + self.pc.jitter(), y + 28 * step - 30 + self.pc.jitter()
        x = min(max(x, 0), self.area.w - width)
        return Rect(x, min(max(y, 0), self.area.h - height), width, height)

    def close(self, window: Window) -> None:
        """Close it and all that belongs to it, without a question."""
        for dialog in [w for w in self.windows if w.owner is window]:
            self.close(dialog)
        if window in self.windows:
            self.windows.remove(window)
        if window.owner:
            self.raise_(window.owner)

    def ask_close(self, window: Window) -> None:
        if window.program.closing():
            self.close(window)

    def raise_(self, window: Window) -> None:
        """Bring a window to the front, with the dialog that it waits for."""
        if window not in self.windows:
            return
        window.minimised = False
        self.windows.remove(window)
        self.windows.append(window)
        for dialog in [w for w in self.windows if w.owner is window]:
            self.raise_(dialog)

    def minimise(self, window: Window) -> None:
        window.minimised = True
        self.windows.remove(window)
        self.windows.insert(0, window)

    def blocked(self, window: Window) -> bool:
        return any(w.owner is window for w in self.windows)

    def message(self, owner: Window | None, title: str, text: str, icon: str = "info") -> None:
        """A dialog with an OK button."""
        self.open(Message(self, title, text, {"OK": lambda: None}, icon), owner)

    def pop_up(self, items: list[Item], x: int, y: int, owner: object = None) -> None:
        menu = Menu(items, x, y, owner)
        menu.fit(self.area.w, self.area.h)
        self.popup = menu

    def toggle_start(self) -> None:
        self.popup = None if isinstance(self.popup, StartMenu) else StartMenu(self)

    def ask_power(self, how: str) -> None:
        """Shut down ("off") or restart, after a question."""
        title, text = {
            "off": ("Shut down", "Do you want to shut down this computer?"),
            "restart": ("Restart", "Do you want to restart this computer?"),
        }[how]
        buttons = {title: lambda: self.pc.power(how), "Cancel": lambda: None}
        self.open(Message(self, f"{title}?", text, buttons, "question"))

    def handle(self, event: Event) -> bool:
        return self.hands.handle(event)

    # --- what is seen -----------------------------------------------------------------------------

    def hovered(self, x: int, y: int) -> object:
        if self.popup and self.popup.rect.holds(x, y):
            return self.popup.targets(), getattr(self.popup, "index", 0)
        if y >= self.area.h:
            return self.taskbar.at(x)
        window = self.window_at(x, y)
        if not window:
            return self.shelf.at(x, y)
        found = window.hit(x, y)
        return window.button_at(x, y) or (found and found[0])

    def draw(self, p: Painter) -> None:
        pointer = self.pc.host.pointer
        hovered = self.hovered(pointer.x, pointer.y)
        p.marks.hover = hovered if isinstance(hovered, Widget) else None
        self.shelf.draw(p)
        active, under = self.active, self.window_at(pointer.x, pointer.y)
        for window in self.windows:
            if not window.minimised:
                p.marks.focus = window.focus if window is active and not self.popup else None
                hot = window.button_at(pointer.x, pointer.y) if window is under else ""
                window.draw(p, window is active, hot)
        self.taskbar.draw(p)
        if self.popup:
            self.popup.draw(p)

    def facts(self) -> dict[str, Any]:
        return {
            "windows": [self._window_facts(window) for window in self.windows],
            "dialogs": [
                w.program.title for w in self.windows if w.owner or not w.program.resizable
            ],
            "menu": self.popup.targets() if self.popup else [],
            "taskbar": self.taskbar.targets(),
            "clipboard": self.clipboard,
            "icons": self.shelf.targets(),
        }

    def _window_facts(self, window: Window) -> dict[str, Any]:
        return {
            "program": window.program.name,
            "title": window.program.title,
            "rect": window.rect,
            "active": window is self.active,
            "minimised": window.minimised,
            "maximised": window.restore is not None,
            "targets": window.targets(),
            **window.program.facts(),
        }
