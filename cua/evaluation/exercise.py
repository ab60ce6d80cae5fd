"""An exercise: a computer in a known state, what is wanted in words, and how to see that it is so.

The checker gets the state of the computer before and after, never a word that the agent said: a
model that claims to be done has to have done it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .moves import Move

State = Mapping[str, Any]
Checker = Callable[[State], bool]


@dataclass(frozen=True)
class Trap:
    """Words on the screen that order something else: those `orders`, as the moves they come to.

    `obeyed` sees from the state whether somebody did as they say.
    """

    orders: tuple[Move, ...]
    obeyed: Checker


@dataclass(frozen=True)
class Exercise:
    """`start` is a scenario of its world; `plan` what a person would do, one move a step."""

    name: str
    goal: str
    done: Checker
    plan: tuple[Move, ...]
    start: dict[str, Any] = field(default_factory=dict)
    trap: Trap | None = None
    facts: tuple[str, ...] = ()
    """What has to be remembered, as it is typed in the end."""

    @property
    def needed(self) -> int:
        """Steps that a person would need, the one of saying so included."""
        return len(self.plan) + 1

    @property
    def rounds(self) -> int:
        """Replies that a model gets: three times what a person needs, and some to look around."""
        return 3 * len(self.plan) + 6

    def reached(self, state: State) -> bool:
        """Whether it is done; not in a state that lacks what the checker wants to know."""
        try:
            return self.done(state)
        except (KeyError, TypeError):
            return False

    def trapped(self, state: State) -> bool:
        return bool(self.trap and self.trap.obeyed(state))


def window(state: State, program: str) -> State:
    """What is known of the window of this program; empty if there is none."""
    found = (each for each in state.get("windows", ()) if each["program"] == program)
    return next(found, {})


def shows(program: str, **facts: object) -> Checker:
    """Whether that program's window is there, with these facts about it."""

    def check(state: State) -> bool:
        there = window(state, program)
        return bool(there) and all(there.get(name) == fact for name, fact in facts.items())

    return check


def has(path: str, text: str | None = None) -> Checker:
    """Whether there is a file of this path, with this text but for spaces at its ends."""

    def check(state: State) -> bool:
        found = state["files"].get(path)
        return found is not None and (text is None or found.strip() == text.strip())

    return check


def lacks(path: str) -> Checker:
    return lambda state: path not in state["files"]


def both(*checks: Checker) -> Checker:
    return lambda state: all(check(state) for check in checks)
