"""`python cua_webapp.py fleet`: one task on many computers, each behind a KVM of its own.

Exit code of a run: that of `run` for the computer with the worst one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import cluster
from ..exit_codes import DONE, FAILED, INTERRUPTED
from ..extras import NAME
from ..fleet.folders import FleetFolder, Plan, RunFolder
from ..fleet.inventory import Computer, read_inventory
from ..fleet.kvm_state import HEAD, KvmState, check_kvm
from ..fleet.on_cluster import RemoteRun, find_coordinator, start_coordinator, stop_coordinator
from ..fleet.patterns import select
from ..fleet.row import count_states
from ..fleet.run import FleetRun, ShowRow, make_job
from ..fleet.settings import resolve_settings
from ..fleet.summary import article, as_page, write_summary
from ..kvms.exclusive_lock import ExclusiveLock, InUse
from ..procedures.procedure import write
from ..settings import find_path
from ..timeouts import run_together
from ..types import CuaError
from .fleet_output import draw_table, print_json, print_nothing, print_reasons, print_row
from .options import GATE_HELP, add_config, add_procedure_options, count
from .output import format_table, run_job, say
from .procedure import load

GATES = {None: "", "ask": "risk", "never": "never"}
PARALLEL = 8


def main(argv: Sequence[str]) -> int:
    options = create_parser().parse_args(argv)
    return COMMANDS[options.what](options)


def create_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} fleet",
        description="Do one task on many computers, each behind a KVM of its own.",
        epilog="list: log in at each KVM and look at its video; shots: save all screens; run: do "
        "TASK; resume: do the last run's task where it is not done; stop: end the run that goes "
        "on. Ctrl-C, closing the terminal and `stop` end every agent and release every key.",
    )
    add = parser.add_argument
    add("what", choices=COMMANDS)
    add("task", nargs="?", metavar="TASK",
        help="run: the task, with {name}, {os} and {labels.NAME} of each computer")  # fmt: skip
    add_procedure_options(parser)
    add("--inventory", metavar="FILE", type=Path, default=Path("fleet.yaml"),
        help="YAML file that names the computers (default: fleet.yaml)")  # fmt: skip
    add("--limit", metavar="PATTERN", default="",
        help="names and groups, such as 'web*:!web3', 'web:&berlin' or '@failed'")  # fmt: skip
    add("--parallel", metavar="N", type=count, default=PARALLEL,
        help=f"computers at a time (default: {PARALLEL})")  # fmt: skip
    add("--gate", choices=("ask", "never"), help=f"{GATE_HELP}; ask: what is `risk` in run")
    add("--stop-after", metavar="N", type=count, default=0,
        help="begin no further computer after N that did not end Done")  # fmt: skip
    add("--ray", metavar="ADDRESS", default="", help=cluster.HELP)
    add("--json", action="store_true", help="print one JSON object per line")
    add("--out", metavar="FOLDER", type=Path, default=Path("shots"),
        help="shots: where to save them (default: shots)")  # fmt: skip
    add_config(parser)
    parser.set_defaults(config=None)
    return parser


def list_computers(options: argparse.Namespace) -> int:
    kvms = run_job(_check_kvms(options))
    if options.json:
        for kvm in kvms:
            names = ("name", "fault", "size", "rate", "power", "usb")
            say(json.dumps({name: getattr(kvm, name) for name in names}, ensure_ascii=False))
    else:
        for line in format_table([HEAD, *(kvm.cells() for kvm in kvms)]):
            say(line)
    return FAILED if any(kvm.fault for kvm in kvms) else 0


def save_shots(options: argparse.Namespace) -> int:
    kvms = run_job(_check_kvms(options))
    folder: Path = options.out
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        articles = []
        for kvm in kvms:
            picture = f"{kvm.name}.jpg" if kvm.jpeg else ""
            if picture:
                (folder / picture).write_bytes(kvm.jpeg)
            state = "no picture" if kvm.fault else "done"
            articles.append(article(kvm.name, state, kvm.fault or kvm.size, picture))
        page = folder / "index.html"
        page.write_text(as_page("Screens", f"{len(kvms)} computers", articles), "utf-8")
    except OSError as error:
        raise CuaError(f"{folder} cannot be written: {error.strerror}.") from error
    say(str(page))
    return FAILED if any(kvm.fault for kvm in kvms) else 0


def run(options: argparse.Namespace) -> int:
    found = load(options)
    computers = _select(options, read_inventory(options.inventory))
    plan = Plan(
        inventory=str(options.inventory.resolve()),
        task=" ".join([options.procedure, *options.values]) if found else options.task,
        names=[each.name for each in computers],
        parallel=options.parallel,
        gate=GATES[options.gate],
        stop_after=options.stop_after,
        procedure=write(found[0]) if found else "",
        values=options.values,
        ray=options.ray,
    )
    for each in computers:
        each.fill(plan.task)  # before the first one begins
    if plan.ray:
        cluster.connect(plan.ray)
    return _run_jobs(options, _find_folder(options).create_run(plan), computers)


def resume(options: argparse.Namespace) -> int:
    folder = _find_last(options)
    computers = read_inventory(options.inventory)
    by_name = {each.name: each for each in _select(options, computers)}
    if gone := set(folder.read_plan().names) - {each.name for each in computers}:
        raise CuaError(f"The inventory no longer names {', '.join(sorted(gone))}.")
    names = [row.name for row in folder.rows() if row.code != DONE]
    left = [by_name[name] for name in names if name in by_name]
    if not left and _find_coordinator(options, folder) is None:
        say("Nothing is left to do.")
        return 0
    return _run_jobs(options, folder, left)


def stop(options: argparse.Namespace) -> int:
    folder, lock = _find_last(options), ExclusiveLock()
    try:
        lock.acquire(folder.lock_name)
    except InUse as running:
        if not running.process:
            raise CuaError("The run is only just beginning. Try again.") from None
        os.kill(running.process, signal.SIGTERM)
        say(f"Process {running.process} is told to release every key and end.")
        return 0
    finally:
        lock.release()
    coordinator = _find_coordinator(options, folder)
    if coordinator is None:
        say("No run goes on.")
        return FAILED
    stop_coordinator(cluster.connect(_find_cluster(options, folder)), coordinator)
    say("The run on the cluster has ended; every key is released.")
    return 0


def _find_cluster(options: argparse.Namespace, folder: RunFolder) -> str:
    """Return the address of the cluster of a run, "" if it is in one process."""
    return str(options.ray or folder.read_plan().ray)


def _find_coordinator(options: argparse.Namespace, folder: RunFolder) -> Any | None:
    """Return the coordinator of a run whose command was killed, if any."""
    address = _find_cluster(options, folder)
    is_elsewhere = address not in ("", cluster.LOCAL)  # a local cluster ends with its command
    return find_coordinator(cluster.connect(address), folder) if is_elsewhere else None


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": list_computers,
    "shots": save_shots,
    "run": run,
    "resume": resume,
    "stop": stop,
}


def _run_jobs(options: argparse.Namespace, folder: RunFolder, computers: Sequence[Computer]) -> int:
    """Run or resume, and write the summary, also of a run that is interrupted."""
    lock = ExclusiveLock()
    try:
        lock.acquire(folder.lock_name)
    except InUse as running:
        message = f"This run goes on in process {running.process or '?'}; `fleet stop` ends it."
        raise CuaError(message) from None
    has_table = sys.stdout.isatty() and not options.json
    show_row: ShowRow = print_json if options.json else print_nothing if has_table else print_row
    plan = folder.read_plan()
    jobs = [make_job(plan, each, find_path(options.config)) for each in computers]
    fleet: FleetRun | RemoteRun
    if address := _find_cluster(options, folder):
        ray = cluster.connect(address)
        found = find_coordinator(ray, folder) or start_coordinator(ray, folder, jobs)
        fleet = RemoteRun(ray, found, show_row)
    else:
        fleet = FleetRun(folder, jobs, show_row)
    try:
        code = run_job(_run_with_table(fleet) if has_table else fleet.run())
    except KeyboardInterrupt:
        say("Interrupted; every key is released. `fleet resume` does the rest.")
        code = INTERRUPTED
    finally:
        recorded = folder.rows()
        page = write_summary(folder, recorded)
        lock.release()
    if has_table:
        print_reasons(recorded)
    if not options.json:
        say(f"{count_states(recorded)}. {page}")
    return code


async def _run_with_table(fleet: FleetRun | RemoteRun) -> int:
    """If the table cannot be written, every agent ends."""
    [code] = await run_together(fleet.run(), draw_table(fleet.rows), until=asyncio.FIRST_COMPLETED)
    assert code is not None
    return code


async def _check_kvms(options: argparse.Namespace) -> list[KvmState]:
    computers = _select(options, read_inventory(options.inventory))
    turns = asyncio.Semaphore(options.parallel)
    path, folder = find_path(options.config), _find_folder(options)

    async def check(computer: Computer) -> KvmState:
        async with turns:
            settings = resolve_settings(computer, path)
            file = settings.open(folder.learned_file(computer.name))
            return await check_kvm(computer.name, file)

    return list(await asyncio.gather(*map(check, computers)))


def _select(options: argparse.Namespace, computers: Sequence[Computer]) -> list[Computer]:
    last = _find_folder(options).find_last(options.inventory.resolve())
    groups = {each.name: each.groups for each in computers}
    names = select(options.limit, groups, last.failed() if last else ())
    return [each for each in computers if each.name in names]


def _find_last(options: argparse.Namespace) -> RunFolder:
    found = _find_folder(options).find_last(options.inventory.resolve())
    if found is None:
        raise CuaError(f"There was no run with {options.inventory}.")
    return found


def _find_folder(options: argparse.Namespace) -> FleetFolder:
    return FleetFolder(find_path(options.config).parent / "fleet")
