"""Notepad: one text, its File menu, and the question about unsaved work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..dialogs import NameDialog, ask, show_message
from ..disk import base_name, file_kind
from ..file_actions import OPENS
from ..menu import Item
from ..paint import LINE, PAPER, SOFT, Painter, Rect, label_width
from ..textbox import TextArea
from ..usbhost import KeyDown
from ..widgets import Act, Position, Widget, do_nothing
from ..windows import Program, WindowManager

BAR_PX, STATUS_PX = 36, 30


class MenuTitle(Widget):
    def __init__(self, text: str, opened: Callable[[MenuTitle], None]) -> None:
        self.text, self.opened = text, opened

    @property
    def width(self) -> int:
        return label_width(self.text) + 28

    def draw(self, p: Painter) -> None:
        if p.is_hovered(self):
            p.fill(self.area.shrink(3), LINE, 5)
        p.text(self.rect.w // 2, self.rect.h // 2, self.text, anchor="middle")

    def press(self, _at: Position) -> None:
        self.opened(self)


class Notepad(Program):
    name = "Notepad"
    icon = "notepad"
    size = (760, 500)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.path = self.saved = ""
        self.editor = self.first = TextArea()
        self.menus = [MenuTitle("File", self._open_menu), MenuTitle("Edit", self._open_menu)]
        self.children = [*self.menus, self.editor]

    @property
    def unsaved(self) -> bool:
        return self.editor.text != self.saved

    @property
    def title(self) -> str:
        return f"{'*' if self.unsaved else ''}{base_name(self.path) or 'Untitled'} - Notepad"

    def layout(self, width: int, height: int) -> None:
        left = 6
        for menu in self.menus:
            menu.rect = Rect(left, 0, menu.width, BAR_PX)
            left += menu.width
        self.editor.rect = Rect(0, BAR_PX, width, height - BAR_PX - STATUS_PX)

    def draw_background(self, p: Painter) -> None:
        p.fill(Rect(0, 0, self.area.w, BAR_PX), PAPER)
        p.fill(Rect(0, BAR_PX - 1, self.area.w, 1), LINE)
        p.fill(Rect(0, self.area.h - STATUS_PX, self.area.w, 1), LINE)
        before = self.editor.text[: self.editor.caret]
        column = len(before) - before.rfind("\n")
        place = f"Line {before.count(chr(10)) + 1}, column {column}"
        p.text(16, self.area.h - STATUS_PX // 2, place, SOFT, 15)

    def _open_menu(self, menu: MenuTitle) -> None:
        items = self._file_items() if menu.text == "File" else self._edit_items()
        x, y = self.window.rect.x + self.rect.x, self.window.rect.y + self.rect.y
        self.desktop.pop_up(items, x + menu.rect.x, y + BAR_PX, menu)

    def _file_items(self) -> list[Item]:
        return [
            Item("New", lambda: self._save_first(self.new)),
            Item("Open...", lambda: self._save_first(self.ask_open)),
            Item("Save", self.save),
            Item("Save As...", self.ask_save),
            Item("Exit", lambda: self.desktop.ask_close(self.window)),
        ]

    def _edit_items(self) -> list[Item]:
        chords = {"Undo": "z", "Cut": "x", "Copy": "c", "Paste": "v", "Select all": "a"}
        return [Item(text, partial(self._press_ctrl, letter)) for text, letter in chords.items()]

    def _press_ctrl(self, letter: str) -> None:
        self.desktop.press_key(self.window, KeyDown(letter, "", frozenset({"ctrl"})))

    def menu_items(self, widget: Widget) -> list[Item]:
        return self._edit_items() if widget is self.editor else []

    def key(self, event: KeyDown) -> bool:
        acts: dict[str, Act] = {
            "ctrl+s": self.save,
            "ctrl+shift+s": self.ask_save,
            "ctrl+o": lambda: self._save_first(self.ask_open),
            "ctrl+n": lambda: self._save_first(self.new),
            "alt+f": lambda: self._open_menu(self.menus[0]),
        }
        if event.chord in acts:
            acts[event.chord]()
        return event.chord in acts

    def new(self) -> None:
        self.path = self.saved = ""
        self.editor.set_text("")

    def load(self, path: str) -> None:
        if path not in self.desktop.pc.disk.files or file_kind(path) not in OPENS:
            show_message(self.desktop, self.window, "Open", f"{path} was not found.", "error")
            return
        self.path = path
        self.saved = self.desktop.pc.disk.files[path]
        self.editor.set_text(self.saved)
        self.editor.move_to(0)

    def ask_open(self) -> None:
        words = ("Open", "File name:", "Open")
        dialog = NameDialog(self.desktop, words, "Documents/", self.load)
        self.desktop.open(dialog, self.window)

    def save(self, after: Act = do_nothing) -> None:
        if self.path:
            self._write(self.path, after)
        else:
            self.ask_save(after)

    def ask_save(self, after: Act = do_nothing) -> None:
        def save(name: str) -> None:
            path = name if "/" in name else f"Documents/{name}"
            self._ask_replace(path if "." in base_name(path) else path + ".txt", after)

        words = ("Save as", "File name:", "Save")
        dialog = NameDialog(self.desktop, words, base_name(self.path) or "Untitled.txt", save)
        self.desktop.open(dialog, self.window)

    def _ask_replace(self, path: str, after: Act) -> None:
        if path == self.path or not self.desktop.pc.disk.exists(path):
            self._write(path, after)
            return
        text = f"{base_name(path)} exists already. Do you want to replace it?"
        acts: dict[str, Act] = {"Replace": lambda: self._write(path, after)}
        ask(self.desktop, self.window, "Replace file?", text, acts)

    def _write(self, path: str, after: Act) -> None:
        self.path, self.saved = path, self.editor.text
        self.desktop.pc.disk.write(path, self.saved)
        after()

    def confirm_close(self) -> bool:
        if self.unsaved:
            self._save_first(self.close)
        return not self.unsaved

    def _save_first(self, act: Act) -> None:
        """Ask about unsaved changes before `act`, which discards the text."""
        if not self.unsaved:
            act()
            return
        text = f"Do you want to save the changes to {base_name(self.path) or 'Untitled'}?"
        acts: dict[str, Act] = {"Save": lambda: self.save(act), "Don't save": act}
        ask(self.desktop, self.window, "Save changes?", text, acts)

    def describe_state(self) -> dict[str, Any]:
        return {"text": self.editor.text, "file": self.path, "unsaved": self.unsaved}
