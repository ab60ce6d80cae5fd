"""The software update dialog, which a scenario opens as a disturbance."""

from __future__ import annotations

from typing import Any

from ..dialogs import Dialog, place_row, show_message
from ..paint import PAPER, SOFT, Painter, Rect
from ..widgets import Button, Label, Progress
from ..window_manager import WindowManager

SECONDS, STEPS = 3.0, 30


class Update(Dialog):
    name = "Update"
    icon = "update"
    listed = False

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop, "Software update", (500, 240))
        desktop.pc.update = "offered"
        self.label = Label("Software update available", size=20, icon="update")
        self.detail = Label("Version 24.2 is ready to install.", SOFT)
        self.progress = Progress()
        self.progress.visible = False
        self.later = Button("Later", self._later)
        self.install = Button("Install", self._install, primary=True)
        self.widgets = [self.label, self.detail, self.progress, self.later, self.install]
        self.first = self.later
        self.cancel = self._later

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PAPER)

    def layout(self, width: int, height: int) -> None:
        self.label.rect = Rect(24, 20, width - 48, 44)
        self.detail.rect = Rect(78, 64, width - 100, 30)
        self.progress.rect = Rect(78, 106, width - 110, 10)
        place_row([self.later, self.install], width, height)

    def _later(self) -> None:
        self.desktop.pc.update = "later"
        self.close()

    def _install(self) -> None:
        self.desktop.pc.update = "installing"
        self.detail.text = "Installing version 24.2 ..."
        self.progress.visible = True
        self.later.enabled = self.install.enabled = False
        self._step()

    def _step(self) -> None:
        self.progress.done += 1 / STEPS
        if self.progress.done < 1:
            self.desktop.pc.after(SECONDS / STEPS, self._step)
            return
        self.desktop.pc.update = "installed"
        self.close()
        show_message(self.desktop, None, "Software update", "Version 24.2 was installed.")

    def closing(self) -> bool:
        if self.desktop.pc.update != "installing":
            self._later()
        return False

    def facts(self) -> dict[str, Any]:
        return {"progress": self.progress.done}
