"""Network: the adapters with their state and their DNS servers, which can be edited."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from ..adapters import Dns, is_valid_address
from ..dialogs import show_message
from ..paint import INK, LINE, PAPER, SOFT, Painter, Rect
from ..scroll_view import ListBox, Row
from ..textbox import Field
from ..usbhost import KeyDown
from ..widgets import Button, Label, Radio
from ..windows import Program, WindowManager

SIDE_PX, BUTTON_PX = 200, 38


class Network(Program):
    name = "Network"
    icon = "network"
    size = (760, 520)
    ground = PAPER

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.adapters = desktop.pc.adapters
        rows = [Row((name,), "network") for name in self.adapters]
        self.list = self.first = ListBox(rows, on_choose=self._show)
        self.list.row_px = self.list.notch_px = 48
        self.list.index = 0
        self.head = Label("", size=22)
        self.lines = [Label("") for _ in range(4)]
        self.edit = Button("Edit DNS", self._edit, primary=True)
        automatic = "Obtain DNS server address automatically"
        self.automatic = Radio(automatic, partial(self._set_automatic, True))
        self.manual = Radio("Use the following DNS server addresses", self._choose_manual)
        self.fields = [Field(), Field()]
        names = ("Preferred DNS", "Alternate DNS")
        self.labels = [Label(n, buddy=f) for n, f in zip(names, self.fields, strict=True)]
        self.save = Button("Save", self._save, primary=True)
        self.cancel = Button("Cancel", self._show)
        self.form = [self.automatic, self.manual, *self.labels, *self.fields]
        self.form += [self.save, self.cancel]
        self.children = [self.list, self.head, *self.lines, self.edit, *self.form]
        self._show()

    @property
    def adapter(self) -> str:
        return list(self.adapters)[max(self.list.index, 0)]

    @property
    def editing(self) -> bool:
        return self.save.visible

    def layout(self, width: int, height: int) -> None:
        self.list.rect = Rect(16, 16, SIDE_PX, height - 32)
        left, room = SIDE_PX + 44, width - SIDE_PX - 68
        self.head.rect = Rect(left, 20, room, 34)
        for i, line in enumerate(self.lines):
            line.rect = Rect(left, 72 + 38 * i, room, 30)
        self.edit.rect = Rect(left, 240, self.edit.width, BUTTON_PX)
        self.automatic.rect = Rect(left, 72, room, 34)
        self.manual.rect = Rect(left, 112, room, 34)
        for i, (label, field) in enumerate(zip(self.labels, self.fields, strict=True)):
            label.rect = Rect(left + 32, 168 + 58 * i, 140, 42)
            field.rect = Rect(left + 176, 168 + 58 * i, 220, 42)
        self.save.rect = Rect(left + 176, 300, self.save.width, BUTTON_PX)
        self.cancel.rect = Rect(self.save.rect.right + 14, 300, self.cancel.width, BUTTON_PX)

    def draw_background(self, p: Painter) -> None:
        p.fill(Rect(SIDE_PX + 28, 16, 1, self.area.h - 32), LINE)

    def _show(self) -> None:
        adapter = self.desktop.pc.adapters[self.adapter]
        texts = [
            f"Status: {adapter.status}",
            f"IPv4 address: {adapter.address}",
            f"Gateway: {adapter.gateway}",
            f"DNS server: {adapter.dns.describe()}",
        ]
        self.head.text = self.adapter
        for line, text in zip(self.lines, texts, strict=True):
            line.text = text
        self._set_editing(False)

    def _set_editing(self, editing: bool) -> None:
        for widget in (*self.lines, self.edit):
            widget.visible = not editing
        for widget in self.form:
            widget.visible = editing

    def _edit(self) -> None:
        dns = self.adapters[self.adapter].dns
        self.head.text = f"{self.adapter} DNS"
        self.fields[0].set_text(dns.preferred)
        self.fields[1].set_text(dns.alternate)
        self._set_editing(True)
        self._set_automatic(dns.automatic)

    def _set_automatic(self, automatic: bool) -> None:
        self.automatic.on, self.manual.on = automatic, not automatic
        for label, field in zip(self.labels, self.fields, strict=True):
            label.color = SOFT if automatic else INK
            field.enabled = not automatic

    def _choose_manual(self) -> None:
        self._set_automatic(False)
        self.window.focus = self.fields[0]

    @property
    def pending(self) -> Dns:
        preferred, alternate = (field.text.strip() for field in self.fields)
        return Dns(self.automatic.on, preferred, alternate)

    def _save(self) -> None:
        dns = self.pending
        wrong = [a for a in (dns.preferred, dns.alternate) if a and not is_valid_address(a)]
        if not dns.automatic and (wrong or not dns.preferred):
            what = f"{wrong[0]} is not a valid address." if wrong else "Enter a preferred DNS."
            show_message(self.desktop, self.window, "Invalid DNS address", what, "error")
            return
        self.adapters[self.adapter] = replace(self.adapters[self.adapter], dns=dns)
        self._show()

    def key(self, event: KeyDown) -> bool:
        if self.editing and event.chord in ("enter", "esc"):
            (self._save if event.chord == "enter" else self._show)()
            return True
        return False

    def describe_state(self) -> dict[str, Any]:
        pending = asdict(self.pending) if self.editing else None
        return {"adapter": self.adapter, "editing": self.editing, "pending": pending}
