"""Windows, the programs in them, and their order on the desktop."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import icons
from .hardware import Hardware
from .menu import Item, Menu
from .paint import FAINT, INK, LINE, PANEL, PAPER, RED, SOFT, Painter, Rect
from .usbhost import KeyDown
from .widgets import Target, Widget, find_widget, place_targets

TITLE_PX, BUTTON_PX, TASKBAR_PX = 40, 46, 48


class Program:
    """What runs in a window. Subclasses set `widgets` and place them in `layout`."""

    name = ""
    icon = ""
    size = (760, 500)
    resizable = True
    listed = True
    """Whether it has an icon on the desktop and a line in the Start menu."""
    window: Window
    widgets: list[Widget]
    first: Widget | None = None
    """The widget that has the focus at the start."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop

    @property
    def title(self) -> str:
        return self.name

    def layout(self, width: int, height: int) -> None:
        """Place the widgets in an area of this size."""
        raise NotImplementedError

    def draw_background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PANEL)

    def key(self, _event: KeyDown) -> bool:
        """Handle a key that no widget had a use for; return whether it was used."""
        return False

    def load(self, path: str) -> None:
        """Show this file."""

    def open_context_menu(self, widget: Widget, x: int, y: int) -> None:
        """Handle a right click at this place of the screen."""

    def confirm_close(self) -> bool:
        """Return whether the window may be closed now; ask about unsaved work."""
        return True

    def describe_state(self) -> dict[str, Any]:
        """Return the state of this program, for checkers."""
        return {}

    def close(self) -> None:
        self.desktop.close(self.window)


@dataclass(eq=False)
class Window:
    """A program's place on the screen. `owner` is the window that waits for this dialog."""

    program: Program
    rect: Rect
    number: int
    owner: Window | None = None
    minimised: bool = False
    restore: Rect | None = None
    """The rectangle to come back to; set while the window is maximised."""
    focus: Widget | None = None
    _laid_out: tuple[int, ...] = ()

    @property
    def client(self) -> Rect:
        """The area of the program."""
        return Rect(
            self.rect.x + 1, self.rect.y + TITLE_PX, self.rect.w - 2, self.rect.h - TITLE_PX - 1
        )

    def place(self, rect: Rect) -> None:
        self.rect = rect
        if self._laid_out != self.client[2:]:
            self._laid_out = self.client[2:]
            self.program.layout(self.client.w, self.client.h)

    def maximise(self, area: Rect) -> None:
        """Fill `area`, or restore the former size."""
        rect, self.restore = self.restore or area, None if self.restore else self.rect
        self.place(rect)

    def buttons(self) -> dict[str, Rect]:
        names = ("close", "maximise", "minimise") if self.program.resizable else ("close",)
        top, right = self.rect.y, self.rect.right
        return {
            name: Rect(right - (i + 1) * BUTTON_PX, top, BUTTON_PX, TITLE_PX)
            for i, name in enumerate(names)
        }

    def find_button(self, x: int, y: int) -> str:
        found = (name for name, rect in self.buttons().items() if rect.contains(x, y))
        return next(found, "")

    def find_widget(self, x: int, y: int) -> tuple[Widget, int, int] | None:
        """Return the innermost widget at this place of the screen, and its origin there."""
        found = find_widget(self.program.widgets, x - self.client.x, y - self.client.y)
        return found and (found[0], x - found[1], y - found[2])

    def list_targets(self) -> list[Target]:
        """Return what can be clicked in it, in the coordinates of the screen."""
        frame = [Target("Frame", name, rect) for name, rect in self.buttons().items()]
        return frame + place_targets(self.program.widgets, self.client.x, self.client.y)

    def list_tab_order(self) -> list[Widget]:
        shown = (widget for widget in self.program.widgets if widget.visible)
        return [
            inner
            for widget in shown
            for inner in widget.list_inner()
            if inner.takes_focus and inner.enabled
        ]

    def move_focus(self, step: int) -> None:
        """Move the focus to the next widget, or to the one before."""
        order = self.list_tab_order()
        if self.focus in order:
            self.focus = order[(order.index(self.focus) + step) % len(order)]
        elif order:
            self.focus = order[0 if step > 0 else -1]

    def draw(self, p: Painter, active: bool, hot: str) -> None:
        """`hot` is the button of the frame that the pointer is on."""
        radius = 0 if self.restore else 10
        if radius:
            p.shadow(self.rect)
        p.fill(self.rect, FAINT if active else LINE, radius)
        with p.clip(self.rect.shrink(1), max(radius - 1, 0)) as inner:
            frame = inner.at(-self.rect.x - 1, -self.rect.y - 1)
            self._draw_title(frame, active, hot)
            client = frame.at(self.client.x, self.client.y)
            self.program.draw_background(client, Rect(0, 0, self.client.w, self.client.h))
            for widget in self.program.widgets:
                if widget.visible:
                    widget.draw(client.at(widget.rect.x, widget.rect.y))

    def _draw_title(self, p: Painter, active: bool, hot: str) -> None:
        bar = Rect(self.rect.x, self.rect.y, self.rect.w, TITLE_PX)
        p.fill(bar, PAPER if active else PANEL)
        p.fill(Rect(bar.x, bar.bottom - 1, bar.w, 1), LINE)
        p.draw_picture(bar.x + 12, bar.mid - 10, icons.icon(self.program.icon, 20))
        room = bar.w - 52 - BUTTON_PX * len(self.buttons())
        p.text(bar.x + 42, bar.mid, self.program.title, INK if active else SOFT, width=room)
        for name, rect in self.buttons().items():
            if name == hot:
                p.fill(rect.shrink(4), RED if name == "close" else LINE, 6)
            shown = "close-hover" if name == hot == "close" else name
            p.draw_picture(rect.x + 13, rect.mid - 10, icons.icon(shown, 20))


