"""One task on many computers: an agent for each, in one process and one event loop.

Every agent ends when this process is told to end, when what it shows cannot be written, or by an
error of the program; its keys are released as those of `run`.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..agent.session import NewTask
from ..app.machine import Machine
from ..app.unattended import CANNOT_START, work
from ..events.archive import Archive
from ..events.follow import follow_events
from ..events.log import Event
from ..procedures.procedure import parse_values, read
from ..safety.secrets import ENVIRON_PREFIX
from ..timeouts import cancelled
from ..types import CuaError
from .inventory import Computer
from .row import INTERRUPTED, NOT_BEGUN, RUNNING, STATES, Row, worst
from .run_folder import ENDED, Plan, RunFolder
from .settings import make_settings

PLACEHOLDER = re.compile(r"(?<!\{)\{([\w.-]+)\}(?!\})")
AGAIN = (
    "An earlier attempt at this task did not end, so parts of it may be done already. Look what is "
    "done before you repeat anything.\n\n"
)
"""For a model, in front of a task that is done again; the Local operator would take it as work."""

Shown = Callable[[Row, Event | None], None]
"""Shows a row after an event, or at its end (None). If it raises, all agents end."""


def fill_task(task: str, computer: Computer) -> str:
    """Raises `CuaError` if a placeholder is not known of the computer."""
    values = computer.placeholders()
    unknown = [name for name in PLACEHOLDER.findall(task) if name not in values]
    if unknown:
        raise CuaError(f"{computer.name} has no {{{unknown[0]}}}; it has {', '.join(values)}.")
    return PLACEHOLDER.sub(lambda found: values[found[1]], task)


class FleetRun:
    """`settings`: the settings file; `learned`: folder for what is measured at the KVMs."""

    def __init__(
        self, folder: RunFolder, plan: Plan, computers: Sequence[Computer],
        *, settings: Path, learned: Path, shown: Shown,
    ) -> None:  # fmt: skip
        self.folder, self._plan, self._shown = folder, plan, shown
        self._settings, self._learned = settings, learned
        self._again = folder.failed()
        self._computers = {each.name: each for each in computers}
        self.rows = [Row(each.name, fill_task(plan.task, each)) for each in computers]
        self._waiting = deque(self.rows)

    async def run(self) -> int:
        """Work to the end; return the worst exit code."""
        try:
            await run_together([self._take_turns() for _ in range(self._plan.parallel)])
        finally:
            for row in self._waiting:
                row.end(NOT_BEGUN)
        return worst([row.code for row in self.rows if row.code is not None])

    async def _take_turns(self) -> None:
        while self._waiting and not self._has_failed_enough():
            await self._do(self._waiting.popleft())

    def _has_failed_enough(self) -> bool:
        failures = sum(bool(row.code) for row in self.rows)
        return 0 < self._plan.stop_after <= failures

    async def _do(self, row: Row) -> None:
        row.begin()
        await asyncio.to_thread(self.folder.note, row.name, RUNNING)  # others type meanwhile
        try:
            code = await self._work(row)
            row.end(STATES[code], code)
        except CuaError as error:
            row.sentence = str(error)
            row.end(STATES[CANNOT_START], CANNOT_START)
        finally:
            if row.state == RUNNING:
                row.end(INTERRUPTED)
            await asyncio.to_thread(self._note_end, row)
        self._shown(row, None)

    async def _work(self, row: Row) -> int:
        computer = self._computers[row.name]
        chosen = {"record_dir": str(self.folder.path / row.name)}
        if self._plan.gate:
            chosen["gate"] = self._plan.gate
        learned = self._learned / f"{row.name}.json"
        machine = make_machine(computer, self._settings, learned, **chosen)
        is_model = machine.plans
        task = AGAIN + row.task if is_model and row.name in self._again else row.task
        found = NewTask(task)
        if self._plan.procedure:
            values = [fill_task(each, computer) for each in self._plan.values]
            found = machine.make_replay(read(self._plan.procedure), parse_values(values))
        return await work(machine, found, lambda log: follow_events(log, partial(self._take, row)))

    def _take(self, row: Row, event: Event) -> None:
        row.take(event)
        self._shown(row, event)

    def _note_end(self, row: Row) -> None:
        archive = Archive(self.folder.path / row.name)
        if tasks := archive.tasks():
            row.record = f"{row.name}/{tasks[0].id}"
            row.picture = f"{row.record}/{tasks[0].picture}" if tasks[0].picture else ""
        self.folder.note(**{**row.as_json(), "state": ENDED, "ending": row.state})


async def run_together(jobs: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run all jobs; cancel the others if one raises. Ends when all have ended."""
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await asyncio.gather(*map(cancelled, tasks))
    for task in tasks:
        if not task.cancelled():
            task.result()


def make_machine(computer: Computer, settings: Path, learned: Path, **chosen: Any) -> Machine:
    """See `make_settings`."""
    secrets = {ENVIRON_PREFIX + name: value for name, value in computer.typed_secrets.items()}
    file = make_settings(computer, settings, learned, **chosen)
    return Machine(file, environ={**os.environ, **secrets})


def rows_of(folder: RunFolder) -> list[Row]:
    """Return what is recorded of a run, in the order of its plan."""
    results = folder.results()
    return [_row_of(name, results.get(name)) for name in folder.read_plan().names]


def _row_of(name: str, result: dict[str, Any] | None) -> Row:
    if result is None:
        return Row(name, state=NOT_BEGUN)
    if result["state"] != ENDED:
        return Row(name, state=INTERRUPTED)
    kept = {key: result[key] for key in ("task", "code", "step", "sentence", "cost")}
    files = {key: result[key] for key in ("record", "picture")}
    return Row(name, state=result["ending"], took_s=result["seconds"], **kept, **files)
