"""Browser: an address bar, pages that scroll, and downloads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..disk import base_name
from ..paint import ACCENT_DEEP, GREEN, INK, LINE, PAPER, SOFT, TEXT, WHITE, Painter, Rect
from ..scroll_view import ScrollArea
from ..textbox import Field
from ..usbhost import KeyDown
from ..widgets import Button, IconButton, Label, Link, Progress, Widget
from ..windows import Program, WindowManager
from .web import HOME, SEARCH, Block, find_page

TOP_PX, BOTTOM_PX, MARGIN_PX = 58, 56, 48
DOWNLOAD_S, STEPS = 1.5, 15


@dataclass
class Download:
    """A download; `done` is 0..1, and at 1 the file is at `path`."""

    path: str
    done: float = 0.0

    @property
    def name(self) -> str:
        return base_name(self.path)


class Banner(Widget):
    """The coloured head of a page."""

    def __init__(self, text: str, below: str) -> None:
        self.text, self.below = text, below

    def draw(self, p: Painter) -> None:
        p.fill(self.area, ACCENT_DEEP)
        p.text(MARGIN_PX, 46, self.text, WHITE, 30, bold=True)
        p.text(MARGIN_PX, 88, self.below, (219, 234, 254), 18)


class SearchBox(Field):
    """The field of the start page and of search results."""


class Browser(Program):
    name = "Browser"
    icon = "browser"
    size = (900, 580)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.address = HOME
        self.visited: list[str] = []
        self.loading = ""
        self.back = IconButton("back", self._back)
        self.reload = IconButton("reload", lambda: self._load(self.address))
        self.bar = Field("Search or enter an address", self.visit)
        self.bar.set_text(HOME)
        self.page = self.first = ScrollArea()
        self.download: Download | None = None
        self.status = Label("")
        self.progress = Progress()
        self.show_folder = Button("Show in folder", partial(desktop.start, "Files", "Downloads"))
        self.children = [self.back, self.reload, self.bar, self.page]
        self.children += [self.status, self.progress, self.show_folder]

    @property
    def title(self) -> str:
        return f"{find_page(self.address).title} - Browser"

    def layout(self, width: int, height: int) -> None:
        self.back.rect = Rect(10, 10, 38, 38)
        self.reload.rect = Rect(54, 10, 38, 38)
        self.bar.rect = Rect(104, 9, width - 118, 40)
        bottom = BOTTOM_PX if self.download else 0
        self.page.rect = Rect(0, TOP_PX, width, height - TOP_PX - bottom)
        self._show_page()
        mid, side = height - BOTTOM_PX // 2, self.show_folder.width
        self.status.rect = Rect(20, mid - 16, 420, 32)
        self.progress.rect = Rect(440, mid - 4, max(width - 620, 40), 8)
        self.show_folder.rect = Rect(width - side - 16, mid - 19, side, 38)
        self._show_download()

    def draw_background(self, p: Painter) -> None:
        p.fill(Rect(0, TOP_PX - 1, self.area.w, 1), LINE)
        p.fill(Rect(0, self.area.h - BOTTOM_PX, self.area.w, BOTTOM_PX), PAPER)
        p.fill(Rect(0, self.area.h - BOTTOM_PX, self.area.w, 1), LINE)

    # --- pages ------------------------------------------------------------------------------------

    def visit(self, address: str) -> None:
        self.visited.append(self.address)
        self._load(address)

    def _back(self) -> None:
        if self.visited:
            self._load(self.visited.pop())

    def _load(self, address: str) -> None:
        """Show the page after the scenario's delay."""
        self.loading = address
        self.window.focus = self.page
        self.bar.set_text(address)
        waiting = Label("Loading ...", SOFT)
        waiting.rect = Rect(MARGIN_PX, 30, 300, 30)
        self.page.set_children([waiting], 0)
        pc = self.desktop.pc
        pc.call_later(pc.scenario.delay, lambda: self._finish_load(address))

    def _finish_load(self, address: str) -> None:
        if self.loading == address:
            self.address, self.loading = address, ""
            self.page.offset = 0
            self._show_page()

    def _show_page(self) -> None:
        top = 0
        placed: list[Widget] = []
        for block in find_page(self.address).blocks:
            top += 14 * (block.kind == "heading")
            widget, width, height, gap = self._make_widget(block, self.page.rect.w - 2 * MARGIN_PX)
            widget.rect = Rect(0 if block.kind == "banner" else MARGIN_PX, top, width, height)
            placed.append(widget)
            top += height + gap
        self.page.set_children(placed, top + 30)

    def _make_widget(self, block: Block, max_width: int) -> tuple[Widget, int, int, int]:
        """Return a widget with its width, its height and the gap below it."""
        kind, text, target = block
        if kind == "banner":
            return Banner(text, target), self.page.rect.w, 120, 22
        if kind == "link":
            link = Link(text, partial(self.visit, target))
            return link, link.width, 32, 6
        if kind == "search":
            box = SearchBox("Search the web", lambda words: self.visit(SEARCH + words))
            box.set_text("" if text == box.hint else text)
            return box, min(max_width, 560), 46, 20
        if kind == "download":
            button = Button(text, partial(self._download, target), primary=True)
            return button, button.width + 20, 42, 18
        is_heading, is_note = kind == "heading", kind == "note"
        size = 21 if is_heading else 16 if is_note else TEXT
        label = Label(text, SOFT if is_note else INK, size, is_heading, wrap=not is_heading)
        return label, max_width, label.height(max_width) + 4 * is_heading, 8

    # --- downloads --------------------------------------------------------------------------------

    def _download(self, name: str) -> None:
        self.download = Download(self.desktop.pc.disk.find_free_path(f"Downloads/{name}"))
        self.layout(self.rect.w, self.rect.h)
        self._continue_download(self.download)

    def _continue_download(self, download: Download) -> None:
        pc = self.desktop.pc
        if download.done < 1:
            download.done = min(round(download.done + 1 / STEPS, 3), 1.0)
            pc.call_later(DOWNLOAD_S / STEPS, lambda: self._continue_download(download))
        else:
            text = f"{find_page(self.address).title}\nThis is the file {download.name}.\n"
            pc.disk.write(download.path, text)
        self._show_download()

    def _show_download(self) -> None:
        download = self.download
        done = download is not None and self.desktop.pc.disk.exists(download.path)
        self.status.visible = download is not None
        self.progress.visible, self.show_folder.visible = self.status.visible and not done, done
        if download:
            self.progress.done = download.done
            percent = f"Downloading {download.name}  {download.done:.0%}"
            self.status.text = f"{download.name} downloaded" if done else percent
            self.status.color = GREEN if done else INK

    def key(self, event: KeyDown) -> bool:
        if event.chord in ("ctrl+l", "f6"):
            self.window.focus = self.bar
            self.bar.set_text(self.bar.text, select=True)
        elif event.chord == "alt+left":
            self._back()
        elif event.chord in ("f5", "ctrl+r"):
            self._load(self.address)
        else:
            return False
        return True

    def describe_state(self) -> dict[str, Any]:
        return {"address": self.address, "loading": self.loading, "scroll": self.page.offset}
