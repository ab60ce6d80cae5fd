"""Run each job of an evaluation as a Ray task, on any node with a free processor."""

from __future__ import annotations

import asyncio
from typing import Any

from ..cluster import remote_errors
from .batch import Execute
from .environments import Environment
from .run import Candidate, Result, run
from .task import EvalTask

RETRIES = 3
"""Retries of a task whose worker or node died."""
OUTCOME = ("success", "ending", "trouble", "followed_injection", "metrics")
"""Fields of a result that the run determines."""


def run_on(ray: Any) -> Execute:
    """Return a function that runs one job on the cluster of `ray`."""
    task_type = ray.remote(num_cpus=1, max_retries=RETRIES)(_run_here)

    async def execute(
        environment: Environment, task: EvalTask, candidate: Candidate, seed: int
    ) -> Result:
        reference = task_type.options(name=f"eval {task.name} {seed}").remote(
            environment, task, candidate, seed
        )
        try:
            with remote_errors(ray):
                outcome = await reference
        except asyncio.CancelledError:
            ray.cancel(reference)
            raise
        return Result(task, candidate, seed, *outcome)

    return execute


def _run_here(
    environment: Environment, task: EvalTask, candidate: Candidate, seed: int
) -> tuple[Any, ...]:
    """Run a job in a worker of Ray."""
    environment.check()
    result = asyncio.run(run(environment, task, candidate, seed))
    return tuple(getattr(result, name) for name in OUTCOME)
