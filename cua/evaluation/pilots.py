"""Scripted models as pilots, by name: `perfect`, and those with a fault."""

from __future__ import annotations

import random

from ..rig import Computer, Rule, Size
from ..types import CuaError, Dialect, Model
from .actor import Actor
from .exercise import Exercise
from .faults import FAULTS
from .run import Pilot
from .writing import WRITERS

LINES = "kvm"
"""The language of a scripted model that is not told to speak another one."""


def scripted(name: str, dialect: str = LINES, size: Size = (1280, 720)) -> Pilot:
    """Raises `CuaError` if there is no such fault, or if it does not speak that dialect."""
    if dialect not in WRITERS:
        raise CuaError(f"Scripted models speak {', '.join(WRITERS)}, but not {dialect}.")
    fault, write = FAULTS[name], WRITERS[dialect]
    if fault.lines_only and dialect != LINES:
        raise CuaError(f"{name} speaks {LINES} only, which has words for what it needs.")

    def connect(exercise: Exercise, computer: Computer, seed: int) -> Model:
        dice = random.Random(f"{name} {exercise.name} {seed}")
        return Actor(exercise, computer.state, size, write, fault(dice, exercise))

    return Pilot(name, dialect, connect, _as_it_is)


def _as_it_is(dialect: Dialect) -> Rule:
    del dialect
    return lambda width, height: (width, height)
