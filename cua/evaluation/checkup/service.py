"""The check-ups of a running service: one at a time, and the last report for each model and its
settings.

The rest of this package is loaded with the first check-up.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from ...events.log import EventLog
from ...messages import Message
from ...timeouts import cancel_and_wait
from ...types import Busy, CuaError
from .model_under_test import ModelUnderTest

if TYPE_CHECKING:
    from .run import Checkup

logger = logging.getLogger(__name__)


class Checkups:
    """`prepare` reads the model from the current settings; `working`: whether a task runs."""

    def __init__(
        self, log: EventLog, prepare: Callable[[], ModelUnderTest], working: Callable[[], bool]
    ) -> None:
        self._log, self._prepare, self._working = log, prepare, working
        self._run: asyncio.Task[None] | None = None
        self._reports: dict[Hashable, dict[str, Any]] = {}

    @property
    def running(self) -> bool:
        return self._run is not None and not self._run.done()

    def start(self) -> None:
        """Start a check-up. Raises `Busy` while one or a task runs."""
        if self.running:
            raise Busy(Message("checkup.running"))
        if self._working():
            raise Busy(Message("checkup.task_running"))
        self._run = asyncio.create_task(self._examine(self._prepare()))

    async def stop(self) -> None:
        """Stop the check-up and its simulated computer. Does nothing if none runs."""
        if self._run is None or self._run.done():
            return
        await cancel_and_wait(self._run)
        if self._run.cancelled():
            self._log_end(Message("checkup.stopped"))

    def report(self) -> dict[str, Any] | None:
        """Return the last report for the model and its current settings."""
        return self._reports.get(self._prepare().key)

    async def _examine(self, subject: ModelUnderTest) -> None:
        try:
            checkup = await asyncio.to_thread(self._create, subject)
            report = await checkup.run()
            self._reports[subject.key] = {**report.as_json(), "picture": report.picture}
        except CuaError as error:
            self._log_end(error.message)
        except Exception as error:
            # Otherwise the page would show a check-up that never ends.
            logger.exception("the check-up failed")
            kind = type(error).__name__
            self._log_end(Message("checkup.failed", kind=kind, reason=str(error)))

    def _create(self, subject: ModelUnderTest) -> Checkup:
        from .run import Checkup

        return Checkup(subject, self._log, random.randrange(1_000_000))

    def _log_end(self, text: str) -> None:
        self._log.append("checkup", phase="ended", text=text)
