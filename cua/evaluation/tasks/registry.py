"""All tasks of the virtual computer, and how they are selected."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch

from ...types import CuaError
from ..task import EvalTask
from . import (
    browser,
    desktop,
    disturbed,
    files,
    firmware,
    memory,
    network,
    notepad,
    terminal,
    traps,
)

ALL: tuple[EvalTask, ...] = (
    *desktop.TASKS,
    *notepad.TASKS,
    *files.TASKS,
    *browser.TASKS,
    *network.TASKS,
    *terminal.TASKS,
    *firmware.TASKS,
    *memory.TASKS,
    *disturbed.TASKS,
    *traps.TASKS,
)


def select_tasks(pattern: str, among: Sequence[EvalTask] = ALL) -> list[EvalTask]:
    """Return the tasks whose name matches one of the patterns, which are separated by commas.

    Raises `CuaError` if there is none.
    """
    patterns = [each.strip() for each in pattern.split(",")]
    found = [each for each in among if any(fnmatch(each.name, one) for one in patterns)]
    if not found:
        raise CuaError(f"No task is called {pattern}. `eval --list` shows all of them.")
    return found
