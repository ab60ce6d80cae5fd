"""A run of a fleet on a Ray cluster.

The coordinator, a detached actor on the machine of the run folder, does the run: it outlives the
command that began it. Each computer has a worker, an actor on any node, whose name is the lock of
its KVM in the whole cluster. Ray restarts a worker on another node if its node dies.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..cluster import remote_errors
from ..events.archive import list_folders
from ..events.log import Event
from ..messages import Message
from ..timeouts import cancel_and_wait, finish, within
from ..types import CuaError
from .earlier_attempt import describe_earlier
from .folders import RunFolder
from .row import Row
from .run import FleetRun, Job, ShowRow
from .worker import RETRIES, Attempt, Report, Worker

POLL_INTERVAL_S = 0.3
CPUS = 0.1
"""Cores that a worker reserves."""
SITE_SHARE = 0.001
"""Units of a site's resource that a worker reserves: a node with one takes 1000 computers."""
WORKER_STOP_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 2 * WORKER_STOP_TIMEOUT_S
MAX_CHANGES = 10_000
"""Newest changes that are kept for the command."""


class Progress(NamedTuple):
    """The state of a run: all rows, and the changes since it was taken last."""

    rows: list[Row]
    changes: list[tuple[Row, Event | None]]
    ended: bool


class Coordinator(FleetRun):
    """The actor, which starts a worker on some node for each job."""

    def __init__(self) -> None:
        """Take no arguments: they contain secrets, and Ray stores those of a constructor."""

    async def start(self, folder: RunFolder, *jobs: Job) -> None:
        super().__init__(folder, jobs, self._add_change)
        self._attempts: dict[str, int] = {}
        self._changes: list[tuple[Row, Event | None]] = []
        self._working = asyncio.create_task(self.run())

    async def take_progress(self) -> Progress:
        changes, self._changes = self._changes, []
        return Progress(self.rows, changes, self._working.done())

    async def result(self) -> int:
        return await self._working

    async def stop(self) -> None:
        await cancel_and_wait(self._working)

    def _add_change(self, row: Row, event: Event | None) -> None:
        """Keep a change until the progress is taken."""
        self._changes.append((replace(row), event))
        del self._changes[:-MAX_CHANGES]

    async def begin(self, name: str) -> Attempt:
        """Called by a worker that begins, perhaps in place of one whose node died."""
        row = self._find_row(name)
        number = self._attempts[name] = self._attempts.get(name, 0) + 1
        if number > 1:
            row.sentence = "Its node was lost; it goes on elsewhere."
        earlier, records = "", self.folder.records(name)
        if number > 1 or name in self._failed_before:
            earlier = await asyncio.to_thread(describe_earlier, records)
        folders = [each.name for each in list_folders(records)]
        file = self.folder.fleet.learned_file(name)
        learned = file.read_bytes() if file.exists() else b""
        return Attempt(number, earlier, folders, learned)

    async def report(self, report: Report) -> bool:
        """Take a report; return whether its worker is still the current one."""
        if report.attempt != self._attempts[report.name]:
            return False
        row = self._find_row(report.name)
        await asyncio.to_thread(_write_pieces, self.folder.records(row.name), report.pieces)
        for event in report.events:
            self._show_event(row, event)
        return True

    def _find_row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    async def _perform(self, row: Row, job: Job) -> int:
        import ray

        worker = self._create_worker(ray, job)
        me = ray.get_runtime_context().current_actor
        try:
            with remote_errors(ray):
                code, learned = await worker.work.remote(job, me)
        finally:
            try:
                await finish(_stop_actor(ray, worker, WORKER_STOP_TIMEOUT_S))
            finally:
                self._attempts[row.name] = 0  # later reports are refused
        if learned:
            file = self.folder.fleet.learned_file(row.name)
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.touch(0o600)
            file.write_bytes(learned)
        return int(code)

    def _create_worker(self, ray: Any, job: Job) -> Any:
        """Create a worker. Raises `CuaError` if another run on this cluster uses the KVM."""
        options = ray.remote(Worker).options(
            name=f"kvm {job.kvm}",
            num_cpus=CPUS,
            resources={site_resource(job.site): SITE_SHARE} if job.site else {},
            scheduling_strategy="SPREAD",
            max_restarts=RETRIES,
            max_task_retries=-1,  # repeated until it was restarted on another node
        )
        try:
            return options.remote()
        except ValueError as error:
            raise CuaError(Message("cluster.kvm_in_use", kvm=job.kvm)) from error


class RemoteRun:
    """The run of a coordinator, for the command that shows it."""

    def __init__(self, ray: Any, coordinator: Any, show_row: ShowRow) -> None:
        self._ray, self._coordinator, self._show_row = ray, coordinator, show_row
        self.rows: list[Row] = []

    async def run(self) -> int:
        """Follow the run to its end; return the exit code. Cancelling stops the run.

        Raises `CuaError` if the coordinator has just ended.
        """
        try:
            with remote_errors(self._ray):
                has_ended = False
                while not has_ended:
                    await asyncio.sleep(POLL_INTERVAL_S)
                    has_ended = await self._show_changes()
                return int(await self._coordinator.result.remote())
        finally:
            await finish(_stop_actor(self._ray, self._coordinator, STOP_TIMEOUT_S))

    async def _show_changes(self) -> bool:
        found: Progress = await self._coordinator.take_progress.remote()
        self.rows[:] = found.rows
        for row, event in found.changes:
            self._show_row(row, event)
        return found.ended


def find_coordinator(ray: Any, folder: RunFolder) -> Any | None:
    """Return the coordinator of a run, unless its end was already shown."""
    with contextlib.suppress(ValueError):
        return ray.get_actor(folder.lock_name)
    return None


def start_coordinator(ray: Any, folder: RunFolder, jobs: Sequence[Job]) -> Any:
    """Begin the run. Raises `CuaError` if a computer's site has no node."""
    there = ray.cluster_resources()
    for job in jobs:
        if job.site and (resource := site_resource(job.site)) not in there:
            raise CuaError(Message("cluster.no_site", name=job.name, resource=resource))
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    actor = ray.remote(Coordinator).options(
        name=folder.lock_name, lifetime="detached", num_cpus=0, scheduling_strategy=here
    )
    coordinator = actor.remote()
    ray.get(coordinator.start.remote(RunFolder(folder.path.resolve()), *jobs))
    return coordinator


def stop_coordinator(ray: Any, coordinator: Any) -> None:
    """Stop a run; return when every agent has ended."""
    asyncio.run(_stop_actor(ray, coordinator, STOP_TIMEOUT_S))


def site_resource(site: str) -> str:
    return f"site:{site}"


async def _stop_actor(ray: Any, actor: Any, timeout_s: float) -> None:
    """Stop an actor, which releases every key, then remove it."""
    with contextlib.suppress(ray.exceptions.RayError, asyncio.TimeoutError):
        async with within(timeout_s):
            await actor.stop.options(max_task_retries=0).remote()
    ray.kill(actor)


def _write_pieces(records: Path, pieces: dict[str, tuple[int, bytes]]) -> None:
    for name, (offset, data) in pieces.items():
        path = records / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(0o600)
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(data)
