"""What a scenario does to the desktop: programs that are open at the start, and disturbances."""

from __future__ import annotations

from typing import Any

from .dialogs import show_message
from .paint import Rect
from .window_manager import WindowManager


def begin(desktop: WindowManager) -> None:
    """Open what is to be open (the first time only), and start the timers."""
    scenario = desktop.pc.scenario
    to_open, scenario.open = scenario.open, []
    for what in to_open:
        window = desktop.launch(what["program"], what.get("file", ""))
        if "rect" in what:
            window.place(Rect(*what["rect"]))
        if what.get("state") == "maximised":
            window.maximise(desktop.area)
        elif what.get("state") == "minimised":
            desktop.minimise(window)
    for each in scenario.disturbances:
        if "on" not in each:
            _schedule(desktop, each)


def on_launch(desktop: WindowManager, program: str) -> None:
    """Schedule what waits for this program; it happens once."""
    disturbances = desktop.pc.scenario.disturbances
    for each in [each for each in disturbances if each.get("on") == program]:
        disturbances.remove(each)
        _schedule(desktop, {"program": program, **each})


def _schedule(desktop: WindowManager, one: dict[str, Any]) -> None:
    desktop.pc.after(one.get("after", 0), lambda: _DISTURB[one["do"]](desktop, one))


def _update(desktop: WindowManager, one: dict[str, Any]) -> None:
    del one
    desktop.launch("Update")


def _move(desktop: WindowManager, one: dict[str, Any]) -> None:
    if window := desktop.running(one["program"]):
        window.place(window.rect.moved(*one["by"]))


def _message(desktop: WindowManager, one: dict[str, Any]) -> None:
    show_message(desktop, None, one["title"], one["text"])


def _open(desktop: WindowManager, one: dict[str, Any]) -> None:
    desktop.launch(one["program"], one.get("file", ""))


def _close(desktop: WindowManager, one: dict[str, Any]) -> None:
    if window := desktop.running(one["program"]):
        desktop.close(window)


def _sleep(desktop: WindowManager, one: dict[str, Any]) -> None:
    del one
    desktop.pc.sleep()


def _mode(desktop: WindowManager, one: dict[str, Any]) -> None:
    width, height = one["size"]
    desktop.pc.switch_mode((width, height))


_DISTURB = {
    "update": _update,
    "move": _move,
    "message": _message,
    "open": _open,
    "close": _close,
    "sleep": _sleep,
    "mode": _mode,
}
