"""Browser: an address bar, pages that scroll, and downloads."""

from __future__ import annotations

from typing import Any

from ..disk import base
from ..network import Download
from ..paint import (
    ACCENT_DEEP,
    GREEN,
    INK,
    LINE,
    PANEL,
    PAPER,
    SOFT,
    TEXT,
    WHITE,
    Painter,
    Rect,
)
from ..scroll_area import ScrollArea
from ..textbox import Field
from ..usbhost import KeyDown
from ..widgets import Button, IconButton, Label, Link, Progress, Widget
from ..window_manager import App, WindowManager
from .web import HOME, SEARCH, Block, page

TOP, BOTTOM, MARGIN = 58, 56, 48
SECONDS, STEPS = 1.5, 15


class Banner(Widget):
    """The coloured head of a page."""

    def __init__(self, text: str, below: str) -> None:
        self.text, self.below = text, below

    def draw(self, p: Painter) -> None:
        p.fill(self.area, ACCENT_DEEP)
        p.text(MARGIN, 46, self.text, WHITE, 30, bold=True)
        p.text(MARGIN, 88, self.below, (219, 234, 254), 18)


class SearchBox(Field):
    """Enter searches."""

    def __init__(self, browser: Browser, words: str) -> None:
        super().__init__(hint="Search the web", size=18)
        self.browser = browser
        self.edit.set("" if words == self.hint else words)

    def key(self, event: KeyDown) -> bool:
        if event.key == "enter" and self.value.strip():
            self.browser.go(SEARCH + self.value.strip())
            return True
        return super().key(event)


class Browser(App):
    name = "Browser"
    icon = "browser"
    size = (900, 580)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.address = HOME
        self.past: list[str] = []
        self.loading = ""
        self.back = IconButton("back", self._back)
        self.reload = IconButton("reload", lambda: self._load(self.address))
        self.bar = Field(hint="Search or enter an address")
        self.bar.edit.set(HOME)
        self.page = ScrollArea()
        self.download: Download | None = None
        self.status = Label("")
        self.progress = Progress()
        self.show_folder = Button("Show in folder", self._show_folder)
        self.widgets = [self.back, self.reload, self.bar, self.page]
        self.widgets += [self.status, self.progress, self.show_folder]
        self.first = self.page

    @property
    def title(self) -> str:
        return f"{page(self.address).title} - Browser"

    def layout(self, width: int, height: int) -> None:
        self.back.rect = Rect(10, 10, 38, 38)
        self.reload.rect = Rect(54, 10, 38, 38)
        self.bar.rect = Rect(104, 9, width - 118, 40)
        low = BOTTOM if self.download else 0
        self.page.rect = Rect(0, TOP, width, height - TOP - low)
        self._fill()
        mid = height - BOTTOM // 2
        self.status.rect = Rect(20, mid - 16, 420, 32)
        self.progress.rect = Rect(440, mid - 4, max(width - 620, 40), 8)
        side = self.show_folder.width
        self.show_folder.rect = Rect(width - side - 16, mid - 19, side, 38)
        self._show_download()

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PANEL)
        p.fill(Rect(0, TOP - 1, area.w, 1), LINE)
        p.fill(Rect(0, area.h - BOTTOM, area.w, BOTTOM), PAPER)
        p.fill(Rect(0, area.h - BOTTOM, area.w, 1), LINE)

    # --- pages ------------------------------------------------------------------------------------

    def go(self, address: str) -> None:
        self.past.append(self.address)
        self._load(address)

    def _back(self) -> None:
        if self.past:
            self._load(self.past.pop())

    def _load(self, address: str) -> None:
        """Pages take a moment, as the scenario says."""
        self.loading = address
        self.window.focus = self.page
        self.bar.edit.set(address)
        waiting = Label("Loading ...", SOFT)
        waiting.rect = Rect(MARGIN, 30, 300, 30)
        self.page.fill([waiting], 0)
        self.desktop.pc.after(self.desktop.pc.scenario.delay, lambda: self._arrived(address))

    def _arrived(self, address: str) -> None:
        if self.loading == address:
            self.address, self.loading = address, ""
            self.page.scroll.offset = 0
            self._fill()

    def _fill(self) -> None:
        top = 0
        placed: list[Widget] = []
        for block in page(self.address).blocks:
            top += 14 * (block.kind == "heading")
            widget, width, height, gap = self._widget(block, self.page.rect.w - 2 * MARGIN)
            widget.rect = Rect(0 if block.kind == "banner" else MARGIN, top, width, height)
            placed.append(widget)
            top += height + gap
        self.page.fill(placed, top + 30)

    def _widget(self, block: Block, room: int) -> tuple[Widget, int, int, int]:
        """A widget with its width, its height and the gap below it."""
        if block.kind == "banner":
            return Banner(block.text, block.target), self.page.rect.w, 120, 22
        if block.kind == "link":
            link = Link(block.text, lambda: self.go(block.target))
            return link, link.width, 32, 6
        if block.kind == "search":
            return SearchBox(self, block.text), min(room, 560), 46, 20
        if block.kind == "download":
            button = Button(block.text, lambda: self._download(block.target), primary=True)
            return button, button.width + 20, 42, 18
        return self._words(block, room)

    def _words(self, block: Block, room: int) -> tuple[Widget, int, int, int]:
        size = {"heading": 21, "note": 16}.get(block.kind, TEXT)
        color = SOFT if block.kind == "note" else INK
        bold = block.kind == "heading"
        label = Label(block.text, color, size, bold=bold, wrap=not bold)
        return label, room, label.height(room) + 4 * bold, 8

    # --- downloads --------------------------------------------------------------------------------

    def _download(self, name: str) -> None:
        pc = self.desktop.pc
        path = pc.disk.free(f"Downloads/{name}")
        self.download = Download(base(path), path)
        pc.downloads.append(self.download)
        self.layout(self.window.client.w, self.window.client.h)
        self._progress(self.download)

    def _progress(self, download: Download) -> None:
        pc = self.desktop.pc
        if download.done < 1:
            download.done = min(round(download.done + 1 / STEPS, 3), 1.0)
            pc.after(SECONDS / STEPS, lambda: self._progress(download))
        else:
            text = f"{page(self.address).title}\nThis is the file {download.name}.\n"
            pc.disk.write(download.path, text)
        self._show_download()

    def _show_download(self) -> None:
        download = self.download
        for widget in (self.status, self.progress, self.show_folder):
            widget.visible = download is not None
        if not download:
            return
        over = self.desktop.pc.disk.exists(download.path)
        self.progress.visible, self.show_folder.visible = not over, over
        self.progress.done = download.done
        percent = f"Downloading {download.name}  {download.done:.0%}"
        self.status.text = f"{download.name} downloaded" if over else percent
        self.status.color = GREEN if over else INK

    def _show_folder(self) -> None:
        self.desktop.start("Files", "Downloads")

    def key(self, event: KeyDown) -> bool:
        if event.chord == "enter" and self.window.focus is self.bar and self.bar.value.strip():
            self.go(self.bar.value.strip())
        elif event.chord in ("ctrl+l", "f6"):
            self.window.focus = self.bar
            self.bar.edit.set(self.bar.value, select=True)
        elif event.chord == "alt+left":
            self._back()
        elif event.chord in ("f5", "ctrl+r"):
            self._load(self.address)
        else:
            return False
        return True

    def facts(self) -> dict[str, Any]:
        return {"address": self.address, "loading": self.loading, "scroll": self.page.scroll.offset}
