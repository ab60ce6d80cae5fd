"""The files of fleets, in the folder `fleet` beside the settings file.

`kvms/` has a file for each KVM, `runs/` a folder for each run, so that the rest can be done after a
crash. In `runs/000003/`, `run.json` has the plan, `results.jsonl` a line for each beginning and
each end, a folder per computer has its record (see `events.recorder`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..events.archive import list_folders, next_folder
from ..exit_codes import DONE
from ..types import CuaError, parse_object
from .row import INTERRUPTED, NOT_BEGUN, RUNNING, STATES, Row

RUN_FILE, RESULTS_FILE = "run.json", "results.jsonl"
ENDED = "ended"


class Plan(NamedTuple):
    """The plan of a run; all that `resume` needs."""

    inventory: str
    task: str
    names: list[str]
    parallel: int
    gate: str
    """The setting `gate`; empty: that of each computer."""
    stop_after: int
    """Number of failures after which no further computer begins; 0: no limit."""
    procedure: str = ""
    """The YAML of a procedure to do instead of the task, or ""."""
    values: Sequence[str] = ()
    """NAME=VALUE of the procedure's parameters, with placeholders as in a task."""
    ray: str = ""
    """Address of the cluster; empty: the run is in one process."""


class FleetFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def learned_file(self, name: str) -> Path:
        """Return the file for values measured at a computer's KVM, such as its certificate."""
        return self.path / "kvms" / f"{name}.json"

    def create_run(self, plan: Plan) -> RunFolder:
        """Create the folder of a run. Raises `CuaError`."""
        path = self.path / "runs"
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = next_folder(path)
            path.mkdir(mode=0o700)
            (path / RUN_FILE).write_text(json.dumps(plan._asdict(), ensure_ascii=False), "utf-8")
        except OSError as error:
            raise CuaError(f"{path} cannot be written: {error.strerror}.") from error
        return RunFolder(path)

    def find_last(self, inventory: Path) -> RunFolder | None:
        """Return the last run with this inventory."""
        runs = map(RunFolder, reversed(list_folders(self.path / "runs", RUN_FILE)))
        return next((run for run in runs if run.read_plan().inventory == str(inventory)), None)


class RunFolder:
    def __init__(self, path: Path) -> None:
        self.path, self.fleet = path, FleetFolder(path.parents[1])

    def records(self, name: str) -> Path:
        """Return the folder of a computer's record."""
        return self.path / name

    @property
    def lock_name(self) -> str:
        """Name of the run's lock on this machine and of its coordinator in a cluster."""
        return f"fleet {self.path.resolve()}"

    def read_plan(self) -> Plan:
        """Read the plan. Raises `CuaError`."""
        try:
            return Plan(**json.loads((self.path / RUN_FILE).read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise CuaError(f"{self.path / RUN_FILE} cannot be read: {error}.") from error

    def note_begin(self, row: Row) -> None:
        self._note(name=row.name, state=RUNNING)

    def note_end(self, row: Row) -> None:
        self._note(**{**row.as_json(), "state": ENDED, "ending": row.state})

    def _note(self, **line: Any) -> None:
        """Append a line, and sync it."""
        line["at"] = round(time.time(), 3)
        with (self.path / RESULTS_FILE).open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def rows(self) -> list[Row]:
        """Return the rows of all computers of the plan, in its order."""
        last: dict[str, Mapping[str, Any]] = {}
        path = self.path / RESULTS_FILE
        for line in path.read_bytes().split(b"\n") if path.exists() else ():
            if each := parse_object(line):  # empty if the process died while writing
                last[each["name"]] = each
        return [_make_row(name, last.get(name)) for name in self.read_plan().names]

    def failed(self) -> set[str]:
        """Return the computers that began and did not end Done."""
        return {row.name for row in self.rows() if row.state not in (NOT_BEGUN, STATES[DONE])}


def _make_row(name: str, last: Mapping[str, Any] | None) -> Row:
    """`last`: the computer's last line."""
    if last is None:
        return Row(name, state=NOT_BEGUN)
    if last["state"] != ENDED:
        return Row(name, state=INTERRUPTED)
    kept = {
        key: last[key] for key in ("task", "code", "step", "sentence", "cost", "record", "picture")
    }
    return Row(name, state=last["ending"], took_s=last["seconds"], **kept)
