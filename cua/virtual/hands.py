"""Who on the desktop gets an event: a menu, the taskbar, a window's frame, a widget, or an icon."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .paint import Rect
from .usbhost import Event, KeyDown, KeyUp, Moved, Pressed, Released, Wheel
from .widgets import Spot, Widget
from .window import TITLE, Window

if TYPE_CHECKING:
    from .desktop import Desktop


class Hands:
    """What is being dragged or held at this moment belongs here, nothing else."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop
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
        if self.desktop.popup and self.desktop.popup.rect.holds(x, y):
            if act := self.desktop.popup.choose(x, y):
                self.desktop.popup = None
                act()
            return
        opener = self.desktop.popup.owner if self.desktop.popup else None
        self.desktop.popup = None
        if y >= self.desktop.area.h:
            self.desktop.taskbar.press(event, opener)
        elif window := self.desktop.window_at(x, y):
            self._press_window(window, event, opener)
        else:
            self.desktop.shelf.press(event)

    def _press_window(self, window: Window, event: Pressed, opener: object) -> None:
        self.desktop.raise_(window)
        if self.desktop.blocked(window):
            return
        x, y = event.x, event.y
        if y < window.rect.y + TITLE:
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
        y = min(max(y, 0), self.desktop.area.h - TITLE)
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
        if self.desktop.popup:
            self.desktop.popup.hover(event.x, event.y)
        return self._dragging is not None

    def _wheel(self, event: Wheel) -> None:
        window = self.desktop.window_at(event.x, event.y)
        if self.desktop.popup or not window or self.desktop.blocked(window):
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
        if self.desktop.popup:
            self._popup_key(event)
        elif (window := self.desktop.active) and not self.desktop.blocked(window):
            self.press_key(window, event)
        else:
            self.desktop.shelf.key(event)

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
            self.desktop.toggle_start()
        else:
            return False
        return True

    def _popup_key(self, event: KeyDown) -> None:
        if event.chord == "esc" or not self.desktop.popup:
            self.desktop.popup = None
        elif act := self.desktop.popup.key(event):
            self.desktop.popup = None
            act()

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
            focus.paste(self.desktop.clipboard)
        elif chord in ("ctrl+c", "ctrl+x") and focus.copy():
            self.desktop.clipboard = focus.copy()
            if chord == "ctrl+x":
                focus.paste("")
        else:
            return False
        return True

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
            self.desktop.toggle_start()
