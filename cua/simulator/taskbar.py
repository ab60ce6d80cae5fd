"""The bar at the bottom with Start, a button per window and the clock; and the Start menu."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from .dialogs import ask
from .menu import Item, Menu
from .paint import (
    ACCENT,
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
from .usbhost import KeyDown
from .widgets import Button, Widget
from .windows import TASKBAR_PX, Window, WindowManager

START_PX, CLOCK_PX, BUTTON_PX = 112, 170, 176
HOVER, BRIGHT = (30, 41, 59), (51, 65, 85)


class Task(Button):
    """The button that raises or minimises a window; without a window, that of the Start menu."""

    def __init__(self, bar: Taskbar, window: Window | None = None) -> None:
        super().__init__(window.program.name if window else "Start", self._open)
        self.bar, self.window = bar, window

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and other.window is self.window

    @property
    def is_active(self) -> bool:
        """Whether the menu is open, or the window or one of its dialogs is active."""
        desktop = self.bar.desktop
        if self.window is None:
            return isinstance(desktop.menu, StartMenu)
        return bool(desktop.active and self.window in (desktop.active, desktop.active.owner))

    def _open(self) -> None:
        desktop = self.bar.desktop
        if self.window is None:
            self.bar.toggle_start()
        else:
            (desktop.minimise if self.is_active else desktop.bring_to_front)(self.window)

    def draw(self, p: Painter) -> None:
        color = BRIGHT if self.is_active else HOVER if p.is_hovered(self) else NIGHT
        name = self.window.program.icon if self.window else "start"
        button = Rect(0, 5, self.rect.w, self.rect.h - 10)
        p.fill(button, color, 6)
        p.draw_icon(8, button.mid - 11, name, 22)
        p.text(38, button.mid, self.text, WHITE, width=button.w - 42)
        if self.window:
            line = 40 if self.is_active else 14
            p.fill(Rect((button.w - line) // 2, button.bottom - 3, line, 3), ACCENT, 1)


class Taskbar(Widget):
    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop
        self.start = Task(self)

    def refresh(self) -> None:
        """Update the buttons after changes of the windows and the screen's size."""
        width = self.desktop.pc.size[0]
        self.rect = Rect(0, self.desktop.area.h, width, TASKBAR_PX)
        windows = [window for window in self.desktop.windows if not window.owner]
        windows.sort(key=lambda window: window.number)
        step = min(BUTTON_PX, (width - START_PX - CLOCK_PX) // max(len(windows), 1))
        tasks = [Task(self, window) for window in windows]
        self.start.rect = Rect(5, 0, START_PX - 12, TASKBAR_PX)
        for i, task in enumerate(tasks):
            task.rect = Rect(START_PX + i * step, 0, step - 6, TASKBAR_PX)
        self.children = [self.start, *tasks]

    def toggle_start(self) -> None:
        self.desktop.menu = None if self.start.is_active else StartMenu(self.desktop, self.start)

    def draw(self, p: Painter) -> None:
        p.fill(self.area, NIGHT)
        super().draw(p)
        clock = time.strftime("%a %d %b  %H:%M", time.localtime())
        p.text(self.rect.w - 16, self.area.mid, clock, WHITE, anchor="right")


class StartMenu(Menu):
    """The Start menu with programs and power; typed characters filter it."""

    row_px = 46

    def __init__(self, desktop: WindowManager, owner: Task) -> None:
        self.desktop, self.query = desktop, ""
        super().__init__(self._find_items(), 8, 0, desktop.close_menu, owner)
        height = 64 + self.row_px * len(self.children) + 22
        self.rect = Rect(8, desktop.area.h - height - 8, 300, height)
        self.show(self.children)

    def _find_items(self) -> list[Item]:
        desktop = self.desktop
        items = [
            *[Item(n, partial(desktop.start, n), p.icon) for n, p in desktop.listed.items()],
            Item("Shut down", partial(self._ask_power, "Shut down", "off"), "power"),
            Item("Restart", partial(self._ask_power, "Restart", "restart"), "restart"),
        ]
        return [item for item in items if self.query.lower() in item.text.lower()]

    def _ask_power(self, title: str, how: str) -> None:
        desktop = self.desktop
        text = f"Do you want to {title.lower()} this computer?"
        ask(desktop, None, f"{title}?", text, {title: lambda: desktop.pc.power(how)})

    def show(self, items: Sequence[Item]) -> None:
        self.children, top = items, 64
        for item in items:
            top += 10 * (item.text == "Shut down")
            item.rect = Rect(8, top, self.rect.w - 16, self.row_px)
            top += self.row_px

    def draw(self, p: Painter) -> None:
        p.shadow(self.area)
        p.box(self.area, PANEL, FAINT, 10)
        box = Rect(12, 14, self.rect.w - 24, 40)
        p.box(box, PAPER, ACCENT, 8, 2)
        p.text(box.x + 14, box.mid, self.query or "Type to search", INK if self.query else SOFT)
        p.caret(Rect(box.x + 15 + int(text_width(self.query)), box.y + 9, 2, 22))
        self.draw_items(p)
        for item in self.children:
            if item.text == "Shut down":
                p.fill(Rect(14, item.rect.y - 5, self.rect.w - 28, 1), LINE)

    def key(self, event: KeyDown) -> bool:
        if event.key == "enter" and self.children:
            self.index = max(self.index, 0)
            self.run()
        elif event.key == "backspace" or (event.char and event.char not in "\n\t"):
            typed = self.query + event.char if event.char else self.query[:-1]
            self.query, self.index = typed, -1
            self.show(self._find_items())
        else:
            return super().key(event)
        return True
