"""What a PC shows without an operating system: the power-on screen and black screens with words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .hardware import Hardware
from .paint import BLACK, Color, Painter, Rect
from .phase import Phase
from .usbhost import Event, KeyDown

GREY: Color = (200, 204, 210)
BRIGHT: Color = (255, 255, 255)
GOLD: Color = (250, 204, 21)
MEMORY, CHUNK = 8192, 256
COUNTED = 0.5
"""The part of the power-on time that counting the memory takes."""


class Notice(Phase):
    """Words on a black screen; it goes on by itself, or never."""

    def __init__(self, pc: Hardware, name: str, lines: list[str], color: Color = BRIGHT) -> None:
        self.pc, self.name, self.lines, self.color = pc, name, lines, color

    def handle(self, event: Event) -> bool:
        del event
        return False

    def draw(self, p: Painter) -> None:
        width, height = self.pc.size
        p.fill(Rect(0, 0, width, height), BLACK)
        top = height // 2 - 20 * (len(self.lines) - 1)
        for i, line in enumerate(self.lines):
            p.text(width // 2, top + 40 * i, line, self.color, 24, anchor="middle")


class Asleep(Phase):
    """A black screen, until a key or the pointer wakes it; that does nothing else."""

    name = "asleep"

    def __init__(self, pc: Hardware, wake: Callable[[], None]) -> None:
        self.pc, self.wake = pc, wake

    def handle(self, event: Event) -> bool:
        del event
        self.wake()
        return True

    def draw(self, p: Painter) -> None:
        p.fill(Rect(0, 0, *self.pc.size), BLACK)


class PowerOn(Phase):
    """The power-on test: counts the memory, and waits a while for the key that enters the setup."""

    name = "boot"

    def __init__(self, pc: Hardware, enter_setup: Callable[[], None]) -> None:
        self.pc, self.enter_setup = pc, enter_setup
        self.memory = 0
        self.entering = False
        self._count()

    def _count(self) -> None:
        if self.memory < MEMORY:
            self.memory += CHUNK
            self.pc.after(self.pc.scenario.post * COUNTED * CHUNK / MEMORY, self._count)

    def handle(self, event: Event) -> bool:
        if isinstance(event, KeyDown) and event.key in ("delete", "f2") and not self.entering:
            self.entering = True
            self.pc.after(0.6, self.enter_setup)
            return True
        return False

    def _lines(self) -> list[tuple[str, Color]]:
        done = self.memory == MEMORY
        lines = [
            ("Virtual BIOS 2.31", BRIGHT),
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

    def facts(self) -> dict[str, Any]:
        return {"memory": self.memory}
