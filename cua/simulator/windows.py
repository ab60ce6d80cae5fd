"""Windows, the programs in them, and their order on the desktop."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from .hardware import Hardware
from .menu import Item, Menu
from .paint import FAINT, INK, LINE, PANEL, PAPER, RED, SOFT, Painter, Rect
from .usbhost import KeyDown
from .widgets import Button, Position, Widget

TITLE_PX, BUTTON_PX, TASKBAR_PX = 40, 46, 48


class Program(Widget):
    """The content of a window. Subclasses set `children` and place them in `layout`."""

    name = ""
    icon = ""
    size = (760, 500)
    resizable = True
    ground = PANEL
    listed = True
    """Whether the program has an icon on the desktop and a line in the Start menu."""
    window: Window
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

    def draw_background(self, p: Painter) -> None:
        """Draw behind the widgets, on the window's colour."""

    def draw(self, p: Painter) -> None:
        p.fill(self.area, self.ground)
        self.draw_background(p)
        super().draw(p)

    def load(self, path: str) -> None:
        """Show this file."""

    def menu_items(self, _widget: Widget) -> list[Item]:
        """Return the menu for a right click on this widget."""
        return []

    def confirm_close(self) -> bool:
        """Return whether the window may be closed now; ask about unsaved work."""
        return True

    def describe_state(self) -> dict[str, Any]:
        """Return the state of this program, for checkers."""
        return {}

    def close(self) -> None:
        self.desktop.close(self.window)


class TitleButton(Button):
    """A button in a window's title bar; `text` is the name of its picture."""

    takes_focus = False

    def draw(self, p: Painter) -> None:
        hovered, is_close = p.is_hovered(self), self.text == "close"
        if hovered:
            p.fill(self.area.shrink(4), RED if is_close else LINE, 6)
        p.draw_icon(
            13, self.area.mid - 10, "close-hover" if hovered and is_close else self.text, 20
        )


class Window(Widget):
    """A window with a program. `owner` is the window that waits for this dialog."""

    minimised = False
    restore: Rect | None = None
    """The rectangle to restore; set while the window is maximised."""
    _grip = (0, 0)

    def __init__(self, program: Program, number: int, owner: Window | None) -> None:
        self.program, self.number, self.owner = program, number, owner
        self.desktop = program.desktop
        self.focus = program.first
        acts = {"close": lambda: self.desktop.ask_close(self)}
        if program.resizable:
            acts["maximise"] = self.maximise
            acts["minimise"] = lambda: self.desktop.minimise(self)
        self.buttons = [TitleButton(name, act) for name, act in acts.items()]
        self.children = [*self.buttons, program]

    def place(self, rect: Rect) -> None:
        self.rect = rect
        for i, button in enumerate(self.buttons, 1):
            button.rect = Rect(rect.w - i * BUTTON_PX, 0, BUTTON_PX, TITLE_PX)
        inner = Rect(1, TITLE_PX, rect.w - 2, rect.h - TITLE_PX - 1)
        if self.program.rect != inner:
            self.program.rect = inner
            self.program.layout(inner.w, inner.h)

    def maximise(self) -> None:
        """Fill the screen, or restore the previous size."""
        rect, self.restore = self.restore or self.desktop.area, None if self.restore else self.rect
        self.place(rect)

    def press(self, at: Position) -> None:
        if at.clicks == 2 and self.program.resizable:
            self.maximise()
        self._grip = (self.rect.x - at.x, self.rect.y - at.y)

    def drag(self, at: Position) -> None:
        if not self.restore:
            y = min(max(at.y + self._grip[1], 0), self.desktop.area.h - TITLE_PX)
            self.place(Rect(at.x + self._grip[0], y, self.rect.w, self.rect.h))

    def move_focus(self, step: int) -> None:
        order = [w for w in self.program.list_inner() if w.takes_focus and w.enabled]
        if self.focus in order:
            self.focus = order[(order.index(self.focus) + step) % len(order)]
        elif order:
            self.focus = order[0 if step > 0 else -1]

    def draw(self, p: Painter) -> None:
        active = self is self.desktop.active
        p.marks.focus = self.focus if active and not self.desktop.menu else None
        radius = 0 if self.restore else 10
        if radius:
            p.shadow(self.area)
        p.fill(self.area, FAINT if active else LINE, radius)
        with p.clip(self.area.shrink(1), max(radius - 1, 0)) as clipped:
            inner = clipped.at(-1, -1)
            self._draw_title(inner, active)
            super().draw(inner)

    def _draw_title(self, p: Painter, active: bool) -> None:
        bar = Rect(0, 0, self.rect.w, TITLE_PX)
        p.fill(bar, PAPER if active else PANEL)
        p.fill(Rect(0, bar.bottom - 1, bar.w, 1), LINE)
        p.draw_icon(12, bar.mid - 10, self.program.icon, 20)
        room = bar.w - 52 - BUTTON_PX * len(self.buttons)
        p.text(42, bar.mid, self.program.title, INK if active else SOFT, width=room)


