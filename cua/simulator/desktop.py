"""The desktop: windows, and what is behind and in front of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import disturbances
from .desktop_icons import DesktopIcons
from .hardware import Hardware
from .input_dispatch import InputDispatcher
from .paint import Painter
from .phase import Phase
from .taskbar import Taskbar
from .usbhost import Event
from .widgets import Widget
from .windows import Program, Window, WindowManager


class Desktop(WindowManager, Phase):
    name = "desktop"
    pointer = True

    def __init__(self, pc: Hardware, programs: Mapping[str, type[Program]]) -> None:
        super().__init__(pc, programs)
        self.icons = DesktopIcons(self)
        self.taskbar = Taskbar(self)
        self.input = InputDispatcher(self, self.icons, self.taskbar)

    def launched(self, name: str) -> None:
        disturbances.on_launch(self, name)

    def handle(self, event: Event) -> bool:
        return self.input.handle(event)

    def hovered(self, x: int, y: int) -> object:
        if self.menu and self.menu.rect.holds(x, y):
            return self.menu.targets(), self.menu.index
        if y >= self.area.h:
            return self.taskbar.at(x)
        window = self.window_at(x, y)
        if not window:
            entry = self.icons.entry_at(x, y)
            return entry and entry.label
        found = window.hit(x, y)
        return window.button_at(x, y) or (found and found[0])

    def draw(self, p: Painter) -> None:
        pointer = self.pc.host.pointer
        hovered = self.hovered(pointer.x, pointer.y)
        p.marks.hover = hovered if isinstance(hovered, Widget) else None
        self.icons.draw(p)
        active, under = self.active, self.window_at(pointer.x, pointer.y)
        for window in self.windows:
            if not window.minimised:
                p.marks.focus = window.focus if window is active and not self.menu else None
                hot = window.button_at(pointer.x, pointer.y) if window is under else ""
                window.draw(p, window is active, hot)
        self.taskbar.draw(p)
        if self.menu:
            self.menu.draw(p)

    def facts(self) -> dict[str, Any]:
        return {
            "windows": [self._window_facts(window) for window in self.windows],
            "dialogs": [
                w.program.title for w in self.windows if w.owner or not w.program.resizable
            ],
            "menu": self.menu.targets() if self.menu else [],
            "taskbar": self.taskbar.targets(),
            "clipboard": self.clipboard,
            "icons": self.icons.targets(),
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
