"""The environments of `eval`: a simulated computer, and a real desktop with Debian's programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..kvms.simulated_computer import SimulatedComputer
from ..types import CuaError
from .desktop.programs import describe_missing
from .task import EvalTask, read_tasks
from .testbed import Boot, Size


@dataclass(frozen=True)
class Environment:
    """A kind of computer for tasks: its boot function, and the size of its screen.

    `describe_missing` returns a message about what to install, "" if nothing is missing.
    """

    name: str
    boot: Boot
    describe_missing: Callable[[], str] = str
    size: Size = (1280, 720)

    @property
    def tasks(self) -> tuple[EvalTask, ...]:
        return read_tasks(self.name)

    def check(self) -> None:
        """Raise `CuaError` if its computer cannot run on this machine."""
        if missing := self.describe_missing():
            raise CuaError(missing)


class RealDesktop(SimulatedComputer):
    """A process with the same interface as the simulated computer."""

    MODULE = "cua.evaluation.desktop.computer"


SIMULATED = Environment("virtual", SimulatedComputer)
DESKTOP = Environment("desktop", RealDesktop, describe_missing)
ENVIRONMENTS = {each.name: each for each in (SIMULATED, DESKTOP)}