class WindowManager:
    """The windows in their drawing order. The last visible one is active and has the keys, unless
    an icon is selected.
    """

    clipboard = selected_icon = ""
    menu: Menu | None = None

    def __init__(self, pc: Hardware, programs: Mapping[str, type[Program]]) -> None:
        self.pc, self.programs = pc, programs
        self.windows: list[Window] = []
        self._numbers = itertools.count()

    @property
    def listed(self) -> dict[str, type[Program]]:
        return {name: program for name, program in self.programs.items() if program.listed}

    @property
    def area(self) -> Rect:
        """The screen without the taskbar."""
        return Rect(0, 0, self.pc.size[0], self.pc.size[1] - TASKBAR_PX)

    def switch_mode(self, width: int, height: int) -> None:
        """Change the screen's resolution; shrink and move the windows that do not fit."""
        self.pc.size = (width, height)
        self.pc.host.pointer.resize(width, height)
        area = self.area
        for window in self.windows:
            x, y, w, h = window.rect
            fitted = Rect(x, y, min(w, area.w), min(h, area.h)).clamp(area)
            window.place(area if window.restore else fitted)

    @property
    def shown(self) -> list[Window]:
        return [window for window in self.windows if not window.minimised]

    @property
    def active(self) -> Window | None:
        return self.shown[-1] if self.shown and not self.selected_icon else None

    def find_window(self, x: int, y: int) -> Window | None:
        return next((w for w in reversed(self.shown) if w.rect.contains(x, y)), None)

    def close_menu(self) -> None:
        self.menu = None

    def start(self, name: str, path: str = "") -> None:
        """Open a program by its name, after the scenario's delay."""
        self.pc.call_later(self.pc.scenario.delay, lambda: self.launch(name, path))

    def launch(self, name: str, path: str = "") -> Window:
        window = self.open(self.programs[name](self))
        if path:
            window.program.load(path)
        return window

    def open(self, program: Program, owner: Window | None = None) -> Window:
        """Show a program in a new window; a dialog is centred on its owner."""
        width = min(program.size[0], self.area.w)
        height = min(program.size[1], self.area.h)
        place = self._find_place(width, height, owner)
        window = program.window = Window(program, next(self._numbers), owner)
        self.windows.append(window)
        window.place(place)
        self.menu, self.selected_icon = None, ""
        return window

    def _find_place(self, width: int, height: int, owner: Window | None) -> Rect:
        around = owner.rect if owner else self.area
        x, y = around.x + (around.w - width) // 2, around.y + (around.h - height) // 2
        if not owner:
            step = sum(not w.owner for w in self.windows) % 6
            x += 32 * step - 10 + self.pc.pick_jitter()
            y += 28 * step - 30 + self.pc.pick_jitter()
        return Rect(x, y, width, height).clamp(self.area)

    def close(self, window: Window) -> None:
        """Close a window and its dialogs without asking."""
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
        """Bring a window to the front, with its dialog."""
        self.selected_icon = ""
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
        """Show a menu at this place, or at the nearest one where all of it is visible."""
        self.menu = Menu(items, x, y, self.close_menu, owner)
        self.menu.rect = self.menu.rect.clamp(self.area)

    def press_key(self, window: Window, event: KeyDown) -> None:
        """Offer a key to the focused widget, then to the program, then to the Tab order."""
        focus = window.focus
        if focus and focus.visible and (self._use_clipboard(focus, event) or focus.key(event)):
            return
        if not window.program.key(event) and event.chord in ("tab", "shift+tab"):
            window.move_focus(-1 if "shift" in event.mods else 1)

    def _use_clipboard(self, focus: Widget, event: KeyDown) -> bool:
        if event.chord == "ctrl+v":
            focus.paste(self.clipboard)
        elif event.chord in ("ctrl+c", "ctrl+x") and focus.copy():
            self.clipboard = focus.copy()
            if event.chord == "ctrl+x":
                focus.paste("")
        else:
            return False
        return True
