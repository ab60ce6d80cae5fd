"""The phases of a computer, each with its screen and its handling of input.

The BIOS setup and the desktop have their own files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .hardware import Hardware
from .paint import BLACK, WHITE, Color, Painter, Rect
from .usbhost import Event, KeyDown

GREY: Color = (200, 204, 210)
GOLD: Color = (250, 204, 21)
MEMORY_MB, CHUNK_MB = 8192, 256
ENTER_KEYS = ("delete", "f2")
ENTER_S = 0.6
"""Time to enter the setup."""


class Phase:
    name = ""
    """The phase's name in /state."""

    def handle(self, _event: Event) -> bool:
        """Handle an event; return whether the screen must be drawn again."""
        return False

    def find_hovered(self, _x: int, _y: int) -> object:
        """Return the object at the pointer; the screen is drawn again when it changes."""
        return None

    def draw(self, p: Painter) -> None:
        raise NotImplementedError

    def describe_state(self) -> dict[str, Any]:
        """Return the state of the phase, for checkers."""
        return {}


class Notice(Phase):
    """A line on a black screen."""

    def __init__(self, pc: Hardware, name: str, text: str, color: Color = WHITE) -> None:
        self.pc, self.name, self.text, self.color = pc, name, text, color

    def draw(self, p: Painter) -> None:
        width, height = self.pc.size
        p.fill(Rect(0, 0, width, height), BLACK)
        p.text(width // 2, height // 2, self.text, self.color, 24, anchor="middle")


class Asleep(Notice):
    """A black screen; the first input only wakes the computer."""

    def __init__(self, pc: Hardware, wake: Callable[[], None]) -> None:
        super().__init__(pc, "asleep", "")
        self.wake = wake

    def handle(self, _event: Event) -> bool:
        self.wake()
        return True


class PowerOn(Phase):
    """The power-on test: counts the memory and waits for the key that enters the setup."""

    name = "boot"

    def __init__(self, pc: Hardware, enter_setup: Callable[[], None]) -> None:
        self.pc, self.enter_setup = pc, enter_setup
        self.memory = 0
        self.entering = False
        self._count()

    def _count(self) -> None:
        """Count the memory in half of the power-on time."""
        if self.memory < MEMORY_MB:
            self.memory += CHUNK_MB
            self.pc.call_later(self.pc.scenario.post * CHUNK_MB / MEMORY_MB / 2, self._count)

    def handle(self, event: Event) -> bool:
        if self.entering or not isinstance(event, KeyDown) or event.key not in ENTER_KEYS:
            return False
        self.entering = True
        self.pc.call_later(ENTER_S, self.enter_setup)
        return True

    def _lines(self) -> list[tuple[str, Color]]:
        done = self.memory == MEMORY_MB
        lines = [
            ("Virtual BIOS 2.31", WHITE),
            ("CPU: Virtual Processor 2.40 GHz, 2 cores", GREY),
            (f"Memory test: {self.memory} MB{' OK' if done else ''}", GREY),
            ("", GREY),
        ]
        if done:
            lines += [
                ("USB devices: 1 keyboard, 2 mice", GREY),
                ("Hard disk: VIRTUAL SSD 256 GB", GREY),
                (f"Boot device: {self.pc.bios['Boot Device']}", GREY),
            ]
        return lines

    def draw(self, p: Painter) -> None:
        width, height = self.pc.size
        p.fill(Rect(0, 0, width, height), BLACK)
        for i, (line, color) in enumerate(self._lines()):
            p.text(48, 60 + 36 * i, line, color, 20)
        hint = "Entering SETUP ..." if self.entering else "Press DEL to enter SETUP"
        p.text(48, height - 60, hint, GOLD, 22)

    def describe_state(self) -> dict[str, Any]:
        return {"memory": self.memory}
