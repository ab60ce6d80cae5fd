"""What the parts of the computer have in common: its disk, its settings, its clock and timers."""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from .adapters import Download, fresh_adapters
from .disk import fresh_disk
from .scenario import Scenario
from .usbhost import UsbHost

T = TypeVar("T")


class Hardware:
    """What survives a restart. `now` is the time of the last report or tick, in seconds."""

    def __init__(self, size: tuple[int, int], scenario: Scenario, seed: int, now: float) -> None:
        self.size, self.scenario, self.now = size, scenario, now
        self.host = UsbHost(*size)
        self.disk = fresh_disk()
        scenario.prepare(self.disk)
        self.adapters = fresh_adapters()
        self.bios: dict[str, str] = {}
        self.update = "none"
        self.downloads: list[Download] = []
        self._seed, self._random = seed, random.Random(seed)
        self._started = now
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._count = itertools.count()

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

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        heapq.heappush(self._timers, (self.now + seconds, next(self._count), act))

    def power(self, how: str) -> None:
        """Leave the desktop: "off" or "restart"."""
        raise NotImplementedError

    def sleep(self) -> None:
        """Make the screen black; programs go on running."""
        raise NotImplementedError

    def switch_mode(self, size: tuple[int, int]) -> None:
        """Change the resolution of the screen; windows stay as far as they fit."""
        raise NotImplementedError

    def boot(self) -> None:
        """Show the power-on screen, and after a while the desktop."""
        raise NotImplementedError
