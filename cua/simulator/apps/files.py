"""Files: the folders of the disk and their entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dialogs import NameDialog
from ..disk import base_name, file_icon, file_kind, join_path, parent_folder
from ..file_actions import ask_delete, ask_rename, file_menu, open_path
from ..menu import Item
from ..paint import LINE, PAPER, SOFT, Painter, Rect
from ..scroll_view import ListBox, Row
from ..usbhost import KeyDown
from ..widgets import Button, IconButton, Widget
from ..windows import Program, WindowManager

PLACES = ("", "Desktop", "Documents", "Downloads", "Pictures", "Reports")
TOP, SIDE, STATUS = 58, 180, 32


class Files(Program):
    name = "Files"
    icon = "folder"
    size = (820, 520)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.folder = ""
        self.up = IconButton("up", self._up)
        self.new = Button("New folder", self._ask_new)
        rows = [Row((base_name(place) or "Home",), "folder", place) for place in PLACES]
        self.places = ListBox(rows, on_choose=self._go_place)
        self.list = self.first = ListBox([], on_open=self._open)
        self.children = [self.up, self.new, self.places, self.list]
        self.load("")

    @property
    def selected(self) -> str:
        """The path of the selected entry; "" for none."""
        return self.list.row.path if self.list.row else ""

    def load(self, path: str) -> None:
        self.folder = path
        self.list.index, self.list.offset = -1, 0
        self.places.index = PLACES.index(path) if path in PLACES else -1
        self._refresh()

    def _refresh(self) -> None:
        """Read the disk again; the selection stays."""
        selected, disk = self.selected, self.desktop.pc.disk
        folders, files = disk.list_folder(self.folder)
        rows = [Row((base_name(p), "Folder", ""), "folder", p) for p in folders]
        rows += [
            Row((base_name(p), file_kind(p), f"{len(disk.files[p])} bytes"), file_icon(p), p)
            for p in files
        ]
        self.list.rows = rows
        self.list.index = next((i for i, row in enumerate(rows) if row.path == selected), -1)

    def layout(self, width: int, height: int) -> None:
        self.up.rect = Rect(12, 10, 38, 38)
        self.new.rect = Rect(width - self.new.width - 14, 10, self.new.width, 38)
        self.places.rect = Rect(12, TOP, SIDE, height - TOP - STATUS)
        left = SIDE + 24
        self.list.rect = Rect(left, TOP, width - left - 12, height - TOP - STATUS)
        room = self.list.rect.w
        self.list.columns = [0, room * 52 // 100, room * 78 // 100]

    def draw_background(self, p: Painter) -> None:
        self._refresh()
        box = Rect(62, 10, self.new.rect.x - 76, 38)
        p.box(box, PAPER, LINE)
        place = "Home / " + self.folder.replace("/", " / ") if self.folder else "Home"
        p.text(box.x + 12, box.mid, place, width=box.w - 20)
        count = f"{len(self.list.rows)} items"
        p.text(16, self.area.h - STATUS // 2, count, SOFT, 15)

    def _up(self) -> None:
        self.load(parent_folder(self.folder))

    def _go_place(self) -> None:
        if self.places.row:
            self.load(self.places.row.path)

    def _open(self) -> None:
        if self.selected in self.desktop.pc.disk.folders:
            self.load(self.selected)
        else:
            open_path(self.desktop, self.selected)

    def _ask_new(self) -> None:
        words = ("New folder", "Folder name:", "Create")
        dialog = NameDialog(self.desktop, words, "New folder", self._make_folder)
        self.desktop.open(dialog, self.window)

    def _make_folder(self, name: str) -> None:
        disk = self.desktop.pc.disk
        disk.folders.add(disk.find_free_path(join_path(self.folder, name)))

    def menu_items(self, widget: Widget) -> list[Item]:
        if widget is not self.list:
            return []
        items = [Item("New folder", self._ask_new)]
        if self.selected:
            items = file_menu(self.desktop, self.window, self.selected)
            items[0].act = self._open
        return items

    def key(self, event: KeyDown) -> bool:
        if event.chord == "backspace":
            self._up()
            return True
        acts: dict[str, Callable[..., None]] = {"delete": ask_delete, "f2": ask_rename}
        if event.chord not in acts or not self.selected:
            return False
        acts[event.chord](self.desktop, self.window, self.selected)
        return True

    def describe_state(self) -> dict[str, Any]:
        entries = [row.path for row in self.list.rows]
        return {"folder": self.folder, "entries": entries, "selected": self.selected}
