"""`python cua_webapp.py eval`: what a model gets done on a simulated computer.

Exit code: 0 when every model succeeded in nine exercises of ten, else 1.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from ..events import EventLog
from ..settings import DEFAULT_PATH, Settings, SettingsFile
from ..types import CuaError
from . import exercises, terminal
from .exercise import Exercise
from .faults import FAULTS
from .many import jobs
from .pilots import USUAL, scripted
from .report import GOOD, Price, rows
from .run import Pilot, World

CANNOT_START, INTERRUPTED = 2, 130
Connect = Callable[[Settings], Pilot]
"""The settings -> the model that they name."""


def main(
    argv: Sequence[str], connect: Connect, world: World, known: Sequence[Exercise] = exercises.ALL
) -> int:
    options = _parser().parse_args(argv)
    try:
        found = exercises.chosen(options.tasks, known)
        if options.list:
            terminal.say(terminal.listed(found))
            return 0
        return asyncio.run(_evaluate(options, found, connect, world))
    except CuaError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cua_webapp.py eval",
        description="Let a model work on a simulated computer, and see what it gets done.",
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
    parser.add_argument("--json", metavar="FILE", type=Path, help="where to write the results")
    parser.add_argument("--list", action="store_true", help="show the tasks and end")
    parser.add_argument("--config", metavar="PATH", help="settings file (/etc/kvm/cua_cfg.json)")
    return parser


def _count(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


async def _evaluate(
    options: argparse.Namespace, found: list[Exercise], connect: Connect, world: World
) -> int:
    price = Price(*options.price)
    async with AsyncExitStack() as stack:
        pilots = [pilot(name, options, connect) for name in options.model or [""]]
        for each in pilots:
            stack.push_async_callback(each.close)
        todo = jobs(found, pilots, options.seed, options.repeat)
        quick = all(each.name in FAULTS for each in pilots)
        beside = options.jobs or (os.cpu_count() or 1 if quick else 1)
        results = await terminal.evaluate(world, todo, EventLog(), beside, price)
    if options.json:
        terminal.write(options.json, results, price, options.seed)
    return int(any(row.success.part < GOOD for row in rows(results, price)))


def pilot(name: str, options: argparse.Namespace, connect: Connect) -> Pilot:
    """Raises `CuaError` if there is no such model, or its settings are not right."""
    if name in FAULTS:
        return scripted(name, options.dialect or USUAL)
    changes = {"api_type": "local"} if name == "local" else {"model_name": name} if name else {}
    if options.dialect:
        changes["dialect"] = options.dialect
    path = Path(options.config or os.environ.get("CUA_CONFIG", DEFAULT_PATH))
    return connect(SettingsFile(path).values.model_copy(update=changes))
