"""The worlds that `eval` has: a simulated computer, and a real desktop with Debian's programs.

Both are reached in the same way, and everything else is the same code: runs, report and verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..demo import VirtualComputer
from ..rig import Boot, Size
from ..types import CuaError
from . import exercises
from .desktop.exercises import EXERCISES
from .desktop.programs import wanted
from .exercise import Exercise


@dataclass(frozen=True)
class World:
    """Where exercises are done: how its computer is booted, and the size of its screen.

    `wanted` says in a sentence what has to be installed first, "" if all is there.
    """

    boot: Boot
    exercises: tuple[Exercise, ...]
    wanted: Callable[[], str] = str
    size: Size = (1280, 720)

    def check(self) -> None:
        """Raises `CuaError` if its computer cannot be started here."""
        if words := self.wanted():
            raise CuaError(words)


class RealDesktop(VirtualComputer):
    """As the virtual computer is used, with another program behind it."""

    MODULE = "cua.evaluation.desktop.computer"


VIRTUAL = World(VirtualComputer, exercises.ALL)
DESKTOP = World(RealDesktop, EXERCISES, wanted)
WORLDS = {"virtual": VIRTUAL, "desktop": DESKTOP}
