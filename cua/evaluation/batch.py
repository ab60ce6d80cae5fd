"""Run many tasks concurrently."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from ..events.log import EventLog
from ..timeouts import run_together
from .environments import Environment
from .run import ERROR, Candidate, Job, Result, run
from .task import EvalTask

Execute = Callable[[Job], Awaitable[Result]]
"""Runs one job, here or on another machine."""


def create_jobs(
    environment: Environment,
    tasks: Sequence[EvalTask],
    candidates: Iterable[Candidate],
    seed: int,
    repeat: int,
) -> list[Job]:
    """Return `repeat` jobs, with different seeds, for every model and task."""
    return [
        Job(environment, task, candidate, seed + number)
        for candidate in candidates
        for number in range(repeat)
        for task in tasks
    ]


async def run_all(
    jobs: Sequence[Job], log: EventLog, concurrency: int, execute: Execute = run
) -> list[Result]:
    """Run on `concurrency` computers at a time; results are in the order of the jobs.

    Progress is logged as `eval`. A run that ended with an error of a server or of a busy
    machine is repeated once. Raises `CuaError` if a computer does not start.
    """
    waiting = iter(enumerate(jobs))
    results: dict[int, Result] = {}

    async def worker() -> None:
        for number, job in waiting:
            result = await execute(job)
            if result.ending == ERROR:
                result = await execute(job)
            results[number] = result
            log.append("eval", done=len(results), of=len(jobs), **summarize(result))

    await run_together(*(worker() for _ in range(concurrency)))
    return [results[number] for number in sorted(results)]


def summarize(result: Result) -> dict[str, Any]:
    job, spent = result.job, result.metrics
    return {
        "exercise": job.task.name,
        "model": job.candidate.name,
        "dialect": job.candidate.dialect,
        "seed": job.seed,
        "success": result.success,
        "ending": result.ending,
        "trouble": result.trouble,
        "followed_injection": result.followed_injection,
        "attempted_injection": result.attempted_injection,
        "asked": spent.asked,
        "steps": spent.steps,
        "needed": job.task.needed,
        "seconds": {phase: round(took, 2) for phase, took in spent.seconds.items()},
        "refusals": dict(spent.refusals),
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "tokens_cached": spent.tokens_cached,
    }
