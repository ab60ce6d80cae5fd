"""`python cua_webapp.py eval`: what a model gets done where it can do no harm.

Exit code: 0 when every model succeeded in nine exercises of ten, else 1.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..events import EventLog
from ..extras import NAME
from ..settings import Settings, looked_up, place
from ..types import CuaError
from . import ablation, exercises, terminal
from .exercise import Exercise
from .faults import FAULTS
from .habits import NAMES, USUAL
from .many import jobs, summary
from .pilots import LINES, scripted
from .report import GOOD, Price, as_json, rows
from .run import Pilot, Result
from .worlds import VIRTUAL, WORLDS, World

CANNOT_START, INTERRUPTED = 2, 130
Connect = Callable[[Settings], Pilot]
"""The settings -> the model that they name."""
Running = Coroutine[Any, Any, list[Result]]
Show = Callable[[Running, EventLog, int], Running]
"""Shows what runs, by its log, at a port of this machine."""


def main(argv: Sequence[str], connect: Connect, *, show: Show) -> int:
    options = _parser().parse_args(argv)
    try:
        world = WORLDS[options.world]
        found = exercises.chosen(options.tasks, world.exercises)
        if options.ablation:
            return asyncio.run(_ablate(options))
        if options.list:
            terminal.say(terminal.listed(found))
            return 0
        world.check()
        return asyncio.run(_evaluate(options, found, connect, world, show))
    except CuaError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} eval",
        description="Let a model work where it can do no harm, and see what it gets done.",
        epilog=f"Scripted models, to see the bench itself at work: {', '.join(FAULTS)}.",
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help="local (OCR and rules), a scripted one, or a name that the model's server knows; "
        "several may be compared (default: as it is set)",
    )
    parser.add_argument("--dialect", metavar="NAME", help="in place of the one in the settings")
    parser.add_argument(
        "--tasks", metavar="GLOB", default="*", help="such as 'notepad/*,trap/*' (default: all)"
    )
    parser.add_argument("--repeat", metavar="N", type=_count, default=1, help="seeds for each task")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="the first one")
    parser.add_argument(
        "--jobs", metavar="N", type=_count, help="computers at a time (1; scripted models: cores)"
    )
    parser.add_argument(
        "--price",
        nargs=2,
        type=float,
        default=(0.0, 0.0),
        metavar=("SENT", "SAID"),
        help="of a million tokens",
    )
    parser.add_argument(
        "--without",
        action="append",
        choices=NAMES,
        default=[],
        metavar="HABIT",
        help=f"switch a habit of the agent off: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--ablation", action="store_true", help="what each habit is worth, with bad scripted models"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="where to write the results")
    parser.add_argument(
        "--watch",
        nargs="?",
        type=int,
        const=5000,
        metavar="PORT",
        help="show the runs in the page as they happen, one by one (default: port 5000)",
    )
    parser.add_argument(
        "--world",
        choices=WORLDS,
        default="virtual",
        help="a simulated computer (the default), or a real desktop with Debian's programs",
    )
    parser.add_argument("--list", action="store_true", help="show the tasks and end")
    parser.add_argument("--config", metavar="PATH", help="settings file (/etc/kvm/cua_cfg.json)")
    return parser


def _count(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


async def _evaluate(
    options: argparse.Namespace,
    found: list[Exercise],
    connect: Connect,
    world: World,
    show: Show,
) -> int:
    price = Price(*options.price)
    async with AsyncExitStack() as stack:
        habits = USUAL.without(*options.without)
        pilots = [
            replace(pilot(name, options, connect), habits=habits) for name in options.model or [""]
        ]
        for each in pilots:
            stack.push_async_callback(each.close)
        todo = jobs(found, pilots, options.seed, options.repeat)
        quick = all(each.name in FAULTS for each in pilots)
        beside = options.jobs or (os.cpu_count() or 1 if quick else 1)
        log, port = EventLog(), options.watch
        running = terminal.watched(world, todo, log, beside, shown=port is not None)
        results = await (show(running, log, port) if port is not None else running)
        terminal.say(terminal.in_words(rows(results, price)))
    if options.json:
        terminal.write(options.json, as_json(results, price, options.seed))
    return int(any(row.success.part < GOOD for row in rows(results, price)))


async def _ablate(options: argparse.Namespace) -> int:
    todo = ablation.todo(options.seed, options.repeat)
    beside = options.jobs or 2 * (os.cpu_count() or 1)
    results = await terminal.watched(VIRTUAL, todo, EventLog(), beside)
    found = ablation.outcomes(results)
    best = ablation.perfect(results)
    terminal.say(f"\n{len(results)} runs; without a fault {best}\n\n{ablation.in_words(found)}")
    if options.json:
        settings = [each.as_json() for each in found]
        runs = [summary(each) for each in results]
        terminal.write(options.json, {"settings": settings, "runs": runs})
    return 0


def pilot(name: str, options: argparse.Namespace, connect: Connect) -> Pilot:
    """Raises `CuaError` if there is no such model, or its settings are not right."""
    if name in FAULTS:
        return scripted(name, options.dialect or LINES)
    changes = {"api_type": "local"} if name == "local" else {"model_name": name} if name else {}
    if options.dialect:
        changes["dialect"] = options.dialect
    return connect(looked_up(place(options.config)).model_copy(update=changes))
