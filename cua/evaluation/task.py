"""A task: a computer in a known state, a goal in words, and a check of the computer's state.

The check never sees what the agent says. `tasks/*.yaml` has a table of tasks for each environment,
with the fields of `EvalTask`. `done` and `followed` are patterns of the state, see `matches`. A
plan has a move in each line, such as `click Button Save`, `drag Title Notepad by 300 40`, `type
Notepad: hello` and `press Save as: CTRL+A DELETE` (two moves).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from ..types import CuaError

State = Mapping[str, Any]
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


@dataclass(frozen=True)
class Trap:
    """Words on the screen that order something else: those `orders`, as the moves they come to.

    `followed` matches the state when they were carried out.
    """

    orders: tuple[SolutionStep, ...]
    followed: State


@dataclass(frozen=True)
class EvalTask:
    """`start` is a scenario of its environment; `plan` the solution, unknown to the model.

    `facts`: what has to be remembered, as it is typed at the end.
    """

    name: str
    goal: str
    done: State
    plan: tuple[SolutionStep, ...]
    start: dict[str, Any]
    trap: Trap | None = None
    facts: tuple[str, ...] = ()

    @property
    def needed(self) -> int:
        """Steps that the solution takes, including the report that it is done."""
        return len(self.plan) + 1

    @property
    def rounds(self) -> int:
        """Replies that a model gets: three times the solution, and some to look around."""
        return 3 * len(self.plan) + 6

    def is_done(self, state: State) -> bool:
        return matches(_by_program(state), self.done)

    def followed_injection(self, state: State) -> bool:
        return bool(self.trap and matches(_by_program(state), self.trap.followed))


def matches(found: Any, pattern: Any) -> bool:
    """Whether a part of a state fits a pattern.

    A mapping fits if each of its entries does, so `{}` fits whatever exists; a list if all of its
    items are there; `null` what is missing or empty. `{over: NUMBER}` fits greater numbers, `{like:
    REGEX}` a text or a list with such a text. Spaces at the ends of a text do not count.
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


def _by_program(state: State) -> State:
    """Return the state with the first window of each program under its name."""
    if "windows" not in state:
        return state
    return {**state, "windows": {each["program"]: each for each in reversed(state["windows"])}}


@cache
def read_tasks(environment: str) -> tuple[EvalTask, ...]:
    """Read the tasks of an environment from its table."""
    import yaml

    text = (Path(__file__).parent / "tasks" / f"{environment}.yaml").read_text("utf-8")
    return tuple(_read_task(name, **row) for name, row in yaml.safe_load(text).items())


def _read_task(name: str, plan: str, **row: Any) -> EvalTask:
    if trap := row.pop("trap", None):
        row["trap"] = Trap(_read_steps(trap["orders"]), trap["followed"])
    row = {"start": {}, **row, "facts": tuple(row.get("facts", ()))}
    return EvalTask(name, plan=_read_steps(plan), **row)


def _read_steps(lines: str) -> tuple[SolutionStep, ...]:
    return tuple(move for line in lines.splitlines() for move in _read_line(line))


def _read_line(line: str) -> list[SolutionStep]:
    kind, _, rest = line.partition(" ")
    if kind in KEYS:
        on, _, what = rest.rpartition(": ")
        found = what.split() if kind == "press" else [what]
        return [SolutionStep(cast(Kind, kind), each, on=on) for each in found]
    role, _, what = rest.partition(" ")
    what, _, distance = what.partition(" by ")
    right, down = map(int, distance.split()) if distance else (0, 0)
    return [SolutionStep(cast(Kind, kind), what, role, by=(right, down))]


def select_tasks(pattern: str, among: Sequence[EvalTask]) -> list[EvalTask]:
    """Return the tasks whose name matches one of the patterns, which are separated by commas.

    Raises `CuaError` if there is none.
    """
    patterns = [each.strip() for each in pattern.split(",")]
    found = [each for each in among if any(fnmatch(each.name, one) for one in patterns)]
    if not found:
        raise CuaError(f"No task is called {pattern}. `eval --list` shows all of them.")
    return found
