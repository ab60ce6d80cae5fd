"""Carries out a scenario: opens programs at the start, and causes disturbances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dialogs import show_message
from .paint import Rect
from .windows import WindowManager

Spec = dict[str, Any]
"""An entry of the scenario's JSON."""


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
    "update": lambda desktop, _: desktop.launch("Update"),
    "move": _move,
    "message": lambda desktop, spec: show_message(desktop, None, spec["title"], spec["text"]),
    "sleep": lambda desktop, _: desktop.pc.sleep(),
    "mode": lambda desktop, spec: desktop.pc.switch_mode((spec["size"][0], spec["size"][1])),
}
