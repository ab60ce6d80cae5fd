"""The disk, settings and timers that the parts of the computer share."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from typing import TypeVar

from .adapters import make_adapters
from .disk import make_disk
from .scenario import Scenario
from .usbhost import UsbHost

T = TypeVar("T")


class Hardware:
    """State that survives a restart. `now`: the time of the last report or tick, in seconds."""

    def __init__(self, size: tuple[int, int], scenario: Scenario, seed: int, now: float) -> None:
        self.size, self.scenario, self.now = size, scenario, now
        self.host = UsbHost(*size)
        self.disk = make_disk()
        for path, text in scenario.files.items():
            self.disk.write(path, text)
        self.adapters = make_adapters()
        self.bios: dict[str, str] = {}
        self.update = "none"
        self._seed, self._random = seed, random.Random(seed)
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._count = itertools.count()

    def pick_jitter(self) -> int:
        """Return a few pixels that depend on the seed; 0 for seed 0."""
        return self._random.randrange(-40, 41) if self._seed else 0

    def shuffle(self, items: list[T]) -> list[T]:
        """Return the items in an order that depends on the seed; unchanged for seed 0."""
        return random.Random(self._seed).sample(items, len(items)) if self._seed else items

    def call_later(self, seconds: float, act: Callable[[], object]) -> None:
        heapq.heappush(self._timers, (self.now + seconds, next(self._count), act))

    def power(self, how: str) -> None:
        """Leave the desktop: "off" or "restart"."""
        raise NotImplementedError

    def sleep(self) -> None:
        """Make the screen black; programs continue to run."""
        raise NotImplementedError
