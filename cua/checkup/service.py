"""The check-ups of a running service: one at a time, and the last report for each model.

All the rest of this room is loaded with the first one.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..events import EventLog
from ..types import Busy, CuaError
from ..within import cancelled
from .subject import Subject

if TYPE_CHECKING:
    from ..rig import Boot
    from .run import Checkup

logger = logging.getLogger(__name__)


class Checkups:
    """`prepare` makes the subject from the settings as they are; `working`: a task runs now."""

    def __init__(
        self,
        log: EventLog,
        prepare: Callable[[], Subject],
        boot: Boot,
        working: Callable[[], bool],
    ) -> None:
        self._log, self._prepare, self._boot, self._working = log, prepare, boot, working
        self._run: asyncio.Task[None] | None = None
        self._reports: dict[str, dict[str, Any]] = {}

    @property
    def running(self) -> bool:
        return self._run is not None and not self._run.done()

    def start(self) -> None:
        """Raises `Busy` while a check-up or a task runs."""
        if self.running:
            raise Busy("A check-up is running already.")
        if self._working():
            raise Busy("A task is running: pause it first, then check the model.")
        self._run = asyncio.create_task(self._drive(self._prepare()))

    async def stop(self) -> None:
        """Returns when it is over and its virtual computer gone. Does nothing if none runs."""
        if self._run is None or self._run.done():
            return
        await cancelled(self._run)
        if self._run.cancelled():
            self._end("The check-up was stopped.")

    def report(self) -> dict[str, Any] | None:
        """The last one for the model that is set now."""
        return self._reports.get(self._prepare().name)

    async def _drive(self, subject: Subject) -> None:
        try:
            checkup = await asyncio.to_thread(self._made, subject)
            report = await checkup.run()
            self._reports[subject.name] = {**report.as_json(), "picture": report.picture}
        except CuaError as error:
            self._end(str(error))
        except Exception as error:
            # A fault of ours must not look like a check-up that is still running.
            logger.exception("the check-up failed")
            self._end(f"Internal error ({type(error).__name__}: {error}).")

    def _made(self, subject: Subject) -> Checkup:
        from .run import Checkup

        return Checkup(subject, self._log, self._boot, random.randrange(1_000_000))

    def _end(self, text: str) -> None:
        self._log.append("checkup", phase="ended", text=text)
