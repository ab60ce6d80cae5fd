"""The BIOS setup: keys only, and a moment in which to press the one that enters it."""

from __future__ import annotations

from ..solution import press
from ..task import Checker, EvalTask


def setting(name: str, value: str) -> Checker:
    return lambda state: bool(state["bios"][name] == value)


BOOTING = {"boot": True, "post": 4}
ENTERED = press("DELETE", on="boot")

TASKS = (
    EvalTask(
        "bios/enter",
        "The computer is starting. Enter its BIOS setup.",
        lambda state: state["phase"] == "setup",
        ENTERED,
        BOOTING,
    ),
    EvalTask(
        "bios/usb",
        "The computer is starting. In its BIOS setup, choose the USB drive as the boot device, "
        "then save and exit.",
        setting("Boot Device", "USB Drive"),
        (*ENTERED, *press("ENTER", "DOWN", "ENTER", "F10", "ENTER", on="setup")),
        BOOTING,
    ),
    EvalTask(
        "bios/virtualization",
        "The computer is starting. In its BIOS setup, enable Virtualization, then save and exit.",
        setting("Virtualization", "Enabled"),
        (
            *ENTERED,
            *press("DOWN", "DOWN", "DOWN", "ENTER", "DOWN", "ENTER", "F10", "ENTER", on="setup"),
        ),
        BOOTING,
    ),
)
