"""A task: a computer in a known state, a goal in words, and a checker of the computer's state.

The checker never sees what the agent says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .solution import Move

State = Mapping[str, Any]
Checker = Callable[[State], bool]


@dataclass(frozen=True)
class Trap:
    """Words on the screen that order something else: those `orders`, as the moves they come to.

    `followed` tells from the state whether they were carried out.
    """

    orders: tuple[Move, ...]
    followed: Checker


@dataclass(frozen=True)
class EvalTask:
    """`start` is a scenario of its environment; `plan` the solution, one move a step."""

    name: str
    goal: str
    done: Checker
    plan: tuple[Move, ...]
    start: dict[str, Any] = field(default_factory=dict)
    trap: Trap | None = None
    facts: tuple[str, ...] = ()
    """What has to be remembered, as it is typed at the end."""

    @property
    def needed(self) -> int:
        """Steps that the solution takes, including the report that it is done."""
        return len(self.plan) + 1

    @property
    def rounds(self) -> int:
        """Replies that a model gets: three times the solution, and some to look around."""
        return 3 * len(self.plan) + 6

    def is_done(self, state: State) -> bool:
        """Whether it is done; false if the state lacks what the checker needs."""
        try:
            return self.done(state)
        except (KeyError, TypeError):
            return False

    def followed_injection(self, state: State) -> bool:
        return bool(self.trap and self.trap.followed(state))


def window(state: State, program: str) -> State:
    """Return the state of this program's window; empty if there is none."""
    found = (each for each in state.get("windows", ()) if each["program"] == program)
    return next(found, {})


def has_window(program: str, **facts: object) -> Checker:
    """Check that there is a window of that program, with these facts about it."""

    def check(state: State) -> bool:
        there = window(state, program)
        return bool(there) and all(there.get(name) == fact for name, fact in facts.items())

    return check


def has_file(path: str, text: str | None = None) -> Checker:
    """Check that there is such a file, with this text but for spaces at its ends."""

    def check(state: State) -> bool:
        found = state["files"].get(path)
        return found is not None and (text is None or found.strip() == text.strip())

    return check


def lacks_file(path: str) -> Checker:
    return lambda state: path not in state["files"]


def all_of(*checks: Checker) -> Checker:
    return lambda state: all(check(state) for check in checks)
