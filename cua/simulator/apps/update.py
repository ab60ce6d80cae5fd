"""The software update dialog, which a scenario opens as a disturbance."""

from __future__ import annotations

from typing import Any

from ..dialogs import Dialog, show_message
from ..paint import SOFT, Rect
from ..widgets import Button, Label, Progress
from ..windows import WindowManager

INSTALL_S, STEPS = 3.0, 30


class Update(Dialog):
    name = "Update"
    icon = "update"
    size = (500, 240)
    listed = False

    def __init__(self, desktop: WindowManager) -> None:
        desktop.pc.update = "offered"
        head = Label("Software update available", size=20, icon="update")
        self.detail = Label("Version 24.2 is ready to install.", SOFT)
        self.progress = Progress()
        self.progress.visible = False
        head.rect = Rect(24, 20, 450, 44)
        self.detail.rect, self.progress.rect = Rect(78, 64, 398, 30), Rect(78, 106, 388, 10)
        self.first = Button("Later", self._postpone)
        content = [head, self.detail, self.progress]
        buttons = [self.first, Button("Install", self._install, primary=True)]
        super().__init__(desktop, "Software update", content, buttons)
        self.cancel = self._postpone

    def _postpone(self) -> None:
        self.desktop.pc.update = "later"
        self.close()

    def _install(self) -> None:
        self.desktop.pc.update = "installing"
        self.detail.text = "Installing version 24.2 ..."
        self.progress.visible = True
        for button in self.buttons:
            button.enabled = False
        self._advance_install()

    def _advance_install(self) -> None:
        self.progress.done += 1 / STEPS
        if self.progress.done < 1:
            self.desktop.pc.call_later(INSTALL_S / STEPS, self._advance_install)
            return
        self.desktop.pc.update = "installed"
        self.close()
        show_message(self.desktop, None, "Software update", "Version 24.2 was installed.")

    def confirm_close(self) -> bool:
        if self.desktop.pc.update != "installing":
            self._postpone()
        return False

    def describe_state(self) -> dict[str, Any]:
        return {"progress": self.progress.done}
