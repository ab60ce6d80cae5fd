"""The bar at the bottom: Start, a button for every window, the clock; and the Start menu."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import icons
from .dialogs import MessageDialog
from .menu import Popup
from .paint import (
    ACCENT,
    ACCENT_SOFT,
    FAINT,
    INK,
    LINE,
    NIGHT,
    PANEL,
    PAPER,
    SOFT,
    WHITE,
    Painter,
    Rect,
    text_width,
)
from .usbhost import KeyDown, Pressed
from .widgets import Target
from .window import Window
from .window_manager import TASKBAR_HEIGHT, WindowManager

START_W, CLOCK_W, BUTTON_W, ROW = 112, 170, 176, 46
HOVER, BRIGHT = (30, 41, 59), (51, 65, 85)


class Taskbar:
    """Clicking a window's button brings it to the front, or minimises the active one."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop

    def _windows(self) -> list[Window]:
        mine = [window for window in self.desktop.windows if not window.owner]
        return sorted(mine, key=lambda window: window.number)

    def _buttons(self) -> list[tuple[Window, Rect]]:
        windows, top = self._windows(), self.desktop.area.h
        room = self.desktop.pc.size[0] - START_W - CLOCK_W
        width = min(BUTTON_W, room // max(len(windows), 1))
        return [
            (window, Rect(START_W + i * width, top + 5, width - 6, TASKBAR_HEIGHT - 10))
            for i, window in enumerate(windows)
        ]

    def at(self, x: int) -> int:
        """A number for what is at this place: 0 Start, 1.. the windows."""
        if x < START_W:
            return 0
        found = (i for i, (_, rect) in enumerate(self._buttons(), 1) if rect.x <= x < rect.right)
        return next(found, -1)

    def targets(self) -> list[Target]:
        start = Rect(0, self.desktop.area.h, START_W, TASKBAR_HEIGHT)
        buttons = [Target("Task", window.program.name, rect) for window, rect in self._buttons()]
        return [Target("Task", "Start", start), *buttons]

    def press(self, event: Pressed, opener: object) -> None:
        place = self.at(event.x)
        if event.button != "left" or place < 0:
            return
        if place == 0:
            if opener is not self:
                self.toggle_start()
            return
        window = self._buttons()[place - 1][0]
        active = self.desktop.active
        if active and window in (active, active.owner):
            self.desktop.minimise(window)
        else:
            self.desktop.raise_(window)

    def toggle_start(self) -> None:
        desktop = self.desktop
        is_open = isinstance(desktop.popup, StartMenu)
        desktop.popup = None if is_open else StartMenu(desktop, self)

    def draw(self, p: Painter) -> None:
        width, top = self.desktop.pc.size[0], self.desktop.area.h
        pointer = self.desktop.pc.host.pointer
        hot = self.at(pointer.x) if pointer.y >= top else -1
        p.fill(Rect(0, top, width, TASKBAR_HEIGHT), NIGHT)
        self._draw_start(p, top, hot == 0)
        for i, (window, rect) in enumerate(self._buttons(), 1):
            self._draw_button(p, window, rect, hot == i)
        clock = time.strftime("%a %d %b  %H:%M", self.desktop.pc.clock())
        p.text(width - 16, top + TASKBAR_HEIGHT // 2, clock, WHITE, anchor="right")

    def _draw_start(self, p: Painter, top: int, hot: bool) -> None:
        is_open = isinstance(self.desktop.popup, StartMenu)
        if hot or is_open:
            p.fill(
                Rect(5, top + 5, START_W - 12, TASKBAR_HEIGHT - 10), BRIGHT if is_open else HOVER, 6
            )
        p.stamp(16, top + 12, icons.icon("start", 24))
        p.text(50, top + TASKBAR_HEIGHT // 2, "Start", WHITE)

    def _draw_button(self, p: Painter, window: Window, rect: Rect, hot: bool) -> None:
        active = self.desktop.active
        mine = bool(active and window in (active, active.owner))
        p.fill(rect, BRIGHT if mine else HOVER if hot else NIGHT, 6)
        p.stamp(rect.x + 8, rect.mid - 11, icons.icon(window.program.icon, 22))
        p.text(rect.x + 38, rect.mid, window.program.name, WHITE, width=rect.w - 42)
        line = 40 if mine else 14
        p.fill(Rect(rect.x + (rect.w - line) // 2, rect.bottom - 3, line, 3), ACCENT, 1)


class StartMenu(Popup):
    """Programs and power; what is typed searches among them."""

    def __init__(self, desktop: WindowManager, owner: Taskbar) -> None:
        self.desktop, self.owner = desktop, owner
        self.query = ""
        self.index = -1
        count = len(desktop.listed) + 2
        high = 64 + count * ROW + 22
        self.rect = Rect(8, desktop.area.h - high - 8, 300, high)

    def _entries(self) -> list[tuple[str, str, Callable[[], None]]]:
        desktop = self.desktop
        found = [(n, p.icon, self._starter(n)) for n, p in desktop.listed.items()]
        found.append(("Shut down", "power", lambda: self._ask_power("off")))
        found.append(("Restart", "restart", lambda: self._ask_power("restart")))
        return [entry for entry in found if self.query.lower() in entry[0].lower()]

    def _starter(self, name: str) -> Callable[[], None]:
        return lambda: self.desktop.start(name)

    def _ask_power(self, how: str) -> None:
        """Shut down ("off") or restart, after a question."""
        desktop = self.desktop
        title, text = {
            "off": ("Shut down", "Do you want to shut down this computer?"),
            "restart": ("Restart", "Do you want to restart this computer?"),
        }[how]
        buttons = {title: lambda: desktop.pc.power(how), "Cancel": lambda: None}
        desktop.open(MessageDialog(desktop, f"{title}?", text, buttons, "question"))

    def targets(self) -> list[Target]:
        lines = zip(self._entries(), self._lines(), strict=True)
        return [Target("Item", entry[0], line) for entry, line in lines]

    def _lines(self) -> list[Rect]:
        lines, top = [], self.rect.y + 64
        for label, _, _ in self._entries():
            top += 10 if label == "Shut down" else 0
            lines.append(Rect(self.rect.x + 8, top, self.rect.w - 16, ROW))
            top += ROW
        return lines

    def draw(self, p: Painter) -> None:
        p.shadow(self.rect)
        p.box(self.rect, PANEL, FAINT, 10)
        box = Rect(self.rect.x + 12, self.rect.y + 14, self.rect.w - 24, 40)
        p.box(box, PAPER, ACCENT, 8, 2)
        hint = self.query or "Type to search"
        p.text(box.x + 14, box.mid, hint, INK if self.query else SOFT)
        p.caret(Rect(box.x + 15 + int(text_width(self.query)), box.y + 9, 2, 22))
        for i, (entry, line) in enumerate(zip(self._entries(), self._lines(), strict=True)):
            self._draw_entry(p, entry[0], entry[1], line, i == self.index)

    def _draw_entry(self, p: Painter, label: str, icon: str, line: Rect, marked: bool) -> None:
        if label == "Shut down":
            p.fill(Rect(line.x + 6, line.y - 5, line.w - 12, 1), LINE)
        if marked:
            p.fill(line, ACCENT_SOFT, 6)
        p.stamp(line.x + 12, line.mid - 14, icons.icon(icon, 28))
        p.text(line.x + 54, line.mid, label)

    def _at(self, x: int, y: int) -> int:
        return next((i for i, line in enumerate(self._lines()) if line.holds(x, y)), -1)

    def hover(self, x: int, y: int) -> None:
        self.index = self._at(x, y)

    def choose(self, x: int, y: int) -> Callable[[], None] | None:
        index = self._at(x, y)
        return self._entries()[index][2] if index >= 0 else None

    def key(self, event: KeyDown) -> Callable[[], None] | None:
        count = len(self._entries())
        if event.key in ("up", "down") and count:
            first = 0 if event.key == "down" else count - 1
            step = 1 if event.key == "down" else -1
            self.index = first if self.index < 0 else (self.index + step) % count
        elif event.key == "enter" and count:
            return self._entries()[max(self.index, 0)][2]
        elif event.key == "backspace":
            self.query = self.query[:-1]
        elif event.char and event.char not in "\n\t":
            self.query, self.index = self.query + event.char, -1
        return None
