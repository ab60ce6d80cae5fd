"""The computer itself: what survives a restart, its clock and timers, and the stage that is on."""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeVar

from PIL import Image

from .apps import PROGRAMS
from .desktop import Desktop
from .disk import fresh_disk
from .firmware import GOLD, Asleep, Notice, PowerOn
from .icons import cursor
from .network import Download, fresh_adapters
from .paint import Color, Painter, Rect
from .scenario import Scenario
from .setup import Setup, defaults
from .stage import Stage
from .usbhost import Event, UsbHost

BLINK = 0.53
"""Seconds that a caret is shown, and then not."""
STOPPING, LOADING = 1.5, 1.5
"""Seconds that it takes to leave the desktop, and to bring it up."""
T = TypeVar("T")


class Computer:
    """Everything but the wires. `now` is the time of the last report or tick, in seconds."""

    def __init__(self, size: tuple[int, int], scenario: Scenario, seed: int, now: float) -> None:
        self.size, self.scenario, self.now = size, scenario, now
        self.host = UsbHost(*size)
        self.disk = fresh_disk()
        scenario.prepare(self.disk)
        self.adapters = fresh_adapters()
        self.bios = defaults()
        self.update = "none"
        self.downloads: list[Download] = []
        self.programs = PROGRAMS
        self.listed = {name: program for name, program in PROGRAMS.items() if program.listed}
        self.changed = True
        self._seed, self._random = seed, random.Random(seed)
        self._started, self._touched = now, now
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._scene = Image.new("RGB", size)
        self._carets: list[tuple[Rect, Color]] = []
        self._shown: tuple[object, object] = (None, None)
        self.desktop = Desktop(self)
        self.stage: Stage = self.desktop
        if scenario.boot:
            self.boot()
        else:
            scenario.begin(self.desktop)

    def clock(self) -> time.struct_time:
        """The time of day that it shows."""
        if not self.scenario.clock:
            return time.localtime()
        start = datetime.fromisoformat(self.scenario.clock).timestamp()
        return time.localtime(start + self.now - self._started)

    def jitter(self) -> int:
        """A few pixels that differ with the seed; none for seed 0."""
        return self._random.randrange(-40, 41) if self._seed else 0

    def shuffled(self, items: list[T]) -> list[T]:
        """In an order that depends on the seed only; as they are for seed 0."""
        return random.Random(self._seed).sample(items, len(items)) if self._seed else items

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._timers, (self.now + seconds, next(self._count), act))

    def report(self, device: int, data: bytes, now: float) -> None:
        """One USB report; the timers that were due before it run first."""
        self.tick(now)
        self._feel(self.host.report(device, data, now))

    def tick(self, now: float) -> None:
        """Timers and key repeats that are due by `now`."""
        while self._timers and self._timers[0][0] <= now:
            self.now, _, act = heapq.heappop(self._timers)
            act()
            self.changed = True
        self.now = max(now, self.now)
        self._feel(self.host.tick(now))

    # --- power ------------------------------------------------------------------------------------

    def power(self, how: str) -> None:
        """Leave the desktop: "off" or "restart"."""
        self._timers.clear()
        if how == "off":
            over = Notice(self, "off", ["It is now safe to turn off your computer."], GOLD)
            self._go(Notice(self, "stopping", ["Shutting down ..."]))
            self.after(STOPPING, lambda: self._go(over))
        else:
            self._go(Notice(self, "stopping", ["Restarting ..."]))
            self.after(STOPPING, self.boot)

    def sleep(self) -> None:
        """The screen goes black; what runs goes on."""
        awake = self.stage
        if awake is self.desktop:
            self._go(Asleep(self, lambda: self._go(awake)))

    def switch(self, size: tuple[int, int]) -> None:
        """To another mode of the screen; windows stay as far as they fit."""
        self.size = size
        self.host.pointer.resize(*size)
        self._scene = Image.new("RGB", size)
        self.desktop.fit()
        self.changed = True

    def boot(self) -> None:
        """The power-on screen, and after a while the desktop."""
        self._timers.clear()
        self._go(PowerOn(self, self._enter_setup))
        loading = Notice(self, "loading", ["Starting the operating system ..."])
        self.after(self.scenario.post, lambda: self._go(loading))
        self.after(self.scenario.post + LOADING, self._come_up)

    def _enter_setup(self) -> None:
        self._timers.clear()
        self._go(Setup(self))

    def _come_up(self) -> None:
        self.desktop = Desktop(self)
        self._go(self.desktop)
        self.scenario.begin(self.desktop)

    def _go(self, stage: Stage) -> None:
        self.stage = stage
        self.changed = True

    def _feel(self, events: list[Event]) -> None:
        for event in events:
            if self.stage.handle(event):
                self._touched = self.now
                self.changed = True

    # --- what is seen -----------------------------------------------------------------------------

    def look(self) -> Image.Image | None:
        """The picture of the screen; None if it is the same as the last one."""
        pointer = self.host.pointer
        scene = (self.stage.name, self.stage.hovered(pointer.x, pointer.y), self.clock().tm_min)
        blink = bool(self._carets) and (self.now - self._touched) % (2 * BLINK) < BLINK
        above = (blink, (pointer.x, pointer.y) if self.stage.pointer else None)
        if self.changed or scene != self._shown[0]:
            self._draw()
            self.changed = False
        elif above == self._shown[1]:
            return None
        self._shown = (scene, above)
        return self._composed(*above)

    def _draw(self) -> None:
        p = Painter(self._scene)
        self.stage.draw(p)
        self._carets = p.marks.carets

    def _composed(self, blink: bool, pointer: tuple[int, int] | None) -> Image.Image:
        """The scene with what moves without a redraw: text carets and the mouse cursor."""
        picture = self._scene.copy()
        if blink:
            for caret, color in self._carets:
                Painter(picture).fill(caret, color)
        if pointer:
            picture.paste(cursor(), pointer, cursor())
        return picture

    def state(self) -> dict[str, Any]:
        """The truth, as plain JSON."""
        host, (width, height) = self.host, self.size
        return {
            "phase": self.stage.name,
            "size": self.size,
            "pointer": [host.pointer.x / width, host.pointer.y / height],
            "down": {"keys": host.keyboard.held, "buttons": host.pointer.held},
            "reports": dict(zip(("keyboard", "relative", "absolute"), host.counts, strict=True)),
            "typed": "".join(host.typed),
            "files": self.disk.files,
            "folders": sorted(self.disk.folders),
            "bios": self.bios,
            "update": self.update,
            "downloads": [asdict(download) for download in self.downloads],
            "network": {name: asdict(adapter) for name, adapter in self.adapters.items()},
            **self.stage.facts(),
        }
