"""The wallpaper and the icons on it: programs, and the files of the Desktop folder."""

from __future__ import annotations

from functools import partial

from . import icons
from .disk import base_name, file_icon
from .file_actions import ask_delete, file_menu, open_path
from .menu import Item
from .paint import BLACK, WHITE, Painter, Rect
from .usbhost import KeyDown
from .widgets import Act, Position, Widget
from .windows import WindowManager

CELL_W, CELL_H = 120, 106
SELECTED = (45, 90, 190)


class Icon(Widget):
    """An icon that a click selects and a double click opens; `path` is set for files."""

    def __init__(
        self, desktop: WindowManager, text: str, icon: str, act: Act, path: str = ""
    ) -> None:
        self.desktop, self.text, self.icon, self.open, self.path = desktop, text, icon, act, path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Icon) and (other.text, other.path) == (self.text, self.path)

    def draw(self, p: Painter) -> None:
        if self.text == self.desktop.selected_icon:
            p.fill(self.area, SELECTED, 8)
        middle = self.rect.w // 2
        p.draw_icon(middle - 26, 8, self.icon, 52)
        for by, color in ((1, BLACK), (0, WHITE)):
            p.text(middle + by, 80 + by, self.text, color, 16, False, "middle", self.rect.w)

    def press(self, at: Position) -> None:
        self.desktop.selected_icon = self.text
        if at.clicks == 2:
            self.open()


class Wallpaper(Widget):
    """The background with icons in columns from the top left."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop

    def draw(self, p: Painter) -> None:
        p.image.paste(icons.wallpaper(self.rect.w, self.rect.h))
        super().draw(p)

    def press(self, _at: Position) -> None:
        self.desktop.selected_icon = ""

    @property
    def _rows(self) -> int:
        return max(self.desktop.area.h // CELL_H, 1)

    def list_icons(self) -> list[Icon]:
        found = self._programs() + self._files()
        for i, each in enumerate(found):
            x, y = 10 + i // self._rows * CELL_W, 14 + i % self._rows * CELL_H
            each.rect = Rect(x, y, CELL_W - 8, CELL_H - 8)
        return found

    def _programs(self) -> list[Icon]:
        desktop = self.desktop
        programs = [(name, program.icon, name) for name, program in desktop.listed.items()]
        alike = [(i["label"], i["icon"], i["opens"]) for i in desktop.pc.scenario.icons]
        found = [
            Icon(desktop, label, icon, partial(desktop.start, opens))
            for label, icon, opens in programs + alike
        ]
        return desktop.pc.shuffle(found)

    def _files(self) -> list[Icon]:
        desktop = self.desktop
        folders, files = desktop.pc.disk.list_folder("Desktop")
        shown = {path: "folder" for path in folders} | {path: file_icon(path) for path in files}
        return [
            Icon(desktop, base_name(path), icon, partial(open_path, desktop, path), path)
            for path, icon in shown.items()
        ]

    def menu_items(self, widget: Widget) -> list[Item]:
        """Return the menu for a right click on an icon or on the wallpaper."""
        desktop = self.desktop
        if isinstance(widget, Icon):
            opens = [Item("Open", widget.open)]
            return file_menu(desktop, None, widget.path) if widget.path else opens
        return [
            Item("Refresh"),
            Item("New text file", self._new_file),
            Item("Open Terminal", partial(desktop.start, "Terminal")),
            Item("Network settings", partial(desktop.start, "Network")),
        ]

    def _new_file(self) -> None:
        disk = self.desktop.pc.disk
        disk.write(disk.find_free_path("Desktop/New file.txt"), "")

    def select_by_key(self, event: KeyDown) -> None:
        """Handle a key while no window is active."""
        desktop, found = self.desktop, self.list_icons()
        labels = [each.text for each in found]
        at = labels.index(desktop.selected_icon) if desktop.selected_icon in labels else -1
        steps = {"up": -1, "down": 1, "left": -self._rows, "right": self._rows}
        if event.key in steps:
            desktop.selected_icon = labels[min(max(at + steps[event.key], 0), len(labels) - 1)]
        elif event.chord == "enter" and at >= 0:
            found[at].open()
        elif event.chord == "delete" and at >= 0 and (path := found[at].path):
            ask_delete(desktop, None, path)
