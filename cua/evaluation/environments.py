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
    """Where tasks run: how its computer is booted, and the size of its screen.

    `describe_missing` says what has to be installed first, "" if nothing has to.
    """

    name: str
    boot: Boot
    describe_missing: Callable[[], str] = str
    size: Size = (1280, 720)

    @property
    def tasks(self) -> tuple[EvalTask, ...]:
        return read_tasks(self.name)

    def check(self) -> None:
        """Raises `CuaError` if its computer cannot be started here."""
        if missing := self.describe_missing():
            raise CuaError(missing)


class RealDesktop(SimulatedComputer):
    """The same interface as the simulated computer, with another process behind it."""

    MODULE = "cua.evaluation.desktop.computer"


SIMULATED = Environment("virtual", SimulatedComputer)
DESKTOP = Environment("desktop", RealDesktop, describe_missing)
ENVIRONMENTS = {each.name: each for each in (SIMULATED, DESKTOP)}
