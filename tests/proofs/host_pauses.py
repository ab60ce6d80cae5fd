"""A computer takes no report for a while, at every report of each kind of action."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

from tests.hid.host_pauses import ACTIONS, Outcome, pause_host, reports_of

DURATIONS_S = (0.02, 0.07, 0.12, 0.3, 1.0, 5.0)
PARALLEL = 6
Case = tuple[str, int, float]


def host_pauses(times: int) -> None:
    """So many of them at most, in an order that is the same every time."""
    cases = [
        (kind, after, seconds)
        for kind in ACTIONS
        for after in range(len(asyncio.run(reports_of(kind))))
        for seconds in DURATIONS_S
    ]
    random.Random(1).shuffle(cases)
    counts = Counter[tuple[str, str]]()
    with Pool(PARALLEL) as pool:
        for kind, result in pool.imap_unordered(_result, cases[:times]):
            counts[kind, result] += 1
    for (kind, result), count in sorted(counts.items()):
        print(f"{kind}: {count} {result}")
    print(f"{counts.total()} of {len(cases)} host pauses of 0.02 to 5 s; nothing stayed down")


def _result(case: Case) -> tuple[str, str]:
    kind = case[0]
    with tempfile.TemporaryDirectory() as folder:
        outcome, expected = asyncio.run(_run(Path(folder), case))
    assert outcome.is_right(kind, expected), (case, outcome)
    return kind, "ended with the sentence" if outcome.error else "arrived whole"


async def _run(folder: Path, case: Case) -> tuple[Outcome, list[tuple[int, bytes]]]:
    return await pause_host(folder, *case), await reports_of(case[0])
