"""Bounds on the layout of `cua/`: see `python -m tests.layout`. Raising one takes a reason."""

from __future__ import annotations

from statistics import median

import pytest

from tests.layout import (
    Module,
    by_package,
    circles,
    functions,
    graph,
    levels,
    lines,
    modules,
    with_logic,
)

MAX_LINES = 44_141
"""Lines of `cua/`, exactly: each commit shows how much it adds or saves."""
MAX_LOOP_LINES = 150
"""The loop is read as a whole: what a part decides stands in `checks/` or `step_results.py`."""
MAX_FUNCTION_LINES = 59
MAX_MEDIAN_FUNCTION_LINES = 5
MAX_LEVELS = 9


@pytest.fixture(scope="module")
def found() -> list[Module]:
    return modules()


def test_imports_form_no_circles(found: list[Module]) -> None:
    everything = graph(found, inside_functions=True)
    assert circles(everything) == []
    packages = by_package(everything, found)
    assert circles(packages) == []
    assert len(levels(packages)) <= MAX_LEVELS


def test_sizes_do_not_grow(found: list[Module]) -> None:
    lengths = functions(found)
    more = lines(found) - MAX_LINES
    assert more <= 0, (
        f"`cua/` grew by {more} lines: shorten something, "
        f"or raise MAX_LINES here to {lines(found)} and say why in the commit"
    )
    more = lines([each for each in found if each.name == "cua.agent.loop"]) - MAX_LOOP_LINES
    assert more <= 0, f"agent/loop.py is {more} lines too long: move a part to step_results.py"
    assert lengths[-1][0] <= MAX_FUNCTION_LINES, lengths[-1]
    assert median(count for count, _ in lengths) <= MAX_MEDIAN_FUNCTION_LINES


def test_packages_define_nothing_in_their_init_file(found: list[Module]) -> None:
    assert with_logic(found) == []


def test_circles_are_found() -> None:
    imports = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set[str]()}
    assert circles(imports) == [["b", "c"]]
