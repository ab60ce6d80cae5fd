"""`python cua_webapp.py eval`: measure a model's success where it can do no harm.

Exit code: 0 when every model succeeded in nine tasks of ten, else 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from .. import cluster
from ..agent.checks.options import CheckOptions
from ..app.factory import create_candidate
from ..evaluation.batch import Execute, create_jobs
from ..evaluation.environments import ENVIRONMENTS
from ..evaluation.on_cluster import run_on
from ..evaluation.report import GOOD, Price, as_json, group_by_model
from ..evaluation.run import USUAL_CHECKS, Candidate, run
from ..evaluation.task import EvalTask, select_tasks
from ..extras import NAME
from ..settings import find_path, read_settings
from ..types import CuaError
from . import evaluate_output
from .event_output import check_writable, write_json
from .options import add_config, count
from .output import run_job, say

GATE = "gate"
CHECKS = (*(each.name for each in fields(CheckOptions)), GATE)

Find = Callable[[str], Candidate]
"""Finds a model by its name; "": that of the settings. Raises `CuaError` if there is none."""


def main(argv: Sequence[str]) -> int:
    options = create_parser().parse_args(argv)
    return evaluate(options, lambda name: _find_candidate(name, options))


def evaluate(options: argparse.Namespace, find: Find) -> int:
    """Run the tasks that `options` name with their models, and print the report.

    Raises `CuaError`.
    """
    selected = select_tasks(options.tasks, ENVIRONMENTS[options.world].tasks)
    check_writable(options.json)
    if options.list:
        say(evaluate_output.format_tasks(selected))
        return 0
    execute = _connect(options)
    return run_job(_evaluate(options, selected, find, execute))


def create_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} eval",
        description="Let a model work where it can do no harm, and see what it gets done.",
    )
    add = parser.add_argument
    known = (
        "local (OCR and rules), or a name that the model's server knows; several may be compared"
    )
    add("--model", action="append", metavar="NAME", help=f"{known} (default: as it is set)")
    add("--dialect", metavar="NAME", help="in place of the one in the settings")
    add_config(parser)
    parser.set_defaults(config=None)
    add("--without", action="append", choices=CHECKS, default=[], metavar="CHECK",
        help=f"switch a check of the agent off: {', '.join(CHECKS)}")  # fmt: skip
    _add_tasks(parser)
    add("--json", metavar="FILE", type=Path, help="where to write the results")
    add("--price", nargs=2, type=float, default=(0.0, 0.0), metavar=("SENT", "SAID"),
        help="of a million tokens")  # fmt: skip
    return parser


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--tasks", metavar="GLOB", default="*", help="such as 'notepad/*,trap/*' (default: all)")
    add("--list", action="store_true", help="show the tasks and end")
    add("--repeat", metavar="N", type=count, default=1, help="seeds for each task")
    add("--seed", metavar="N", type=int, default=1, help="the first one")
    add("--jobs", metavar="N", type=count,
        help="computers at a time (default: 1; with --ray one for each processor)")  # fmt: skip
    add("--ray", metavar="ADDRESS", help=cluster.HELP)
    worlds = "a simulated computer (the default), or a real desktop with Debian's programs"
    add("--world", choices=ENVIRONMENTS, default="virtual", help=worlds)


def _connect(options: argparse.Namespace) -> Execute:
    """Return a function that runs a job, here or on the cluster of `--ray`."""
    if not options.ray:
        ENVIRONMENTS[options.world].check()
        return run
    return run_on(cluster.connect(options.ray, options.jobs))


async def _evaluate(
    options: argparse.Namespace, tasks: list[EvalTask], find: Find, execute: Execute
) -> int:
    without = dict.fromkeys(options.without, False)
    gate = without.pop(GATE, True)
    checks = replace(USUAL_CHECKS, **without)
    candidates = [replace(find(name), checks=checks, gate=gate) for name in options.model or [""]]
    environment = ENVIRONMENTS[options.world]
    todo = create_jobs(environment, tasks, candidates, options.seed, options.repeat)
    concurrency = options.jobs or (len(todo) if options.ray else 1)
    results = await evaluate_output.run_and_print(todo, concurrency, execute)
    found = group_by_model(results, Price(*options.price))
    say(evaluate_output.format_report(found))
    if options.json:
        write_json(options.json, as_json(found, results, options.seed))
    return int(any(row.success.value < GOOD for row in found))


def _find_candidate(name: str, options: argparse.Namespace) -> Candidate:
    changes = {"api_type": "local"} if name == "local" else {"model_name": name} if name else {}
    if options.dialect:
        changes["dialect"] = options.dialect
    try:
        return create_candidate(read_settings(find_path(options.config)).model_copy(update=changes))
    except CuaError as error:
        raise CuaError(f"{name}: {error}" if name else str(error)) from error
