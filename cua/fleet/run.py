"""One task on many computers: an agent for each, in one process and one event loop.

Every agent ends on a signal to this process, when its output cannot be written, or by an error of
the program; its keys are released as with `run`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..agent.session import NewTask
from ..app.factory import make_kvm_config
from ..app.headless_run import run_task
from ..app.machine import Machine
from ..events.archive import Archive
from ..events.log import Event
from ..exit_codes import CANNOT_START
from ..kvms.exclusive_lock import lock_name
from ..procedures.procedure import parse_values, read
from ..settings.fields import validate
from ..timeouts import run_together
from ..types import CuaError
from .earlier_attempt import describe_earlier
from .folders import Plan, RunFolder
from .inventory import Computer
from .row import INTERRUPTED, NOT_BEGUN, RUNNING, STATES, Row, worst
from .settings import ComputerSettings, resolve_settings

ShowRow = Callable[[Row, Event | None], None]
"""Called with a row after an event, or at its end (None). If it raises, all agents end."""


class Job(NamedTuple):
    """The work on one computer: all that a node needs for it."""

    name: str
    task: str
    procedure: str
    """The YAML of a procedure to do instead of the task, or ""."""
    values: list[str]
    """NAME=VALUE of the procedure's parameters."""
    settings: ComputerSettings
    environ: dict[str, str]
    """Environment variables with the secrets for typing."""
    site: str = ""
    """The label `site`, which a node of a cluster may have as a resource."""
    earlier: str = ""
    """Text for the model about an earlier attempt, or ""."""

    @property
    def kvm(self) -> str:
        """ID of the KVM, the same for all its addresses."""
        return lock_name(make_kvm_config(validate(self.settings.values)))


def make_job(plan: Plan, computer: Computer, settings: Path) -> Job:
    """Make the job of a computer. `settings`: the settings file. Raises `CuaError`."""
    chosen = {"gate": plan.gate} if plan.gate else {}
    return Job(
        computer.name,
        computer.fill(plan.task),
        plan.procedure,
        list(map(computer.fill, plan.values)),
        resolve_settings(computer, settings, **chosen),
        computer.environ(),
        computer.labels.get("site", ""),
    )


async def perform(job: Job, learned: Path, records: Path, on_event: Callable[[Event], None]) -> int:
    """Do a job from this machine; return the exit code. Raises `CuaError` if it cannot start."""
    file = job.settings.open(learned, record_dir=str(records))
    machine = Machine(file, environ=job.environ)
    # The Local operator would take the text about an earlier attempt as instructions.
    task = NewTask(job.earlier + job.task if machine.asks_server else job.task)
    if job.procedure:
        task = machine.make_replay(read(job.procedure), parse_values(job.values))
    return await run_task(machine, task, on_event)


class FleetRun:
    def __init__(self, folder: RunFolder, jobs: Sequence[Job], show_row: ShowRow) -> None:
        self.folder, self._show_row = folder, show_row
        self._plan, self._failed_before = folder.read_plan(), folder.failed()
        self._jobs = {each.name: each for each in jobs}
        self.rows = [Row(each.name, each.task) for each in jobs]
        self._waiting = deque(self.rows)

    async def run(self) -> int:
        """Do all jobs; return the worst exit code."""
        try:
            await run_together(*(self._take_turns() for _ in range(self._plan.parallel)))
        finally:
            for row in self._waiting:
                row.end(NOT_BEGUN)
        return worst([row.code for row in self.rows if row.code is not None])

    async def _take_turns(self) -> None:
        while self._waiting and not self._has_failed_enough():
            await self._run_job(self._waiting.popleft())

    def _has_failed_enough(self) -> bool:
        failures = sum(bool(row.code) for row in self.rows)
        return 0 < self._plan.stop_after <= failures

    async def _run_job(self, row: Row) -> None:
        row.begin()
        await asyncio.to_thread(self.folder.note_begin, row)  # does not block other agents
        try:
            code = await self._perform(row, self._jobs[row.name])
            row.end(STATES[code], code)
        except CuaError as error:
            row.sentence = str(error)
            row.end(STATES[CANNOT_START], CANNOT_START)
        finally:
            if row.state == RUNNING:
                row.end(INTERRUPTED)
            await asyncio.to_thread(self._note_end, row)
        self._show_row(row, None)

    async def _perform(self, row: Row, job: Job) -> int:
        learned, records = self.folder.fleet.learned_file(row.name), self.folder.records(row.name)
        if row.name in self._failed_before:
            job = job._replace(earlier=describe_earlier(records))
        return await perform(job, learned, records, partial(self._show_event, row))

    def _show_event(self, row: Row, event: Event) -> None:
        row.apply_event(event)
        self._show_row(row, event)

    def _note_end(self, row: Row) -> None:
        archive = Archive(self.folder.records(row.name))
        if tasks := archive.tasks():
            row.record = f"{row.name}/{tasks[0].id}"
            row.picture = f"{row.record}/{tasks[0].picture}" if tasks[0].picture else ""
        self.folder.note_end(row)
