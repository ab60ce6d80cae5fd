"""The solution of a task, read from its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

Kind = Literal["click", "double", "right", "drag", "scroll", "type", "press"]
KEYS = ("type", "press")


@dataclass(frozen=True)
class SolutionStep:
    """A step of a solution. It names its target by its label, so that it holds wherever that is.

    `what` is a label, a text or keys joined by "+"; `role` the kind of thing that has the label;
    `on` the program that has to be in front, or the phase of a computer without a desktop; `by` how
    far to drag, in pixels.
    """

    kind: Kind
    what: str
    role: str = ""
    on: str = ""
    by: tuple[int, int] = (0, 0)


def read_steps(plan: str) -> list[SolutionStep]:
    return [_read_move(line) for line in plan.splitlines()]


def _read_move(line: str) -> SolutionStep:
    kind, _, rest = line.partition(" ")
    if kind in KEYS:
        on, _, what = rest.rpartition(": ")
        return SolutionStep(cast(Kind, kind), what, on=on)
    role, _, what = rest.partition(" ")
    what, _, distance = what.partition(" by ")
    right, down = map(int, distance.split()) if distance else (0, 0)
    return SolutionStep(cast(Kind, kind), what, role, by=(right, down))
