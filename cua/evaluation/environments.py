"""The environments of `eval`: a simulated computer, and a real desktop with Debian's programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..kvms.virtual_process import VirtualComputer
from ..types import CuaError
from .desktop.programs import wanted
from .desktop.tasks import TASKS
from .task import EvalTask
from .tasks.registry import ALL
from .testbed import Boot, Size


@dataclass(frozen=True)
class Environment:
    """Where tasks run: how its computer is booted, and the size of its screen.

    `wanted` returns a sentence on what has to be installed first, "" if nothing has to.
    """

    boot: Boot
    tasks: tuple[EvalTask, ...]
    wanted: Callable[[], str] = str
    size: Size = (1280, 720)

    def check(self) -> None:
        """Raises `CuaError` if its computer cannot be started here."""
        if words := self.wanted():
            raise CuaError(words)


class RealDesktop(VirtualComputer):
    """The same interface as the virtual computer, with another process behind it."""

    MODULE = "cua.evaluation.desktop.computer"


VIRTUAL = Environment(VirtualComputer, ALL)
DESKTOP = Environment(RealDesktop, TASKS, wanted)
ENVIRONMENTS = {"virtual": VIRTUAL, "desktop": DESKTOP}
