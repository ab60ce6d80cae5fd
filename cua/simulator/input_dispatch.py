"""Hand an event to a menu, the taskbar, a window's frame, a widget, or an icon."""

from __future__ import annotations

from collections.abc import Callable

from .desktop_icons import DesktopIcons
from .paint import Rect
from .taskbar import Taskbar
from .usbhost import Event, KeyDown, KeyUp, Moved, Pressed, Released, Wheel
from .widgets import Spot, Widget
from .windows import TITLE_PX, Window, WindowManager


class InputDispatcher:
    """Keeps nothing but what is being dragged or held at this moment."""

    def __init__(self, desktop: WindowManager, icons: DesktopIcons, taskbar: Taskbar) -> None:
        self.desktop, self.icons, self.taskbar = desktop, icons, taskbar
        self._dragging: Callable[[int, int], None] | None = None
        self._let_go: Callable[[int, int], None] | None = None
        self._cycle: list[Window] = []
        self._meta_alone = False

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

    def _press(self, event: Pressed) -> None:
        self._meta_alone = False
        x, y = event.x, event.y
        if self.desktop.menu and self.desktop.menu.rect.holds(x, y):
            if act := self.desktop.menu.choose(x, y):
                self.desktop.menu = None
                act()
            return
        opener = self.desktop.menu.owner if self.desktop.menu else None
        self.desktop.menu = None
        if y >= self.desktop.area.h:
            self.taskbar.press(event, opener)
        elif window := self.desktop.window_at(x, y):
            self._press_window(window, event, opener)
        else:
            self.icons.press(event)

    def _press_window(self, window: Window, event: Pressed, opener: object) -> None:
        self.desktop.raise_(window)
        if self.desktop.blocked(window):
            return
        x, y = event.x, event.y
        if y < window.rect.y + TITLE_PX:
            if event.button == "left":
                self._press_title(window, event)
        elif found := window.hit(x, y):
            self._press_widget(window, event, *found, opener)

    def _press_title(self, window: Window, event: Pressed) -> None:
        x, y = event.x, event.y
        if button := window.button_at(x, y):
            self._let_go = lambda x, y: self._frame_button(window, button, x, y)
        elif event.clicks == 2 and window.program.resizable:
            window.maximise(self.desktop.area)
        elif not window.restore:
            grip = (window.rect.x - x, window.rect.y - y)
            self._dragging = lambda x, y: self._drag_window(window, x + grip[0], y + grip[1])

    def _drag_window(self, window: Window, x: int, y: int) -> None:
        y = min(max(y, 0), self.desktop.area.h - TITLE_PX)
        window.place(Rect(x, y, window.rect.w, window.rect.h))

    def _frame_button(self, window: Window, button: str, x: int, y: int) -> None:
        if window.button_at(x, y) != button:
            return
        if button == "close":
            self.desktop.ask_close(window)
        elif button == "minimise":
            self.desktop.minimise(window)
        else:
            window.maximise(self.desktop.area)

    def _press_widget(
        self, window: Window, event: Pressed, widget: Widget, x: int, y: int, opener: object
    ) -> None:
        """`x`, `y` are where the widget starts on the screen."""
        if not widget.enabled:
            return
        if widget.takes_focus:
            window.focus = widget
        if event.button == "right":
            widget.press(Spot(event.x - x, event.y - y))
            window.program.context(widget, event.x, event.y)
        elif event.button == "left" and widget is not opener:
            widget.press(Spot(event.x - x, event.y - y, event.clicks))
            self._dragging = lambda to_x, to_y: widget.drag(Spot(to_x - x, to_y - y))
            self._let_go = lambda to_x, to_y: widget.release(Spot(to_x - x, to_y - y))

    def _release(self, event: Released) -> None:
        let_go, self._let_go, self._dragging = self._let_go, None, None
        if let_go:
            let_go(event.x, event.y)

    def _move(self, event: Moved) -> bool:
        if self._dragging:
            self._dragging(event.x, event.y)
        if self.desktop.menu:
            self.desktop.menu.hover(event.x, event.y)
        return self._dragging is not None

    def _wheel(self, event: Wheel) -> None:
        window = self.desktop.window_at(event.x, event.y)
        if self.desktop.menu or not window or self.desktop.blocked(window):
            return
        x, y = window.client.x, window.client.y
        for widget in reversed(window.program.widgets):
            if widget.visible and widget.rect.holds(event.x - x, event.y - y):
                widget.wheel(event.notches)
                return

    # --- keys -------------------------------------------------------------------------------------

    def _key(self, event: KeyDown) -> None:
        self._meta_alone = event.key == "meta" and not event.mods - {"meta"}
        if self._system_key(event):
            return
        if self.desktop.menu:
            self._popup_key(event)
        elif (window := self.desktop.active) and not self.desktop.blocked(window):
            self.desktop.press_key(window, event)
        else:
            self.icons.key(event)

    def _system_key(self, event: KeyDown) -> bool:
        if event.chord in ("alt+tab", "alt+shift+tab"):
            self._switch()
        elif event.chord == "alt+f4" and self.desktop.active:
            self.desktop.ask_close(self.desktop.active)
        elif event.chord == "meta+d":
            for window in [w for w in self.desktop.windows if not w.minimised]:
                self.desktop.minimise(window)
        elif event.chord == "meta+up" and self.desktop.active and not self.desktop.active.restore:
            self.desktop.active.maximise(self.desktop.area)
        elif event.chord == "ctrl+esc":
            self.taskbar.toggle_start()
        else:
            return False
        return True

    def _popup_key(self, event: KeyDown) -> None:
        if event.chord == "esc" or not self.desktop.menu:
            self.desktop.menu = None
        elif act := self.desktop.menu.key(event):
            self.desktop.menu = None
            act()

    def _switch(self) -> None:
        """Alt+Tab: the next window in the order in which they were used, while Alt is down."""
        if not self._cycle:
            self._cycle = [w for w in reversed(self.desktop.windows) if not w.owner]
        if self._cycle:
            self._cycle.append(self._cycle.pop(0))
            self.desktop.raise_(self._cycle[0])

    def _key_up(self, event: KeyUp) -> None:
        if event.key == "alt":
            self._cycle = []
        if event.key == "meta" and self._meta_alone:
            self.taskbar.toggle_start()
