"""Run many tasks concurrently."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from ..timeouts import run_together
from .environments import Environment
from .run import ERROR, Candidate, Job, Result
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
    jobs: Sequence[Job], concurrency: int, execute: Execute, on_result: Callable[[Result], None]
) -> list[Result]:
    """Run on `concurrency` computers at a time; results are in the order of the jobs.

    A run that ended with an error of a server or of a busy machine is repeated once. Raises
    `CuaError` if a computer does not start.
    """
    turns = asyncio.Semaphore(concurrency)

    async def run_job(job: Job) -> Result:
        async with turns:
            result = await execute(job)
            if result.ending == ERROR:
                result = await execute(job)
        on_result(result)
        return result

    return await run_together(*map(run_job, jobs))
