"""The wallpaper and the icons that lie on it: programs, and the files of the Desktop folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import icons
from .disk import base_name, file_icon
from .file_actions import file_menu, open_path
from .menu import Item
from .paint import BLACK, NOWHERE, WHITE, Painter, Rect
from .usbhost import KeyDown, Pressed
from .widgets import Target
from .windows import WindowManager

CELL_W, CELL_H = 120, 106
SELECTED = (45, 90, 190)


@dataclass
class Entry:
    """One icon. `path` is set for files."""

    label: str
    icon: str
    open: Callable[[], None]
    path: str = ""
    rect: Rect = NOWHERE


class DesktopIcons:
    """Icons in columns from the top left; a double click opens, a click selects."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop
        self.selected = ""

    @property
    def _rows(self) -> int:
        return max(self.desktop.area.h // CELL_H, 1)

    def list_entries(self) -> list[Entry]:
        entries = self._programs() + self._files()
        for i, entry in enumerate(entries):
            x, y = 10 + i // self._rows * CELL_W, 14 + i % self._rows * CELL_H
            entry.rect = Rect(x, y, CELL_W - 8, CELL_H - 8)
        return entries

    def _programs(self) -> list[Entry]:
        start, pc = self.desktop.start, self.desktop.pc
        shown = [Entry(n, p.icon, partial(start, n)) for n, p in self.desktop.listed.items()]
        alike = [
            Entry(i["label"], i["icon"], partial(start, i["opens"])) for i in pc.scenario.icons
        ]
        return pc.shuffle(shown + alike)

    def _files(self) -> list[Entry]:
        desktop = self.desktop
        folders, files = desktop.pc.disk.list_folder("Desktop")
        icons = {path: "folder" for path in folders} | {path: file_icon(path) for path in files}
        return [
            Entry(base_name(path), icon, partial(open_path, desktop, path), path)
            for path, icon in icons.items()
        ]

    def find_entry(self, x: int, y: int) -> Entry | None:
        return next((entry for entry in self.list_entries() if entry.rect.contains(x, y)), None)

    def list_targets(self) -> list[Target]:
        return [Target("Icon", entry.label, entry.rect) for entry in self.list_entries()]

    def draw(self, p: Painter) -> None:
        p.image.paste(icons.wallpaper(*self.desktop.pc.size))
        for entry in self.list_entries():
            rect = entry.rect
            if entry.label == self.selected:
                p.fill(rect, SELECTED, 8)
            middle, line = rect.x + rect.w // 2, rect.y + 80
            p.draw_picture(middle - 26, rect.y + 8, icons.icon(entry.icon, 52))
            for by, color in ((1, BLACK), (0, WHITE)):
                p.text(middle + by, line + by, entry.label, color, 16, False, "middle", rect.w)

    def press(self, event: Pressed) -> None:
        entry = self.find_entry(event.x, event.y)
        self.selected = entry.label if entry else ""
        if event.button == "right":
            self.desktop.pop_up(self._menu_items(entry), event.x, event.y)
        elif entry and event.button == "left" and event.clicks == 2:
            entry.open()

    def _menu_items(self, entry: Entry | None) -> list[Item]:
        desktop = self.desktop
        if entry:
            return (
                file_menu(desktop, None, entry.path) if entry.path else [Item("Open", entry.open)]
            )
        return [
            Item("Refresh"),
            Item("New text file", self._new_file),
            Item("Open Terminal", partial(desktop.start, "Terminal")),
            Item("Network settings", partial(desktop.start, "Network")),
        ]

    def _new_file(self) -> None:
        disk = self.desktop.pc.disk
        disk.write(disk.find_free_path("Desktop/New file.txt"), "")

    def key(self, event: KeyDown) -> None:
        """Handle a key while no window is in front."""
        entries = self.list_entries()
        labels = [entry.label for entry in entries]
        at = labels.index(self.selected) if self.selected in labels else -1
        steps = {"up": -1, "down": 1, "left": -self._rows, "right": self._rows}
        if event.key in steps:
            self.selected = labels[min(max(at + steps[event.key], 0), len(labels) - 1)]
        elif event.chord == "enter" and at >= 0:
            entries[at].open()
