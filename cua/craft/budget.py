"""What a run may spend: replies, minutes, tokens, money. 0 is no limit.

Near the end the model is told, so that it can come to one; the last reply is to say what is done
and what is not, and that is what the person reads. A resumed run may spend as much again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..types import OutOfBudget, Task

NEAR = 0.8
"""Share of a limit after which the model is told."""
FEW = 3
"""Replies that are left when it is told of them."""
MILLION = 1_000_000
FOREVER = 1e9


@dataclass(frozen=True)
class Budget:
    """Prices are per million tokens, in whatever currency the limit is."""

    rounds: int = 0
    minutes: float = 0.0
    tokens: int = 0
    money: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0

    def cost(self, read: int, written: int) -> float:
        return (read * self.price_in + written * self.price_out) / MILLION


class Meter:
    """What one run has spent of its budget."""

    def __init__(self, budget: Budget, task: Task) -> None:
        self._budget, self._task = budget, task
        self._began = time.monotonic()
        self._rounds = 0
        self._read, self._written = task.read, task.written
        self._warned = False

    @property
    def seconds(self) -> float:
        """After which the run is cut, whatever it does: a model may think for hours."""
        return self._budget.minutes * 60 or FOREVER

    def over(self) -> OutOfBudget | None:
        """Whether the run has to stop; asked before each reply, and when its time is over."""
        for limit, spent, most in self._limits():
            if most and spent >= most:
                return OutOfBudget(limit, _summary(self._task))
        self._rounds += 1
        return None

    def note(self) -> str:
        """What the model should know of it with the next screenshot; mostly "" ."""
        left = self._budget.rounds - self._rounds + 1
        if self._budget.rounds > 1 and left in (1, FEW):
            return _LAST if left == 1 else f"You have {left} replies left for this task."
        near = any(most and spent >= NEAR * most for _, spent, most in self._limits()[1:])
        if not near or self._warned:
            return ""
        self._warned = True
        return _NEAR

    def _limits(self) -> list[tuple[str, float, float]]:
        budget, task = self._budget, self._task
        read, written = task.read - self._read, task.written - self._written
        return [
            (f"{budget.rounds} rounds (MAX_ROUNDS)", self._rounds, budget.rounds),
            (
                f"{budget.minutes:g} minutes (MAX_MINUTES)",
                (time.monotonic() - self._began) / 60,
                budget.minutes,
            ),
            (f"{budget.tokens} tokens (MAX_TOKENS)", read + written, budget.tokens),
            (f"a cost of {budget.money:g} (MAX_COST)", budget.cost(read, written), budget.money),
        ]


_NEAR = (
    "The time or money for this task is nearly spent: come to an end soon, and say in each reply "
    "what is done and what is not."
)
_LAST = (
    "This is your last reply for this task: beside the next action, say in words what is done and "
    "what is not."
)


def _summary(task: Task) -> str:
    """The model's last words, and what came of them."""
    last = next((step for step in reversed(task.steps) if step.turn), None)
    if last is None or last.turn is None:
        return ""
    return " ".join(f"{last.turn.thought[-400:]} {last.outcome}".split())
