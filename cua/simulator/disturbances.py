"""Carries out a scenario: opens programs at the start, and causes disturbances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dialogs import Dialog, show_message
from .paint import Rect
from .windows import WindowManager

Spec = dict[str, Any]
"""An entry of the scenario's JSON."""
UPDATE = "Software update"
UPDATE_TEXT = "Software update available\nVersion 24.2 is ready to install."
INSTALL_S = 3.0


class Update(Dialog):
    """Offers a software update; Enter and Esc postpone it."""

    def __init__(self, desktop: WindowManager) -> None:
        self.pc = desktop.pc
        self.pc.update = "offered"
        acts = {"Later": self._postpone, "Install": self._install}
        super().__init__(desktop, UPDATE, UPDATE_TEXT, acts, "update")
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
        show_message(self.desktop, None, UPDATE, "Version 24.2 was installed.")


def start_scenario(desktop: WindowManager) -> None:
    """Open the scenario's programs, at the first start only, and start the timers."""
    scenario = desktop.pc.scenario
    to_open, scenario.open = scenario.open, []
    for spec in to_open:
        window = desktop.launch(spec["program"], spec.get("file", ""))
        if "rect" in spec:
            window.place(Rect(*spec["rect"]))
    for spec in scenario.disturbances:
        if "on" not in spec:
            _schedule(desktop, spec)


def on_launch(desktop: WindowManager, program: str) -> None:
    """Schedule the disturbances that wait for this program; each happens once."""
    disturbances = desktop.pc.scenario.disturbances
    for spec in [spec for spec in disturbances if spec.get("on") == program]:
        disturbances.remove(spec)
        _schedule(desktop, {"program": program, **spec})


def _schedule(desktop: WindowManager, spec: Spec) -> None:
    desktop.pc.call_later(spec.get("after", 0), lambda: ACTIONS[spec["do"]](desktop, spec))


def _move(desktop: WindowManager, spec: Spec) -> None:
    for window in desktop.windows:
        if window.program.name == spec["program"]:
            window.place(window.rect.translate(*spec["by"]))


ACTIONS: dict[str, Callable[[WindowManager, Spec], object]] = {
    "update": lambda desktop, _: desktop.open(Update(desktop)),
    "move": _move,
    "message": lambda desktop, spec: show_message(desktop, None, spec["title"], spec["text"]),
    "sleep": lambda desktop, _: desktop.pc.sleep(),
    "mode": lambda desktop, spec: desktop.switch_mode(*spec["size"]),
}
