"""All faults in all phases, some at a time; one line per kind."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from .cell import Disturbed, Outcome, run_cell
from .kinds.kind import Kind, Setup
from .kinds.table import KINDS
from .phases import PHASES, Phase
from .testbed import Testbed, open_testbed

PARALLEL = 4 * (os.cpu_count() or 1)
CELL_S = 240.0
"""A cell that takes longer hangs."""


def faults(times: int) -> None:
    """At most so many cells; with fewer than all of them, each kind in other phases."""
    cells = choose(times)
    begun = time.monotonic()
    results = list(_all(cells))
    broken = sum(bool(outcome.wrong) for found in results for outcome in found.values())
    count = sum(map(len, results))
    minutes = (time.monotonic() - begun) / 60
    print(f"{len(results)} kinds of faults in {len(PHASES)} phases, {minutes:.0f} minutes:")
    print(f"{count - broken} of {count} cells survived")
    assert not broken


def choose(times: int) -> list[tuple[Kind, Sequence[Phase]]]:
    each = max(1, min(len(PHASES), times // len(KINDS)))
    return [
        (kind, [PHASES[(number + n) % len(PHASES)] for n in range(each)])
        for number, kind in enumerate(KINDS[:times])
    ]


def _all(cells: Sequence[tuple[Kind, Sequence[Phase]]]) -> Iterator[dict[str, Outcome]]:
    """Each kind in a process of its own, so that none holds up another."""
    with ProcessPoolExecutor(PARALLEL, get_context("spawn")) as pool:
        running = {
            pool.submit(_in_its_process, kind.name, [phase.name for phase in phases]): kind
            for kind, phases in cells
        }
        for each in as_completed(running):
            print(describe(running[each], each.result()), flush=True)
            yield each.result()


def _in_its_process(name: str, phases: Sequence[str]) -> dict[str, Outcome]:
    """A service that does not even start is a result too, and keeps nothing else from running."""
    kind = find_kind(name)
    try:
        return asyncio.run(run_cells([(kind, find_phase(phase)) for phase in phases], kind.setup))
    except Exception as error:  # noqa: BLE001
        return {phase: _break_down(error) for phase in phases}


def find_kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def find_phase(name: str) -> Phase:
    return next(phase for phase in PHASES if phase.name == name)


async def run_cells(cells: Sequence[tuple[Kind, Phase]], setup: Setup) -> dict[str, Outcome]:
    """One after the other in one service, which has to survive them all; the outcomes by phase."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with open_testbed(Path(folder), setup) as made:
            return {phase.name: await _cell(made, kind, phase) for kind, phase in cells}


async def _cell(made: Testbed, kind: Kind, phase: Phase, tries: int = 3) -> Outcome:
    try:
        return await asyncio.wait_for(run_cell(made, kind, phase), CELL_S)
    except Disturbed as disturbed:
        if tries > 1:
            return await _cell(made, kind, phase, tries - 1)
        return Outcome("was disturbed", "", [f"it never came to {phase.name}: {disturbed}"])
    except Exception as error:  # noqa: BLE001 - a cell that breaks down is a result
        return _break_down(error)


def _break_down(error: Exception) -> Outcome:
    return Outcome("broke down", "", [f"{type(error).__name__}: {error}"])


def describe(kind: Kind, found: dict[str, Outcome]) -> str:
    """Such as `model: 503 Unavailable: 8 of 8 survived (8 went on)`."""
    right = sum(not outcome.wrong for outcome in found.values())
    ways = Counter(outcome.how for outcome in found.values())
    how = ", ".join(f"{count} {way}" for way, count in ways.most_common())
    lines = [f"{kind.name}: {right} of {len(found)} survived ({how})"]
    lines += [f"    {phase}: {each}" for phase, one in found.items() for each in one.wrong]
    return "\n".join(lines)
