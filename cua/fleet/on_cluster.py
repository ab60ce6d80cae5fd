"""A run of a fleet on a Ray cluster.

A detached actor on the machine of the run folder, the coordinator, is the run: it outlives the
command that began it. Each computer has a worker, an actor on any node, whose name is the lock of
its KVM in the whole cluster. Ray starts a worker elsewhere when its node dies.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..cluster import remote_errors
from ..events.archive import list_folders
from ..events.log import Event
from ..messages import Message
from ..timeouts import cancel_and_wait, within
from ..types import CuaError
from .earlier_attempt import tell_earlier
from .node import RETRIES, Attempt, Report, Worker
from .row import Row
from .run import FleetRun, Job, Shown
from .run_folder import Plan, RunFolder

LOOK_S = 0.3
CPUS = 0.1
"""Of a core, for one computer at work."""
SITE_SHARE = 0.001
"""Of the resource of a site: a node with one unit takes a thousand computers."""
WORKER_STOP_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 2 * WORKER_STOP_TIMEOUT_S
MAX_NEWS = 10_000
"""Changes that are kept while no command looks."""


class Progress(NamedTuple):
    """The state of a run: all rows, and what was shown since the last look."""

    rows: list[Row]
    news: list[tuple[Row, Event | None]]
    ended: bool


class Coordinator(FleetRun):
    """The actor, which has each job done by a worker on some node."""

    def __init__(self) -> None:
        """`start` has the arguments, with secrets: Ray keeps those of a constructor."""

    async def start(self, folder: str, learned: str, plan: Plan, *jobs: Job) -> None:
        run = RunFolder(Path(folder))
        super().__init__(run, plan, jobs, learned=Path(learned), shown=self._note)
        self._attempts: dict[str, int] = {}
        self._news: list[tuple[Row, Event | None]] = []
        self._working = asyncio.create_task(self.run())

    async def list_rows(self) -> list[Row]:
        return self.rows

    async def look(self) -> Progress:
        news, self._news = self._news, []
        return Progress(self.rows, news, self._working.done())

    async def result(self) -> int:
        return await self._working

    async def stop(self) -> None:
        await cancel_and_wait(self._working)

    def _note(self, row: Row, event: Event | None) -> None:
        """Keep it for the next look."""
        self._news.append((replace(row), event))
        del self._news[:-MAX_NEWS]

    async def begin(self, name: str) -> Attempt:
        """A worker begins, perhaps in place of one whose node died."""
        row = self._find_row(name)
        number = self._attempts[name] = self._attempts.get(name, 0) + 1
        if number > 1:
            row.sentence = "Its node was lost; it goes on elsewhere."
        earlier = ""
        if number > 1 or name in self._again:
            earlier = await asyncio.to_thread(tell_earlier, self._records(row))
        folders = [each.name for each in list_folders(self._records(row))]
        return Attempt(number, earlier, folders)

    async def report(self, report: Report) -> bool:
        """Return whether that worker is still the one that works."""
        if report.attempt != self._attempts[report.name]:
            return False
        row = self._find_row(report.name)
        await asyncio.to_thread(_write_pieces, self._records(row), report.pieces)
        for event in report.events:
            self._show_event(row, event)
        return True

    def _find_row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    async def _perform(self, row: Row, job: Job) -> int:
        import ray

        file = self._learned_file(row)
        learned = file.read_bytes() if file.exists() else b""
        worker = self._create_worker(ray, job)
        me = ray.get_runtime_context().current_actor
        try:
            with remote_errors(ray):
                code, learned = await worker.work.remote(job, self._plan.procedure, learned, me)
        finally:
            await _finish(_end(ray, worker, WORKER_STOP_TIMEOUT_S))
            self._attempts[row.name] = 0  # whatever reports now is refused
        if learned:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.touch(0o600)
            file.write_bytes(learned)
        return int(code)

    def _create_worker(self, ray: Any, job: Job) -> Any:
        """Raises `CuaError` if another run on this cluster uses the KVM."""
        options = ray.remote(Worker).options(
            name=f"kvm {job.kvm}",
            num_cpus=CPUS,
            resources={site_resource(job.site): SITE_SHARE} if job.site else {},
            scheduling_strategy="SPREAD",
            max_restarts=RETRIES,
            max_task_retries=-1,  # asked again until it has been started elsewhere
        )
        try:
            return options.remote()
        except ValueError as error:
            raise CuaError(Message("cluster.kvm_in_use", kvm=job.kvm)) from error


class RemoteRun:
    """A run that a coordinator has, for the command that shows it."""

    def __init__(self, ray: Any, coordinator: Any, shown: Shown) -> None:
        """Raises `CuaError` if the coordinator has just ended."""
        self._ray, self._coordinator, self._show = ray, coordinator, shown
        with remote_errors(ray):
            self.rows: list[Row] = ray.get(coordinator.list_rows.remote())

    async def run(self) -> int:
        """Follow it to its end; return the exit code. If this is cancelled, the run is stopped."""
        try:
            with remote_errors(self._ray):
                has_ended = False
                while not has_ended:
                    await asyncio.sleep(LOOK_S)
                    has_ended = await self._look()
                return int(await self._coordinator.result.remote())
        finally:
            await _finish(_end(self._ray, self._coordinator, STOP_TIMEOUT_S))

    async def _look(self) -> bool:
        found: Progress = await self._coordinator.look.remote()
        for known, row in zip(self.rows, found.rows, strict=True):
            vars(known).update(vars(row))
        for row, event in found.news:
            self._show(row, event)
        return found.ended


def find_coordinator(ray: Any, folder: RunFolder) -> Any | None:
    """Return the coordinator of a run that goes on, or has ended with nobody looking."""
    with contextlib.suppress(ValueError):
        return ray.get_actor(folder.lock_name)
    return None


def start_coordinator(
    ray: Any, folder: RunFolder, plan: Plan, jobs: Sequence[Job], learned: Path
) -> Any:
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
    ray.get(coordinator.start.remote(str(folder.path.resolve()), str(learned), plan, *jobs))
    return coordinator


def stop_coordinator(ray: Any, coordinator: Any) -> None:
    """Return when every agent has ended."""
    asyncio.run(_end(ray, coordinator, STOP_TIMEOUT_S))


def site_resource(site: str) -> str:
    return f"site:{site}"


async def _end(ray: Any, actor: Any, timeout_s: float) -> None:
    """Have it release everything, then remove it."""
    with contextlib.suppress(ray.exceptions.RayError, asyncio.TimeoutError):
        async with within(timeout_s):
            await actor.stop.options(max_task_retries=0).remote()
    ray.kill(actor)


async def _finish(job: Coroutine[Any, Any, None]) -> None:
    """Wait for the end of what a cancellation must not interrupt."""
    running = asyncio.ensure_future(job)
    while not running.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(running)
    running.result()


def _write_pieces(records: Path, pieces: dict[str, tuple[int, bytes]]) -> None:
    for name, (offset, data) in pieces.items():
        path = records / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(0o600)
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(data)
