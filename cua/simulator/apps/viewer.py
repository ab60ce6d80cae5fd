"""Viewer: shows documents and pictures, read-only."""

from __future__ import annotations

from typing import Any

from ..disk import base_name, file_kind
from ..paint import LINE, PAPER, Painter, Rect
from ..scroll_view import ScrollArea
from ..widgets import Label, Widget
from ..windows import Program, WindowManager


class Picture(Widget):
    def draw(self, p: Painter) -> None:
        side = min(self.rect.w, self.rect.h)
        p.draw_icon((self.rect.w - side) // 2, 0, "picture", side)


class Viewer(Program):
    name = "Viewer"
    icon = "pdf"
    size = (720, 560)
    listed = False

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.path = ""
        self.page = self.first = ScrollArea()
        self.children = [self.page]

    @property
    def title(self) -> str:
        return f"{base_name(self.path)} - Viewer"

    def load(self, path: str) -> None:
        self.path = path
        self.layout(self.rect.w, self.rect.h)

    def layout(self, width: int, height: int) -> None:
        self.page.rect = Rect(40, 16, width - 80, height - 32)
        if file_kind(self.path) == "Picture":
            picture = Picture()
            picture.rect = Rect(20, 20, width - 120, height - 72)
            self.page.set_children([picture], height - 32)
        else:
            self._show_text(width - 170)

    def _show_text(self, width: int) -> None:
        title, _, text = self.desktop.pc.disk.files.get(self.path, "").partition("\n")
        head, body = Label(title, size=26, bold=True), Label(text, wrap=True)
        head.rect = Rect(40, 30, width, 40)
        body.rect = Rect(40, 90, width, body.height(width))
        self.page.set_children([head, body], body.rect.bottom + 40)

    def draw_background(self, p: Painter) -> None:
        p.box(self.page.rect.shrink(-1), PAPER, LINE, 0)

    def describe_state(self) -> dict[str, Any]:
        return {"file": self.path}
