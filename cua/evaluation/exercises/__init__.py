"""The exercises on the virtual computer, from one click to a dozen moves, a file a program."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch

from ...types import CuaError
from ..exercise import Exercise
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

ALL: tuple[Exercise, ...] = (
    *desktop.EXERCISES,
    *notepad.EXERCISES,
    *files.EXERCISES,
    *browser.EXERCISES,
    *network.EXERCISES,
    *terminal.EXERCISES,
    *firmware.EXERCISES,
    *memory.EXERCISES,
    *disturbed.EXERCISES,
    *traps.EXERCISES,
)


def chosen(pattern: str, among: Sequence[Exercise] = ALL) -> list[Exercise]:
    """Those whose name fits one of the patterns, which are separated by commas; `*` is all.

    Raises `CuaError` if there is none.
    """
    patterns = [each.strip() for each in pattern.split(",")]
    found = [each for each in among if any(fnmatch(each.name, one) for one in patterns)]
    if not found:
        raise CuaError(f"No exercise is called {pattern}; --list shows all of them.")
    return found
