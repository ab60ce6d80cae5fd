"""The whole computer: timers, power, and the phase on its screen."""

from __future__ import annotations

import heapq
import time
from dataclasses import asdict
from typing import Any

from PIL import Image

from . import disturbances
from .apps.browser import Browser
from .apps.files import Files
from .apps.network import Network
from .apps.notepad import Notepad
from .apps.terminal import Terminal
from .apps.viewer import Viewer
from .bios_setup import BiosSetup, default_settings
from .desktop import Desktop
from .hardware import Hardware
from .icons import cursor
from .paint import Color, Painter, Rect
from .phases import GOLD, Asleep, Notice, Phase, PowerOn
from .scenario import Scenario
from .usbhost import Event

PROGRAMS = {p.name: p for p in (Notepad, Network, Files, Browser, Terminal, Viewer)}
BLINK_S = 0.53
"""Time that a caret is visible, and then hidden."""
STOPPING_S, LOADING_S = 1.5, 1.5
"""Time to leave the desktop, and to start it."""


class Computer(Hardware):
    """The computer without the FIFOs and the video signal."""

    def __init__(self, size: tuple[int, int], scenario: Scenario, seed: int, now: float) -> None:
        super().__init__(size, scenario, seed, now)
        self.bios = default_settings()
        self.changed = True
        self._input_at = now
        self._scene = Image.new("RGB", size)
        self._carets: list[tuple[Rect, Color]] = []
        self._shown: tuple[object, object] = (None, None)
        self.desktop = Desktop(self, PROGRAMS)
        self.phase: Phase = self.desktop
        if scenario.boot:
            self.boot()
        else:
            disturbances.start_scenario(self.desktop)

    def report(self, device: int, data: bytes, now: float) -> None:
        """Handle a USB report, after the timers that were due before it."""
        self.tick(now)
        self._handle(self.host.report(device, data, now))

    def tick(self, now: float) -> None:
        """Run the timers and key repeats that are due by `now`."""
        while self._timers and self._timers[0][0] <= now:
            self.now, _, act = heapq.heappop(self._timers)
            act()
            self.changed = True
        self.now = max(now, self.now)
        self._handle(self.host.tick(now))

    # --- power ------------------------------------------------------------------------------------

    def power(self, how: str) -> None:
        self._timers.clear()
        text = "Shutting down ..." if how == "off" else "Restarting ..."
        self._show(Notice(self, "stopping", text))
        off = Notice(self, "off", "It is now safe to turn off your computer.", GOLD)
        self.call_later(STOPPING_S, (lambda: self._show(off)) if how == "off" else self.boot)

    def sleep(self) -> None:
        awake = self.phase
        if awake is self.desktop:
            self._show(Asleep(self, lambda: self._show(awake)))

    def boot(self) -> None:
        """Show the power-on screen, then the desktop."""
        self._timers.clear()
        self._show(PowerOn(self, self._enter_setup))
        loading = Notice(self, "loading", "Starting the operating system ...")
        self.call_later(self.scenario.post, lambda: self._show(loading))
        self.call_later(self.scenario.post + LOADING_S, self._start_desktop)

    def _enter_setup(self) -> None:
        self._timers.clear()
        self._show(BiosSetup(self, self.boot))

    def _start_desktop(self) -> None:
        self.desktop = Desktop(self, PROGRAMS)
        self._show(self.desktop)
        disturbances.start_scenario(self.desktop)

    def _show(self, phase: Phase) -> None:
        self.phase = phase
        self.changed = True

    def _handle(self, events: list[Event]) -> None:
        for event in events:
            if self.phase.handle(event):
                self._input_at = self.now
                self.changed = True

    # --- picture and state ------------------------------------------------------------------------

    def look(self, now: float) -> Image.Image | None:
        """Return the picture of the screen at this time; None if it has not changed."""
        self.tick(now)
        pointer = self.host.pointer
        hovered = self.phase.find_hovered(pointer.x, pointer.y)
        scene = (self.phase.name, hovered, time.localtime().tm_min)
        blink = bool(self._carets) and (self.now - self._input_at) % (2 * BLINK_S) < BLINK_S
        above = (blink, (pointer.x, pointer.y) if self.phase is self.desktop else None)
        if self.changed or scene != self._shown[0]:
            self._scene = Image.new("RGB", self.size)
            p = Painter(self._scene)
            p.marks.hover = hovered
            self.phase.draw(p)
            self._carets, self.changed = p.marks.carets, False
        elif above == self._shown[1]:
            return None
        self._shown = (scene, above)
        return self._compose(*above)

    def _compose(self, blink: bool, pointer: tuple[int, int] | None) -> Image.Image:
        """Add the text carets and the mouse cursor, which change without a redraw."""
        picture = self._scene.copy()
        if blink:
            for caret, color in self._carets:
                Painter(picture).fill(caret, color)
        if pointer:
            picture.paste(cursor(), pointer, cursor())
        return picture

    def state(self) -> dict[str, Any]:
        host, (width, height) = self.host, self.size
        return {
            "phase": self.phase.name,
            "size": self.size,
            "pointer": [host.pointer.x / width, host.pointer.y / height],
            "down": {"keys": host.keyboard.held, "buttons": host.pointer.held},
            "reports": dict(zip(("keyboard", "relative", "absolute"), host.counts, strict=True)),
            "typed": "".join(host.typed),
            "files": self.disk.files,
            "folders": sorted(self.disk.folders),
            "bios": self.bios,
            "update": self.update,
            "network": {name: asdict(adapter) for name, adapter in self.adapters.items()},
            **self.phase.describe_state(),
        }
