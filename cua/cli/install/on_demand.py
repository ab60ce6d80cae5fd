"""Extras that a page has installed while the service runs; they are used without a restart."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from ...extras import MODULES, missing_modules
from .environment import PackageSet

if TYPE_CHECKING:
    from .job import Job


class OnDemand:
    """One installation at a time for each extra."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def offers(self) -> dict[str, dict[str, Any]]:
        """By extra: what it takes, whether it is there, and how its installation stands."""
        return {extra: self._offer(extra) for extra in MODULES}

    def start(self, extra: str) -> None:
        if extra not in self._jobs:
            from .first import make_job

            self._jobs[extra] = make_job([extra], PackageSet(extra).activate)
            atexit.register(self._jobs[extra].stop)
        self._jobs[extra].start()

    def _offer(self, extra: str) -> dict[str, Any]:
        home, job = PackageSet(extra), self._jobs.get(extra)
        return {
            "installed": not missing_modules(extra),
            "download": sum(pin.download for pin in home.pins),
            "disk": sum(pin.disk for pin in home.pins),
            **(job.state(len(job.lines)) if job else {"status": "waiting"}),
        }
