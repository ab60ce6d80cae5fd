"""Notepad: one text, its File menu, and the question about unsaved work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dialogs import AskName, MessageDialog, show_message
from ..disk import base, kind
from ..file_actions import OPENS
from ..menu import Item
from ..paint import LINE, PANEL, PAPER, SOFT, Painter, Rect, text_width
from ..textbox import TextArea
from ..usbhost import KeyDown
from ..widgets import Spot, Widget
from ..windows import Program, WindowManager

BAR, STATUS = 36, 30


class MenuTitle(Widget):
    """A word of the menu bar; a press opens its menu."""

    def __init__(self, text: str, opened: Callable[[MenuTitle], None]) -> None:
        self.text, self.opened = text, opened

    @property
    def width(self) -> int:
        return int(text_width(self.text)) + 28

    def draw(self, p: Painter) -> None:
        if p.hovered(self):
            p.fill(self.area.shrunk(3), LINE, 5)
        p.text(self.rect.w // 2, self.rect.h // 2, self.text, anchor="middle")

    def press(self, _at: Spot) -> None:
        self.opened(self)


class Notepad(Program):
    name = "Notepad"
    icon = "notepad"
    size = (760, 500)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.path = ""
        self.saved = ""
        self.area = TextArea()
        self.menus = [MenuTitle("File", self._open_menu), MenuTitle("Edit", self._open_menu)]
        self.widgets = [*self.menus, self.area]
        self.first = self.area

    @property
    def unsaved(self) -> bool:
        return self.area.value != self.saved

    @property
    def title(self) -> str:
        return f"{'*' if self.unsaved else ''}{base(self.path) or 'Untitled'} - Notepad"

    def layout(self, width: int, height: int) -> None:
        left = 6
        for menu in self.menus:
            menu.rect = Rect(left, 0, menu.width, BAR)
            left += menu.width
        self.area.rect = Rect(0, BAR, width, height - BAR - STATUS)

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PANEL)
        p.fill(Rect(0, 0, area.w, BAR), PAPER)
        p.fill(Rect(0, BAR - 1, area.w, 1), LINE)
        p.fill(Rect(0, area.h - STATUS, area.w, 1), LINE)
        before = self.area.value[: self.area.edit.caret]
        column = len(before) - before.rfind("\n")
        place = f"Line {before.count(chr(10)) + 1}, column {column}"
        p.text(16, area.h - STATUS // 2, place, SOFT, 15)

    def _open_menu(self, menu: MenuTitle) -> None:
        at = self.window.client
        items = self._file_items() if menu.text == "File" else self._edit_items()
        self.desktop.pop_up(items, at.x + menu.rect.x, at.y + BAR, menu)

    def _file_items(self) -> list[Item]:
        return [
            Item("New", lambda: self._then(self.new)),
            Item("Open...", lambda: self._then(self.ask_open)),
            Item("Save", self.save),
            Item("Save As...", self.ask_save),
            Item("Exit", lambda: self.desktop.ask_close(self.window)),
        ]

    def _edit_items(self) -> list[Item]:
        chords = {"Undo": "z", "Cut": "x", "Copy": "c", "Paste": "v", "Select all": "a"}
        return [Item(text, self._edit_act(letter)) for text, letter in chords.items()]

    def _edit_act(self, letter: str) -> Callable[[], None]:
        event = KeyDown(letter, "", frozenset({"ctrl"}))
        return lambda: self.desktop.press_key(self.window, event)

    def context(self, widget: Widget, x: int, y: int) -> None:
        if widget is self.area:
            self.desktop.pop_up(self._edit_items(), x, y)

    def key(self, event: KeyDown) -> bool:
        acts: dict[str, Callable[[], None]] = {
            "ctrl+s": self.save,
            "ctrl+shift+s": self.ask_save,
            "ctrl+o": lambda: self._then(self.ask_open),
            "ctrl+n": lambda: self._then(self.new),
            "alt+f": lambda: self._open_menu(self.menus[0]),
        }
        if event.chord not in acts:
            return False
        acts[event.chord]()
        return True

    def new(self) -> None:
        self.path = self.saved = ""
        self.area.edit.set("")

    def load(self, path: str) -> None:
        if path not in self.desktop.pc.disk.files or kind(path) not in OPENS:
            show_message(self.desktop, self.window, "Open", f"{path} was not found.", "error")
            return
        self.path = path
        self.saved = self.desktop.pc.disk.files[path]
        self.area.edit.set(self.saved)
        self.area.edit.go(0)

    def ask_open(self) -> None:
        dialog = AskName(self.desktop, "Open", "File name:", "Documents/", "Open", self.load)
        self.desktop.open(dialog, self.window)

    def save(self) -> None:
        if self.path:
            self._write(self.path)
        else:
            self.ask_save()

    def ask_save(self, after: Callable[[], None] | None = None) -> None:
        def save(name: str) -> None:
            path = name if "/" in name else f"Documents/{name}"
            self._ask_replace(path if "." in base(path) else path + ".txt", after)

        value = base(self.path) or "Untitled.txt"
        dialog = AskName(self.desktop, "Save as", "File name:", value, "Save", save)
        self.desktop.open(dialog, self.window)

    def _ask_replace(self, path: str, after: Callable[[], None] | None) -> None:
        if path == self.path or not self.desktop.pc.disk.exists(path):
            self._write(path, after)
            return
        text = f"{base(path)} exists already. Do you want to replace it?"
        buttons = {"Replace": lambda: self._write(path, after), "Cancel": lambda: None}
        dialog = MessageDialog(self.desktop, "Replace file?", text, buttons, "question")
        self.desktop.open(dialog, self.window)

    def _write(self, path: str, after: Callable[[], None] | None = None) -> None:
        self.path, self.saved = path, self.area.value
        self.desktop.pc.disk.write(path, self.saved)
        if after:
            after()

    def closing(self) -> bool:
        if self.unsaved:
            self._then(self.close)
        return not self.unsaved

    def _then(self, act: Callable[[], None]) -> None:
        """Go on with something that forgets the text, after the question about it."""
        if not self.unsaved:
            act()
            return
        text = f"Do you want to save the changes to {base(self.path) or 'Untitled'}?"
        buttons = {"Save": lambda: self._save_then(act), "Don't save": act, "Cancel": lambda: None}
        dialog = MessageDialog(self.desktop, "Save changes?", text, buttons, "question")
        self.desktop.open(dialog, self.window)

    def _save_then(self, act: Callable[[], None]) -> None:
        if self.path:
            self._write(self.path, act)
        else:
            self.ask_save(act)

    def facts(self) -> dict[str, Any]:
        return {"text": self.area.value, "file": self.path, "unsaved": self.unsaved}