class WindowManager:
    """`windows` are in the order in which they are drawn; the last one that shows is active."""

    clipboard = ""
    menu: Menu | None = None

    def __init__(self, pc: Hardware, programs: Mapping[str, type[Program]]) -> None:
        self.pc, self.programs = pc, programs
        self.windows: list[Window] = []
        self._numbers = itertools.count()

    @property
    def listed(self) -> dict[str, type[Program]]:
        """Programs with an icon on the desktop and a line in the Start menu."""
        return {name: program for name, program in self.programs.items() if program.listed}

    @property
    def area(self) -> Rect:
        """The screen without the taskbar."""
        return Rect(0, 0, self.pc.size[0], self.pc.size[1] - TASKBAR_PX)

    def fit_windows(self) -> None:
        """Shrink and move the windows so that all of them fit on the screen."""
        area = self.area
        for window in self.windows:
            x, y, width, height = window.rect
            width, height = min(width, area.w), min(height, area.h)
            left, top = min(x, area.w - width), min(y, area.h - height)
            window.place(area if window.restore else Rect(left, top, width, height))

    @property
    def active(self) -> Window | None:
        return next((w for w in reversed(self.windows) if not w.minimised), None)

    def find_window(self, x: int, y: int) -> Window | None:
        shown = (w for w in reversed(self.windows) if not w.minimised)
        return next((w for w in shown if w.rect.contains(x, y)), None)

    def find_running(self, name: str) -> Window | None:
        return next((w for w in self.windows if w.program.name == name and not w.owner), None)

    def start(self, name: str, path: str = "") -> None:
        """Open a program by its name; it takes a moment, as the scenario says."""
        self.pc.call_later(self.pc.scenario.delay, lambda: self.launch(name, path))

    def after_launch(self, name: str) -> None:
        """Do what follows when a program was opened by its name."""

    def launch(self, name: str, path: str = "") -> Window:
        window = self.open(self.programs[name](self))
        if path:
            window.program.load(path)
        self.after_launch(name)
        return window

    def open(self, program: Program, owner: Window | None = None) -> Window:
        """Show a program in a new window; a dialog stands in the middle of its owner."""
        width = min(program.size[0], self.area.w)
        height = min(program.size[1], self.area.h)
        place = self._find_place(width, height, owner)
        window = program.window = Window(program, place, next(self._numbers), owner)
        self.windows.append(window)
        window.place(place)
        window.focus = program.first
        self.menu = None
        return window

    def _find_place(self, width: int, height: int, owner: Window | None) -> Rect:
        around = owner.rect if owner else self.area
        x, y = around.x + (around.w - width) // 2, around.y + (around.h - height) // 2
        if not owner:
            step = sum(not w.owner for w in self.windows) % 6
            x, y = (
                x + 32 * step - 10 + self.pc.pick_jitter(),
                y + 28 * step - 30 + self.pc.pick_jitter(),
            )
        return Rect(x, y, width, height).clamp(self.area)

    def close(self, window: Window) -> None:
        """Close it and all that belongs to it, without a question."""
        for dialog in [w for w in self.windows if w.owner is window]:
            self.close(dialog)
        if window in self.windows:
            self.windows.remove(window)
        if window.owner:
            self.bring_to_front(window.owner)

    def ask_close(self, window: Window) -> None:
        if window.program.confirm_close():
            self.close(window)

    def bring_to_front(self, window: Window) -> None:
        """Bring a window to the front, with the dialog that it waits for."""
        if window not in self.windows:
            return
        window.minimised = False
        self.windows.remove(window)
        self.windows.append(window)
        for dialog in [w for w in self.windows if w.owner is window]:
            self.bring_to_front(dialog)

    def minimise(self, window: Window) -> None:
        window.minimised = True
        self.windows.remove(window)
        self.windows.insert(0, window)

    def is_blocked(self, window: Window) -> bool:
        return any(w.owner is window for w in self.windows)

    def pop_up(self, items: list[Item], x: int, y: int, owner: object = None) -> None:
        """Show a menu there, or as near as all of it fits on the screen."""
        self.menu = Menu(items, x, y, owner)
        self.menu.rect = self.menu.rect.clamp(self.area)

    def press_key(self, window: Window, event: KeyDown) -> None:
        """Offer a key to the focused widget, to the program, and to the Tab order."""
        focus = window.focus
        if focus and focus.visible and (self._use_clipboard(focus, event) or focus.key(event)):
            return
        if not window.program.key(event) and event.chord in ("tab", "shift+tab"):
            window.move_focus(-1 if "shift" in event.mods else 1)

    def _use_clipboard(self, focus: Widget, event: KeyDown) -> bool:
        """Return whether it was a key for the clipboard."""
        if event.chord == "ctrl+v":
            focus.paste(self.clipboard)
        elif event.chord in ("ctrl+c", "ctrl+x") and focus.copy():
            self.clipboard = focus.copy()
            if event.chord == "ctrl+x":
                focus.paste("")
        else:
            return False
        return True
