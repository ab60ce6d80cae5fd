"""The software update dialog, which a scenario opens as a disturbance."""

from __future__ import annotations

from ..dialogs import Dialog, show_message
from ..windows import WindowManager

TITLE = "Software update"
TEXT = "Software update available\nVersion 24.2 is ready to install."
INSTALL_S = 3.0


class Update(Dialog):
    name = "Update"
    listed = False

    def __init__(self, desktop: WindowManager) -> None:
        self.pc = desktop.pc
        self.pc.update = "offered"
        acts = {"Later": self._postpone, "Install": self._install}
        super().__init__(desktop, TITLE, TEXT, acts, "update")
        self.cancel = self.buttons[0].act
        for button in self.buttons:
            button.primary = button.text == "Install"

    def _postpone(self) -> None:
        self.pc.update = "later"

    def _install(self) -> None:
        self.pc.update = "installing"
        self.pc.call_later(INSTALL_S, self._end)

    def _end(self) -> None:
        self.pc.update = "installed"
        show_message(self.desktop, None, TITLE, "Version 24.2 was installed.")
