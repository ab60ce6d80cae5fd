"""The desktop: dispatches events to widgets, and draws everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import disturbances
from .hardware import Hardware
from .paint import Painter, Rect
from .phases import Phase
from .taskbar import Taskbar
from .usbhost import Event, KeyDown, KeyUp, Moved, Pressed, Released, Wheel
from .wallpaper import Wallpaper
from .widgets import Act, Position, Widget, place_targets
from .windows import Program, Window, WindowManager


class Desktop(WindowManager, Phase):
    name = "desktop"

    def __init__(self, pc: Hardware, programs: Mapping[str, type[Program]]) -> None:
        super().__init__(pc, programs)
        self.wallpaper = Wallpaper(self)
        self.taskbar = Taskbar(self)
        self._pressed: tuple[Widget, int, int] | None = None
        """The widget on which a mouse button is pressed, and its origin at the press."""
        self._switching: list[Window] = []
        self._meta_alone = False

    def launch(self, name: str, path: str = "") -> Window:
        window = super().launch(name, path)
        disturbances.on_launch(self, name)
        return window

    def _refresh(self) -> None:
        """Update icons and taskbar after changes of files, windows and the screen's size."""
        self.taskbar.refresh()
        self.wallpaper.rect = Rect(0, 0, *self.pc.size)
        menu = [self.menu] if self.menu else []
        self.wallpaper.children = [*self.wallpaper.list_icons(), *self.shown, self.taskbar, *menu]

    def find_widget(self, x: int, y: int) -> tuple[Widget, int, int]:
        self._refresh()
        return self.wallpaper.find_widget(x, y)

    def handle(self, event: Event) -> bool:
        if isinstance(event, Moved):
            return self._move(event)
        if isinstance(event, Pressed):
            self._press(event)
        elif isinstance(event, Released):
            self._release(event)
        elif isinstance(event, Wheel):
            self._wheel(event)
        elif isinstance(event, KeyDown):
            self._key(event)
        else:
            self._key_up(event)
        return True

    # --- pointer ----------------------------------------------------------------------------------

    def _press(self, event: Pressed) -> None:
        self._meta_alone = False
        widget, x, y = self.find_widget(event.x, event.y)
        if menu := self.menu:
            if menu.rect.contains(event.x, event.y):
                menu.choose(widget)
                menu.run()
                return
            self.close_menu()
            if widget == menu.owner:
                return
        window = self.find_window(event.x, event.y)
        if window and not self._activate(window, widget):
            return
        at = Position(x, y, event.clicks if event.button == "left" else 1)
        if event.button == "left":
            self._pressed = widget, event.x - x, event.y - y
            widget.press(at)
        elif event.button == "right" and event.y < self.area.h:
            widget.press(at)
            items = (window.program if window else self.wallpaper).menu_items(widget)
            if items:
                self.pop_up(items, event.x, event.y)

    def _activate(self, window: Window, widget: Widget) -> bool:
        """Bring the window to the front; return whether this widget accepts input."""
        self.bring_to_front(window)
        usable = widget.enabled and not self.is_blocked(window)
        if usable and widget.takes_focus:
            window.focus = widget
        return usable

    def _release(self, event: Released) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed:
            widget, left, top = pressed
            widget.release(Position(event.x - left, event.y - top))

    def _move(self, event: Moved) -> bool:
        if self._pressed:
            widget, left, top = self._pressed
            widget.drag(Position(event.x - left, event.y - top))
        if self.menu:
            self.menu.choose(self.find_widget(event.x, event.y)[0])
        return self._pressed is not None

    def _wheel(self, event: Wheel) -> None:
        window = self.find_window(event.x, event.y)
        if self.menu or not window or self.is_blocked(window):
            return
        program = window.program
        x = event.x - window.rect.x - program.rect.x
        y = event.y - window.rect.y - program.rect.y
        for widget in program.children:
            if widget.visible and widget.rect.contains(x, y):
                widget.wheel(event.notches)

    # --- keys -------------------------------------------------------------------------------------

    def _key(self, event: KeyDown) -> None:
        self._meta_alone = event.key == "meta" and not event.mods - {"meta"}
        acts: dict[str, Act] = {
            "alt+tab": self._switch_window,
            "alt+shift+tab": self._switch_window,
            "alt+f4": self._close_active,
            "meta+d": self._minimise_all,
            "meta+up": self._maximise_active,
            "ctrl+esc": self.taskbar.toggle_start,
        }
        if event.chord in acts:
            acts[event.chord]()
        elif self.menu:
            self.menu.key(event)
        elif (window := self.active) and not self.is_blocked(window):
            self.press_key(window, event)
        else:
            self.wallpaper.select_by_key(event)

    def _switch_window(self) -> None:
        """Raise the next window, in the order of use at the press of Alt."""
        if not self._switching:
            self._switching = [w for w in reversed(self.windows) if not w.owner]
        if self._switching:
            self._switching.append(self._switching.pop(0))
            self.bring_to_front(self._switching[0])

    def _close_active(self) -> None:
        if self.active:
            self.ask_close(self.active)

    def _minimise_all(self) -> None:
        for window in self.shown:
            self.minimise(window)

    def _maximise_active(self) -> None:
        if self.active and self.active.program.resizable and not self.active.restore:
            self.active.maximise()

    def _key_up(self, event: KeyUp) -> None:
        if event.key == "alt":
            self._switching = []
        if event.key == "meta" and self._meta_alone:
            self.taskbar.toggle_start()

    # --- drawing and state ------------------------------------------------------------------------

    def find_hovered(self, x: int, y: int) -> object:
        return self.find_widget(x, y)[0]

    def draw(self, p: Painter) -> None:
        self.wallpaper.draw(p)

    def describe_state(self) -> dict[str, Any]:
        self._refresh()
        return {
            "windows": [self._window_facts(window) for window in self.windows],
            "dialogs": [w.program.title for w in self.windows if not w.program.resizable],
            "menu": place_targets([self.menu]) if self.menu else [],
            "taskbar": place_targets([self.taskbar]),
            "clipboard": self.clipboard,
            "icons": place_targets(self.wallpaper.list_icons()),
        }

    def _window_facts(self, window: Window) -> dict[str, Any]:
        return {
            "program": window.program.name,
            "title": window.program.title,
            "rect": window.rect,
            "active": window is self.active,
            "minimised": window.minimised,
            "maximised": window.restore is not None,
            "targets": place_targets([window]),
            **window.program.describe_state(),
        }
