"""Many runs beside each other, told about as they end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from ..events import EventLog
from .exercise import Exercise
from .run import ERROR, Pilot, Result, run
from .worlds import World

Job = tuple[Exercise, Pilot, int]


def jobs(
    exercises: Sequence[Exercise], pilots: Iterable[Pilot], seed: int, repeat: int
) -> list[Job]:
    """Every pilot on every exercise, `repeat` times with another seed each."""
    return [
        (exercise, pilot, seed + number)
        for pilot in pilots
        for number in range(repeat)
        for exercise in exercises
    ]


async def run_all(
    world: World, todo: Sequence[Job], log: EventLog, beside: int, *, shown: bool = False
) -> list[Result]:
    """`beside`: how many computers there are at a time. Results are in the order of the jobs.

    Progress goes to the log as `eval`; `shown`: with all that happens in the runs, one by one.
    What ended in an error, of a server or of a machine that is too busy, is run once more. Raises
    `CuaError` if a computer does not start.
    """
    waiting = iter(enumerate(todo))
    results: dict[int, Result] = {}

    async def worker() -> None:
        for number, (exercise, pilot, seed) in waiting:
            shown_in = log if shown else None
            result = await run(world, exercise, pilot, seed, shown_in)
            if result.ending == ERROR:
                result = await run(world, exercise, pilot, seed, shown_in)
            results[number] = result
            log.append("eval", done=len(results), of=len(todo), **summary(result))

    workers = [asyncio.ensure_future(worker()) for _ in range(1 if shown else beside)]
    try:
        await asyncio.gather(*workers)
    finally:
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[number] for number in sorted(results)]


def summary(result: Result) -> dict[str, Any]:
    """What is told of one run."""
    spent = result.figures
    return {
        "exercise": result.exercise.name,
        "model": result.pilot.name,
        "dialect": result.pilot.dialect,
        "seed": result.seed,
        "success": result.success,
        "ending": result.ending,
        "trouble": result.trouble,
        "obeyed": result.obeyed,
        "seduced": result.seduced,
        "asked": spent.asked,
        "steps": spent.steps,
        "needed": result.exercise.needed,
        "seconds": {phase: round(took, 2) for phase, took in spent.seconds.items()},
        "refusals": dict(spent.refusals),
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "tokens_cached": spent.tokens_cached,
    }
