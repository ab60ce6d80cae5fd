"""The wallpaper and the icons that lie on it: programs, and the files of the Desktop folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageOps

from . import icons
from .disk import base, icon_of
from .file_actions import file_menu, open_path
from .menu import Item
from .paint import BLACK, WHITE, Painter, Rect
from .usbhost import KeyDown, Pressed
from .widgets import Target
from .window_manager import WindowManager

PAINTED = (1280, 720)
CELL_W, CELL_H = 120, 106
SELECTED = (45, 90, 190)
GROUND, GLOWS = (
    (18, 40, 84),
    (
        ((38, 120, 160), 0.10, 0.95, 0.75),
        ((88, 70, 190), 0.95, 0.05, 0.80),
        ((20, 24, 70), 0.00, 0.00, 0.60),
        ((30, 90, 170), 0.60, 0.55, 0.45),
        ((150, 70, 150), 1.05, 0.90, 0.50),
    ),
)
"""The ground colour, and soft discs on it: colour, centre and radius in parts of the width."""


@lru_cache(2)
def wallpaper(width: int, height: int) -> Image.Image:
    """A few soft colours flowing into each other; enlarged, as painting much of it takes long."""
    if width > PAINTED[0]:
        return wallpaper(*PAINTED).resize((width, height))
    picture = Image.new("RGB", (width, height), GROUND)
    disc = ImageOps.invert(Image.radial_gradient("L")).point(lambda v: max(v - 74, 0))
    for color, x, y, radius in GLOWS:
        side = int(2 * radius * width)
        place = (int(x * width) - side // 2, int(y * height) - side // 2)
        picture.paste(color, place, disc.resize((side, side), Image.Resampling.BICUBIC))
    return picture


@dataclass
class Entry:
    """One icon. `path` is set for files."""

    label: str
    icon: str
    rect: Rect
    open: Callable[[], None]
    path: str = ""


class DesktopIcons:
    """Icons in columns from the top left; a double click opens, a click selects."""

    def __init__(self, desktop: WindowManager) -> None:
        self.desktop = desktop
        self.selected = ""

    def entries(self) -> list[Entry]:
        desktop = self.desktop
        found: list[Entry] = []
        rows = max(desktop.area.h // CELL_H, 1)
        for name, icon, act, path in [*self._programs(), *self._files()]:
            column, row = divmod(len(found), rows)
            rect = Rect(10 + column * CELL_W, 14 + row * CELL_H, CELL_W - 8, CELL_H - 8)
            found.append(Entry(name, icon, rect, act, path))
        return found

    def _programs(self) -> list[tuple[str, str, Callable[[], None], str]]:
        desktop = self.desktop
        shown = [
            (name, program.icon, self._starter(name), "")
            for name, program in desktop.listed.items()
        ]
        alike = [(a.label, a.icon, self._starter(a.opens), "") for a in desktop.pc.scenario.icons]
        return desktop.pc.shuffled([*shown, *alike])

    def _starter(self, name: str) -> Callable[[], None]:
        return lambda: self.desktop.start(name)

    def _files(self) -> list[tuple[str, str, Callable[[], None], str]]:
        desktop = self.desktop
        folders, files = desktop.pc.disk.listing("Desktop")
        return [
            (base(path), "folder" if path in folders else icon_of(path), self._opener(path), path)
            for path in folders + files
        ]

    def _opener(self, path: str) -> Callable[[], None]:
        return lambda: open_path(self.desktop, path)

    def at(self, x: int, y: int) -> str:
        """The label of the icon at this place."""
        return next((e.label for e in self.entries() if e.rect.holds(x, y)), "")

    def targets(self) -> list[Target]:
        return [Target("Icon", entry.label, entry.rect) for entry in self.entries()]

    def draw(self, p: Painter) -> None:
        width, height = self.desktop.pc.size
        p.image.paste(wallpaper(width, height))
        for entry in self.entries():
            self._draw_entry(p, entry)

    def _draw_entry(self, p: Painter, entry: Entry) -> None:
        rect = entry.rect
        if entry.label == self.selected:
            p.fill(rect, SELECTED, 8)
        p.stamp(rect.x + rect.w // 2 - 26, rect.y + 8, icons.icon(entry.icon, 52))
        middle, line = rect.x + rect.w // 2, rect.y + 80
        for dx, dy, color in ((1, 1, BLACK), (0, 0, WHITE)):
            p.text(middle + dx, line + dy, entry.label, color, 16, anchor="middle", width=rect.w)

    def press(self, event: Pressed) -> None:
        found = next((e for e in self.entries() if e.rect.holds(event.x, event.y)), None)
        self.selected = found.label if found else ""
        if event.button == "right":
            self._context(found, event.x, event.y)
        elif found and event.button == "left" and event.clicks == 2:
            found.open()

    def _context(self, entry: Entry | None, x: int, y: int) -> None:
        desktop = self.desktop
        if entry and entry.path:
            desktop.pop_up(file_menu(desktop, None, entry.path), x, y)
        elif entry:
            desktop.pop_up([Item("Open", entry.open)], x, y)
        else:
            items = [
                Item("Refresh"),
                Item("New text file", self._new_file),
                Item("Open Terminal", self._starter("Terminal")),
                Item("Network settings", self._starter("Network")),
            ]
            desktop.pop_up(items, x, y)

    def _new_file(self) -> None:
        disk = self.desktop.pc.disk
        disk.write(disk.free("Desktop/New file.txt"), "")

    def key(self, event: KeyDown) -> None:
        """With no window in front, the keys are for the icons."""
        entries = self.entries()
        labels = [entry.label for entry in entries]
        at = labels.index(self.selected) if self.selected in labels else -1
        rows = max(self.desktop.area.h // CELL_H, 1)
        steps = {"up": -1, "down": 1, "left": -rows, "right": rows}
        if event.key in steps:
            self.selected = labels[min(max(at + steps[event.key], 0), len(labels) - 1)]
        elif event.chord == "enter" and at >= 0:
            entries[at].open()
