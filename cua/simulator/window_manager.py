"""The windows of the desktop in their order, and the programs in them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from .hardware import Hardware
from .menu import Item, Menu, Popup
from .paint import Rect
from .usbhost import KeyDown
from .widgets import Widget
from .window import Program, Window

TASKBAR_HEIGHT = 48


class WindowManager:
    """`windows` are in the order in which they are drawn; the last one that shows is active."""

    def __init__(self, pc: Hardware, programs: Mapping[str, type[App]]) -> None:
        self.pc, self.programs = pc, programs
        self.clipboard = ""
        self.windows: list[Window] = []
        self.popup: Popup | None = None
        self._numbers = itertools.count()

    @property
    def listed(self) -> dict[str, type[App]]:
        """Programs with an icon on the desktop and a line in the Start menu."""
        return {name: program for name, program in self.programs.items() if program.listed}

    @property
    def area(self) -> Rect:
        """Where windows may be: everything but the taskbar."""
        return Rect(0, 0, self.pc.size[0], self.pc.size[1] - TASKBAR_HEIGHT)

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

    def launched(self, name: str) -> None:
        """Called after a program was opened by its name."""

    def launch(self, name: str, path: str = "") -> Window:
        window = self.open(self.programs[name](self))
        if path:
            window.program.load(path)
        self.launched(name)
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

    def pop_up(self, items: list[Item], x: int, y: int, owner: object = None) -> None:
        menu = Menu(items, x, y, owner)
        menu.fit(self.area.w, self.area.h)
        self.popup = menu

    def press_key(self, window: Window, event: KeyDown) -> None:
        """A key for this window: its focus, then its program, then the Tab order."""
        focus = window.focus
        if focus and focus.visible and (self._clipped(focus, event.chord) or focus.key(event)):
            return
        if window.program.key(event):
            return
        if event.chord in ("tab", "shift+tab"):
            window.tab(-1 if "shift" in event.mods else 1)

    def _clipped(self, focus: Widget, chord: str) -> bool:
        """Whether it was a key for the clipboard."""
        if chord == "ctrl+v":
            focus.paste(self.clipboard)
        elif chord in ("ctrl+c", "ctrl+x") and focus.copy():
            self.clipboard = focus.copy()
            if chord == "ctrl+x":
                focus.paste("")
        else:
            return False
        return True


class App(Program):
    """A program that uses the desktop."""

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__()
        self.desktop = desktop

    @property
    def window(self) -> Window:
        return self.desktop.window_of(self)

    def close(self) -> None:
        self.desktop.close(self.window)
