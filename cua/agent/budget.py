"""The limits of a run: replies, minutes, tokens, money. 0 is no limit.

Near a limit a note tells the model to finish, and to say what is done and what is not. A task
that goes on after a reached limit has another budget, and the model is told so. Before a limit is
reached, an answer, a hint or a pause grants nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from ..events.log import EventLog
from ..messages import Message
from ..timeouts import within
from ..types import ApprovalGate, CuaError, Ending, ModelError, OutOfBudget, Reply, Task, Usage

NEAR_PROPORTION = 0.8
"""Proportion of a limit from which the model is warned."""
FEW_REPLIES = 3
"""Remaining replies at which the model is warned."""
MILLION = 1_000_000
NO_LIMIT_S = 1e9
MIN_WAIT_S = 0.1
"""Interval at which the time is looked at that does not pass while the person is asked."""


@dataclass(frozen=True)
class Budget:
    """Prices are per million tokens, in the same currency as `money`."""

    rounds: int = 0
    minutes: float = 0.0
    tokens: int = 0
    money: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / MILLION


def working_time(gate: ApprovalGate) -> float:
    """Return the time in seconds of a clock that stands while the person is asked."""
    return time.monotonic() - gate.waited_s


def warn_unmeasured(budget: Budget, used: Usage, reply: Reply, log: EventLog) -> None:
    """Say once that a limit cannot be measured: the server reports no tokens, or has no price."""
    if used.is_unmeasured or reply.is_scripted or reply.parsed:
        return
    if not (reply.tokens_in or reply.tokens_out) and (budget.tokens or budget.money):
        why = Message("agent.unmeasured")
    elif budget.money and not (budget.price_in or budget.price_out):
        why = Message("agent.unpriced")
    else:
        return
    used.is_unmeasured = True
    log.note("warning", why, aloud=True)


def count_unusable(budget: Budget, used: Usage, error: CuaError) -> dict[str, Any]:
    """Count the replies that could not be used; return their tokens and cost for an event."""
    if not isinstance(error, ModelError) or not error.tokens_in:
        return {}
    used.count_tokens(error)
    tokens = error.tokens_in, error.tokens_out
    return {"tokens": sum(tokens), "cost": round(budget.cost(*tokens), 6)}


class Meter:
    """Measures what a run of `task` uses of its budget; `gate`: its waits do not count."""

    def __init__(self, budget: Budget, task: Task, gate: ApprovalGate) -> None:
        self._budget, self._task, self._gate = budget, task, gate
        self._began = working_time(gate) - task.used.seconds

    async def limit_time(self, work: Coroutine[Any, Any, Ending]) -> Ending:
        """Measure `work`; end it when the time is used up, even during a reply."""
        try:
            async with within(self._count_seconds_left(), extend=self._count_seconds_left):
                return await work
        except asyncio.TimeoutError:
            if ending := self.find_limit():
                return ending
            raise
        finally:
            self._task.used.seconds = self._seconds

    def _count_seconds_left(self) -> float:
        if not self._budget.minutes:
            return NO_LIMIT_S
        left = self._budget.minutes * 60 - self._seconds
        return max(left, MIN_WAIT_S) if left > 0 else 0.0

    @property
    def _seconds(self) -> float:
        return working_time(self._gate) - self._began

    def find_limit(self) -> OutOfBudget | None:
        for name, (spent, most) in self._limits().items():
            if most and spent >= most:
                shown = f"{most:g}" if isinstance(most, float) else most
                if self._task.used.is_renewed:
                    limit = Message(f"agent.limit_again.{name}", **{name: shown})
                else:
                    limit = Message(f"agent.limit.{name}", **{name: shown})
                return OutOfBudget(limit, _summary(self._task))
        return None

    def write_note(self) -> str:
        """Return a note for the model about what is left of the budget, or ""."""
        used = self._task.used
        left = self._budget.rounds - used.rounds
        if used.is_renewed and not used.rounds:
            return f"{_RENEWED} Replies left: {left}." if self._budget.rounds else _RENEWED
        if self._budget.rounds > 1 and left in (1, FEW_REPLIES):
            return _LAST if left == 1 else f"You have {left} replies left for this task."
        others = (each for name, each in self._limits().items() if name != "rounds")
        near = any(most and spent >= NEAR_PROPORTION * most for spent, most in others)
        if not near or used.is_warned:
            return ""
        used.is_warned = True
        return _NEAR

    def _limits(self) -> dict[str, tuple[float, float]]:
        """Return the name of each limit, as in the messages -> (spent, limit)."""
        budget, used = self._budget, self._task.used
        return {
            "rounds": (used.rounds, budget.rounds),
            "minutes": (self._seconds / 60, budget.minutes),
            "tokens": (used.tokens_in + used.tokens_out, budget.tokens),
            "cost": (budget.cost(used.tokens_in, used.tokens_out), budget.money),
        }


_RENEWED = "The limit was reached, and the person has since allowed more for this task."
_NEAR = (
    "The time or money for this task is nearly spent: come to an end soon, and say in each reply "
    "what is done and what is not."
)
_LAST = (
    "This is your last reply for this task: beside the next action, say in words what is done and "
    "what is not."
)


def _summary(task: Task) -> str:
    """Return the thought of the last reply with actions, and its outcome."""
    for step in reversed(task.steps):
        if step.parsed.actions:
            outcome = step.outcome.message if step.outcome else ""
            return " ".join(f"{step.parsed.thought[-400:]} {outcome}".split())
    return ""
