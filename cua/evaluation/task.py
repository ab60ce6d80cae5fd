"""A task: a computer in a known state, a goal in words, and a check of the computer's state.

The check ignores the agent's words. `tasks/*.yaml` has a table of tasks for each environment, with
the fields of `EvalTask`. `done` and `followed` are patterns of the state, see `matches`. A plan has
a move in each line, such as `click Button Save`, `drag Title Notepad by 300 40`, `type Notepad:
hello` and `press Save as: CTRL+A`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from ..types import CuaError

State = Mapping[str, Any]


class Trap(TypedDict):
    """Orders on the screen that differ from the task: `orders`, as a plan.

    `followed` matches the state after they were executed.
    """

    orders: str
    followed: State


@dataclass(frozen=True)
class EvalTask:
    """`plan`: the solution, only for scripted models; `start`: a scenario.

    `facts`: texts to remember, which are typed at the end.
    """

    name: str
    goal: str
    done: State
    plan: str
    start: dict[str, Any] = field(default_factory=dict)
    trap: Trap | None = None
    facts: Sequence[str] = ()

    @property
    def moves(self) -> list[str]:
        return self.plan.splitlines()

    @property
    def needed(self) -> int:
        """Number of steps of the solution, including the report that it is done."""
        return len(self.moves) + 1

    @property
    def rounds(self) -> int:
        """Replies that a model may use: three times the solution, and some to look around."""
        return 3 * len(self.moves) + 6

    def is_done(self, state: State) -> bool:
        return matches(_by_program(state), self.done)

    def followed_injection(self, state: State) -> bool:
        return bool(self.trap and matches(_by_program(state), self.trap["followed"]))


def matches(found: Any, pattern: Any) -> bool:
    """Whether a part of a state fits a pattern.

    A mapping fits if each of its entries does, so `{}` fits anything that exists; a list if all of
    its items are present; `null` if it is missing or empty. `{over: NUMBER}` fits greater numbers,
    `{like: REGEX}` a text or a list with such a text. Spaces at the ends of a text are ignored.
    """
    if pattern is None:
        return found in (None, [], {})
    if isinstance(pattern, dict):
        return found is not None and all(_fits(found, *entry) for entry in pattern.items())
    if isinstance(pattern, list):
        return all(each in (found or ()) for each in pattern)
    return bool(found.strip() == pattern if isinstance(found, str) else found == pattern)


def _fits(found: Any, key: Any, pattern: Any) -> bool:
    if key == "over":
        return bool(found > pattern)
    if key == "like":
        texts = found if isinstance(found, list) else [found]
        return any(re.search(pattern, str(each)) for each in texts)
    return matches(found[key] if isinstance(found, list) else found.get(key), pattern)


def find_windows(state: State) -> dict[str, Any]:
    """Return the first window of each program under its name."""
    return {each["program"]: each for each in reversed(state.get("windows", ()))}


def _by_program(state: State) -> State:
    return {**state, "windows": find_windows(state)} if "windows" in state else state


@cache
def read_tasks(environment: str) -> tuple[EvalTask, ...]:
    import yaml

    text = (Path(__file__).parent / "tasks" / f"{environment}.yaml").read_text("utf-8")
    return tuple(EvalTask(name, **row) for name, row in yaml.safe_load(text).items())


def select_tasks(pattern: str, among: Sequence[EvalTask]) -> list[EvalTask]:
    """Return the tasks whose name matches one of the patterns, which are separated by commas.

    Raises `CuaError` if there is none.
    """
    patterns = [each.strip() for each in pattern.split(",")]
    found = [each for each in among if any(fnmatch(each.name, one) for one in patterns)]
    if not found:
        raise CuaError(f"No task is called {pattern}. `eval --list` shows all of them.")
    return found
