"""Scripted models by name: `perfect`, and those with a fault."""

from __future__ import annotations

import random

from cua.evaluation.run import Candidate
from cua.evaluation.task import EvalTask
from cua.evaluation.testbed import Computer, Size
from cua.types import CuaError, Dialect, Model, SentSize

from .faults import FAULTS
from .reply_text import WRITERS
from .scripted_model import ScriptedModel

LINES = "kvm"
"""The default dialect of a scripted model."""


def scripted(name: str, dialect: str = LINES, size: Size = (1280, 720)) -> Candidate:
    """Raises `CuaError` if there is no such fault, or if it does not speak that dialect."""
    if dialect not in WRITERS:
        raise CuaError(f"Scripted models speak {', '.join(WRITERS)}, but not {dialect}.")
    fault, write = FAULTS[name], WRITERS[dialect]
    if fault.lines_only and dialect != LINES:
        raise CuaError(f"{name} speaks {LINES} only, which has words for what it needs.")

    def connect(task: EvalTask, computer: Computer, seed: int) -> Model:
        rng = random.Random(f"{name} {task.name} {seed}")
        return ScriptedModel(task, computer.state, size, write, fault(rng, task))

    return Candidate(name, dialect, connect, _as_it_is)


def _as_it_is(dialect: Dialect) -> SentSize:
    del dialect
    return lambda width, height: (width, height)
