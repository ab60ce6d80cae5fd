"""The bar at the bottom: Start, a button for every window, the clock; and the Start menu."""

from __future__ import annotations

import time
from functools import partial

from . import icons
from .dialogs import ask
from .menu import Item, Menu
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
from .widgets import Act, Target
from .windows import TASKBAR_PX, Window, WindowManager

START_PX, CLOCK_PX, BUTTON_PX = 112, 170, 176
HOVER, BRIGHT = (30, 41, 59), (51, 65, 85)


class Taskbar:
    """Clicking a window's button brings it to the front, or minimises the active one."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop

    @property
    def _start(self) -> Rect:
        return Rect(0, self.desktop.area.h, START_PX, TASKBAR_PX)

    def _buttons(self) -> list[tuple[Window, Rect]]:
        windows = [window for window in self.desktop.windows if not window.owner]
        windows.sort(key=lambda window: window.number)
        space = self.desktop.pc.size[0] - START_PX - CLOCK_PX
        width = min(BUTTON_PX, space // max(len(windows), 1))
        top, height = self.desktop.area.h + 5, TASKBAR_PX - 10
        return [
            (window, Rect(START_PX + i * width, top, width - 6, height))
            for i, window in enumerate(windows)
        ]

    def find_place(self, x: int) -> int:
        """Return 0 for Start, the number of a window from 1, or -1."""
        rects = [self._start, *[rect for _, rect in self._buttons()]]
        return next((i for i, rect in enumerate(rects) if rect.x <= x < rect.right), -1)

    def list_targets(self) -> list[Target]:
        buttons = [Target("Task", window.program.name, rect) for window, rect in self._buttons()]
        return [Target("Task", "Start", self._start), *buttons]

    def press(self, event: Pressed, opener: object) -> None:
        place = self.find_place(event.x)
        if event.button != "left":
            return
        if place == 0 and opener is not self:
            self.toggle_start()
        elif place > 0:
            window = self._buttons()[place - 1][0]
            minimise = self._is_active(window)
            (self.desktop.minimise if minimise else self.desktop.bring_to_front)(window)

    def _is_active(self, window: Window) -> bool:
        """Whether this window or a dialog of it is active."""
        active = self.desktop.active
        return bool(active and window in (active, active.owner))

    def toggle_start(self) -> None:
        desktop = self.desktop
        is_open = isinstance(desktop.menu, StartMenu)
        desktop.menu = None if is_open else StartMenu(desktop, self)

    def draw(self, p: Painter) -> None:
        width, top = self.desktop.pc.size[0], self.desktop.area.h
        pointer = self.desktop.pc.host.pointer
        hovered = self.find_place(pointer.x) if pointer.y >= top else -1
        p.fill(Rect(0, top, width, TASKBAR_PX), NIGHT)
        is_open = isinstance(self.desktop.menu, StartMenu)
        start = BRIGHT if is_open else HOVER if hovered == 0 else NIGHT
        p.fill(Rect(5, top + 5, START_PX - 12, TASKBAR_PX - 10), start, 6)
        p.draw_picture(16, top + 12, icons.icon("start", 24))
        p.text(50, top + TASKBAR_PX // 2, "Start", WHITE)
        for i, (window, rect) in enumerate(self._buttons(), 1):
            self._draw_button(p, window, rect, hovered == i)
        clock = time.strftime("%a %d %b  %H:%M", time.localtime())
        p.text(width - 16, top + TASKBAR_PX // 2, clock, WHITE, anchor="right")

    def _draw_button(self, p: Painter, window: Window, rect: Rect, hovered: bool) -> None:
        active = self._is_active(window)
        p.fill(rect, BRIGHT if active else HOVER if hovered else NIGHT, 6)
        p.draw_picture(rect.x + 8, rect.mid - 11, icons.icon(window.program.icon, 22))
        p.text(rect.x + 38, rect.mid, window.program.name, WHITE, width=rect.w - 42)
        line = 40 if active else 14
        p.fill(Rect(rect.x + (rect.w - line) // 2, rect.bottom - 3, line, 3), ACCENT, 1)


class StartMenu(Menu):
    """Programs and power; typed characters filter them."""

    row_px = 46

    def __init__(self, desktop: WindowManager, owner: Taskbar) -> None:
        self.desktop, self.query = desktop, ""
        super().__init__(self._find_items(), 8, 0, owner)
        height = 64 + self.row_px * len(self.items) + 22
        self.rect = Rect(8, desktop.area.h - height - 8, 300, height)

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

    def lines(self) -> list[tuple[Item, Rect]]:
        lines, top = [], self.rect.y + 64
        for item in self.items:
            top += 10 * (item.text == "Shut down")
            lines.append((item, Rect(self.rect.x + 8, top, self.rect.w - 16, self.row_px)))
            top += self.row_px
        return lines

    def draw(self, p: Painter) -> None:
        p.shadow(self.rect)
        p.box(self.rect, PANEL, FAINT, 10)
        box = Rect(self.rect.x + 12, self.rect.y + 14, self.rect.w - 24, 40)
        p.box(box, PAPER, ACCENT, 8, 2)
        p.text(box.x + 14, box.mid, self.query or "Type to search", INK if self.query else SOFT)
        p.caret(Rect(box.x + 15 + int(text_width(self.query)), box.y + 9, 2, 22))
        for i, (item, line) in enumerate(self.lines()):
            if item.text == "Shut down":
                p.fill(Rect(line.x + 6, line.y - 5, line.w - 12, 1), LINE)
            if i == self.index:
                p.fill(line, ACCENT_SOFT, 6)
            p.draw_picture(line.x + 12, line.mid - 14, icons.icon(item.icon, 28))
            p.text(line.x + 54, line.mid, item.text)

    def key(self, event: KeyDown) -> Act | None:
        if event.key == "enter" and self.items:
            return self.items[max(self.index, 0)].act
        if event.key == "backspace":
            self.query = self.query[:-1]
        elif event.char and event.char not in "\n\t":
            self.query, self.index = self.query + event.char, -1
        else:
            return super().key(event)
        self.items = self._find_items()
        return None
