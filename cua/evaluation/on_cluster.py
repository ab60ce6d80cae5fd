"""Run each job of an evaluation as a Ray task, on any node with a free processor."""

from __future__ import annotations

import asyncio
from typing import Any

from ..cluster import remote_errors
from .batch import Execute
from .run import Job, Result, run

RETRIES = 3
"""Retries of a task whose worker or node died."""


def run_on(ray: Any) -> Execute:
    """Return a function that runs one job on the cluster of `ray`."""
    task_type = ray.remote(num_cpus=1, max_retries=RETRIES)(_run_here)

    async def execute(job: Job) -> Result:
        reference = task_type.options(name=f"eval {job.task.name} {job.seed}").remote(job)
        try:
            with remote_errors(ray):
                outcome = await reference
        except asyncio.CancelledError:
            ray.cancel(reference)
            raise
        return Result(job, *outcome)

    return execute


def _run_here(job: Job) -> tuple[Any, ...]:
    """Do a job in a worker of Ray; return the result without the job, which has the model's key."""
    job.environment.check()
    return asyncio.run(run(job))[1:]
