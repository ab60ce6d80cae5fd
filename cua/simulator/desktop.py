"""The desktop: it hands events to the parts of the screen, and draws all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import disturbances
from .desktop_icons import DesktopIcons
from .hardware import Hardware
from .paint import Painter, Rect
from .phases import Phase
from .taskbar import Taskbar
from .usbhost import Event, KeyDown, KeyUp, Moved, Pressed, Released, Wheel
from .widgets import Act, Position, Widget
from .windows import TITLE_PX, Program, Window, WindowManager

OnPointer = Callable[[int, int], object]


class Desktop(WindowManager, Phase):
    name = "desktop"
    pointer = True

    def __init__(self, pc: Hardware, programs: Mapping[str, type[Program]]) -> None:
        super().__init__(pc, programs)
        self.icons = DesktopIcons(self)
        self.taskbar = Taskbar(self)
        self._on_drag: OnPointer | None = None
        self._on_release: OnPointer | None = None
        self._switching: list[Window] = []
        self._meta_alone = False

    def after_launch(self, name: str) -> None:
        disturbances.on_launch(self, name)

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
        menu, x, y = self.menu, event.x, event.y
        if menu and menu.rect.contains(x, y):
            self._run_menu_act(menu.choose(x, y))
            return
        opener = menu.owner if menu else None
        self.menu = None
        if y >= self.area.h:
            self.taskbar.press(event, opener)
        elif window := self.find_window(x, y):
            self._press_window(window, event, opener)
        else:
            self.icons.press(event)

    def _run_menu_act(self, act: Act | None) -> None:
        if act:
            self.menu = None
            act()

    def _press_window(self, window: Window, event: Pressed, opener: object) -> None:
        self.bring_to_front(window)
        if self.is_blocked(window):
            return
        if event.y >= window.client.y:
            self._press_client(window, event, opener)
        elif event.button == "left":
            self._press_title(window, event)

    def _press_title(self, window: Window, event: Pressed) -> None:
        if button := window.find_button(event.x, event.y):
            self._on_release = lambda x, y: self._press_frame_button(window, button, x, y)
        elif event.clicks == 2 and window.program.resizable:
            window.maximise(self.area)
        elif not window.restore:
            dx, dy = window.rect.x - event.x, window.rect.y - event.y
            self._on_drag = lambda x, y: self._drag_window(window, x + dx, y + dy)

    def _drag_window(self, window: Window, x: int, y: int) -> None:
        y = min(max(y, 0), self.area.h - TITLE_PX)
        window.place(Rect(x, y, window.rect.w, window.rect.h))

    def _press_frame_button(self, window: Window, button: str, x: int, y: int) -> None:
        if window.find_button(x, y) != button:
            return
        if button == "close":
            self.ask_close(window)
        elif button == "minimise":
            self.minimise(window)
        else:
            window.maximise(self.area)

    def _press_client(self, window: Window, event: Pressed, opener: object) -> None:
        found = window.find_widget(event.x, event.y)
        if not found or not found[0].enabled:
            return
        widget, left, top = found
        if widget.takes_focus:
            window.focus = widget
        if event.button == "right":
            widget.press(Position(event.x - left, event.y - top))
            window.program.open_context_menu(widget, event.x, event.y)
        elif event.button == "left" and widget is not opener:
            widget.press(Position(event.x - left, event.y - top, event.clicks))
            self._on_drag = lambda x, y: widget.drag(Position(x - left, y - top))
            self._on_release = lambda x, y: widget.release(Position(x - left, y - top))

    def _release(self, event: Released) -> None:
        on_release, self._on_release, self._on_drag = self._on_release, None, None
        if on_release:
            on_release(event.x, event.y)

    def _move(self, event: Moved) -> bool:
        if self._on_drag:
            self._on_drag(event.x, event.y)
        if self.menu:
            self.menu.hover(event.x, event.y)
        return self._on_drag is not None

    def _wheel(self, event: Wheel) -> None:
        window = self.find_window(event.x, event.y)
        if self.menu or not window or self.is_blocked(window):
            return
        x, y = event.x - window.client.x, event.y - window.client.y
        for widget in window.program.widgets:
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
        elif self.menu and event.chord == "esc":
            self.menu = None
        elif self.menu:
            self._run_menu_act(self.menu.key(event))
        elif (window := self.active) and not self.is_blocked(window):
            self.press_key(window, event)
        else:
            self.icons.key(event)

    def _switch_window(self) -> None:
        """Raise the next window in the order of their use when Alt went down."""
        if not self._switching:
            self._switching = [w for w in reversed(self.windows) if not w.owner]
        if self._switching:
            self._switching.append(self._switching.pop(0))
            self.bring_to_front(self._switching[0])

    def _close_active(self) -> None:
        if self.active:
            self.ask_close(self.active)

    def _minimise_all(self) -> None:
        for window in [w for w in self.windows if not w.minimised]:
            self.minimise(window)

    def _maximise_active(self) -> None:
        if self.active and self.active.program.resizable and not self.active.restore:
            self.active.maximise(self.area)

    def _key_up(self, event: KeyUp) -> None:
        if event.key == "alt":
            self._switching = []
        if event.key == "meta" and self._meta_alone:
            self.taskbar.toggle_start()

    # --- drawing and state ------------------------------------------------------------------------

    def find_hovered(self, x: int, y: int) -> object:
        if self.menu and self.menu.rect.contains(x, y):
            return self.menu.list_targets(), self.menu.index
        if y >= self.area.h:
            return self.taskbar.find_place(x)
        window = self.find_window(x, y)
        if not window:
            entry = self.icons.find_entry(x, y)
            return entry and entry.label
        found = window.find_widget(x, y)
        return window.find_button(x, y) or (found and found[0])

    def draw(self, p: Painter) -> None:
        pointer = self.pc.host.pointer
        hovered = self.find_hovered(pointer.x, pointer.y)
        p.marks.hover = hovered if isinstance(hovered, Widget) else None
        self.icons.draw(p)
        active, under = self.active, self.find_window(pointer.x, pointer.y)
        for window in self.windows:
            if not window.minimised:
                p.marks.focus = window.focus if window is active and not self.menu else None
                hot = window.find_button(pointer.x, pointer.y) if window is under else ""
                window.draw(p, window is active, hot)
        self.taskbar.draw(p)
        if self.menu:
            self.menu.draw(p)

    def describe_state(self) -> dict[str, Any]:
        return {
            "windows": [self._window_facts(window) for window in self.windows],
            "dialogs": [
                w.program.title for w in self.windows if w.owner or not w.program.resizable
            ],
            "menu": self.menu.list_targets() if self.menu else [],
            "taskbar": self.taskbar.list_targets(),
            "clipboard": self.clipboard,
            "icons": self.icons.list_targets(),
        }

    def _window_facts(self, window: Window) -> dict[str, Any]:
        return {
            "program": window.program.name,
            "title": window.program.title,
            "rect": window.rect,
            "active": window is self.active,
            "minimised": window.minimised,
            "maximised": window.restore is not None,
            "targets": window.list_targets(),
            **window.program.describe_state(),
        }
