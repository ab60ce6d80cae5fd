"""The worker on a node of a cluster: the agent of one computer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ..events.log import Event
from ..messages import Message
from ..timeouts import cancel_and_wait, within
from ..types import CuaError
from .run import Job, perform

RETRIES = 3
"""How often a computer's work may continue on another node because its node died."""
REPORT_S = 1.0
ANSWER_TIMEOUT_S = 8.0
"""Less than Ray takes to restart the work of a dead node elsewhere, so that two agents never use
one KVM."""


class Attempt(NamedTuple):
    """What the coordinator tells a worker that begins.

    `earlier`: text about an earlier attempt; `folders`: those already in the record; `learned`: the
    file of values measured at the KVM.
    """

    number: int
    earlier: str
    folders: list[str]
    learned: bytes


class Report(NamedTuple):
    """New events, and new pieces of the record: file -> offset and bytes."""

    name: str
    attempt: int
    events: list[Event]
    pieces: dict[str, tuple[int, bytes]]


class Worker:
    """The actor. If it is killed, the process that writes its reports releases every key."""

    def __init__(self) -> None:
        self._working: asyncio.Future[int] | None = None
        self._ended = asyncio.Event()

    async def work(self, job: Job, coordinator: Any) -> tuple[int, bytes]:
        """Return the exit code and the file of values measured at the KVM. Raises `CuaError`."""
        try:
            async with within(ANSWER_TIMEOUT_S):
                attempt = await coordinator.begin.remote(job.name)
            with TemporaryDirectory(prefix="cua-fleet-") as folder:
                return await self._work(Path(folder), job, attempt, coordinator)
        except CuaError as error:
            raise CuaError(error.message) from None  # some subclasses cannot be pickled
        except asyncio.TimeoutError:
            raise CuaError(Message("cluster.replaced")) from None
        finally:
            self._ended.set()

    async def stop(self) -> None:
        """Return when every key is released."""
        if self._working is not None:
            self._working.cancel()
            await self._ended.wait()

    async def _work(
        self, folder: Path, job: Job, attempt: Attempt, coordinator: Any
    ) -> tuple[int, bytes]:
        file, records = folder / "kvm.json", folder / "records"
        if attempt.learned:
            file.write_bytes(attempt.learned)
        for each in attempt.folders:  # so that the record continues with the next number
            (records / each).mkdir(parents=True)
        reports = _Reports(job.name, attempt.number, records, coordinator)
        job = job._replace(earlier=attempt.earlier)
        working = perform(job, file, records, reports.queue_event)
        self._working = asyncio.ensure_future(working)
        reporting = asyncio.create_task(reports.send_often())
        try:
            await asyncio.wait((self._working, reporting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await asyncio.gather(cancel_and_wait(reporting), cancel_and_wait(self._working))
        if not reporting.cancelled():
            reporting.result()
        await reports.send()
        return self._working.result(), file.read_bytes() if file.exists() else b""


class _Reports:
    """Sends events and records to the coordinator; without a coordinator the agent stops."""

    def __init__(self, name: str, attempt: int, records: Path, coordinator: Any) -> None:
        self._name, self._attempt = name, attempt
        self._records, self._coordinator = records, coordinator
        self._events: list[Event] = []
        self._sent: dict[str, int] = {}
        """File -> number of bytes sent."""

    def queue_event(self, event: Event) -> None:
        """Keep an event for the next report; its picture is sent with the record."""
        self._events.append(replace(event, picture=None))

    async def send_often(self) -> None:
        """Send reports. Raises `CuaError` if the coordinator ended or replaced this worker."""
        while True:
            await self.send()
            await asyncio.sleep(REPORT_S)

    async def send(self) -> None:
        events, self._events = self._events, []
        pieces = await asyncio.to_thread(self._read_pieces)
        report = Report(self._name, self._attempt, events, pieces)
        async with within(ANSWER_TIMEOUT_S):
            is_current = await self._coordinator.report.remote(report)
        if not is_current:
            raise CuaError(Message("cluster.replaced"))

    def _read_pieces(self) -> dict[str, tuple[int, bytes]]:
        found = {}
        for path in self._records.glob("*/*"):
            name = str(path.relative_to(self._records))
            offset = self._sent.get(name, 0)
            with path.open("rb") as file:
                file.seek(offset)
                data = file.read()
            if data or name not in self._sent:
                found[name] = (offset, data)
                self._sent[name] = offset + len(data)
        return found
