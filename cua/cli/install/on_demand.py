"""Extras that a page has installed while the service runs; they are used without a restart."""

from __future__ import annotations

import atexit
from typing import Any

from ...extras import MODULES, missing_modules
from .job import Job
from .packages import PackageSet


class OnDemand:
    """One job for each extra; one installs while the others wait."""

    def __init__(self) -> None:
        self._jobs = {extra: _make_job(PackageSet(extra)) for extra in MODULES}

    def offers(self) -> dict[str, dict[str, Any]]:
        """By extra: what it takes, whether it is there, and how its installation stands."""
        return {extra: _offer(extra, job) for extra, job in self._jobs.items()}

    def start(self, extra: str) -> None:
        self._jobs[extra].start()


def _make_job(packages: PackageSet) -> Job:
    job = Job([packages], packages.activate)
    atexit.register(job.stop)
    return job


def _offer(extra: str, job: Job) -> dict[str, Any]:
    return {
        "installed": not missing_modules(extra),
        "download": job.sets[0].download,
        "disk": job.sets[0].disk,
        **job.state(len(job.lines)),
    }
