"""Make procedures from tasks done once, and replay them on computers that differ.

python -m tests.evaluation.replays [--tasks GLOB] [--repeat N] [--parallel N]

A wrong action is one that the task did not contain: a click on another thing, or text and keys in
another program. Beside it the time that the same task takes with the scripted perfect model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import yaml

from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions, make_checks
from cua.agent.loop import Agent
from cua.agent.session import NewTask, Session
from cua.cli.output import run_job, say
from cua.dialects import registry
from cua.evaluation.environments import SIMULATED
from cua.evaluation.proportion import Proportion
from cua.evaluation.run import SETTLE_S, TIMEOUT_S
from cua.evaluation.task import EvalTask, select_tasks
from cua.evaluation.testbed import Computer, open_computer
from cua.events.log import Event, EventLog
from cua.procedures.from_record import make_from_steps, name_texts
from cua.procedures.procedure import Procedure
from cua.procedures.recorded_steps import find_goal, read_steps
from cua.procedures.replay import Replay
from cua.safety.approval import AllowAll
from cua.screen.ocr.client import OcrClient, Read
from cua.timeouts import within
from cua.types import (
    Click,
    CuaError,
    Done,
    InputAction,
    Inputs,
    Keypress,
    Model,
    Move,
    Point,
    Type,
    Wait,
)

from .locate import find_front, find_program, find_thing
from .scripted_agents import LINES, scripted

TASKS = "desktop/*,notepad/*,files/*,browser/*,network/*,terminal/*,bios/*"
LOOKS = Path(__file__).with_name("looks.yaml")
SIZE = (1280, 720)
BOOT_S = 120
Touched = tuple[str, ...]
"""What an action reached: its kind, then role, label and program, or text and program."""


@dataclass(frozen=True)
class Variant:
    """How the computer of a replay differs, beside where its windows and icons are."""

    name: str
    start: Callable[[dict[str, Any]], dict[str, Any]]
    size: tuple[int, int] = SIZE


def _with(**more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda start: {**start, **more}


def _disturbed(*more: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda start: {**start, "disturbances": [*start.get("disturbances", ()), *more]}


DIALOGS = ("Software update", "Battery")
PROGRAMS = ("Notepad", "Files", "Browser", "Network", "Terminal")
VARIANTS = (
    Variant("other places", dict),
    Variant(
        "windows move",
        _disturbed(*({"on": p, "after": 1, "do": "move", "by": [90, 50]} for p in PROGRAMS)),
    ),
    Variant("a dialog", _disturbed({"after": 3, "do": "update"})),
    Variant(
        "a message",
        _disturbed({"after": 4, "do": "message", "title": "Battery", "text": "Plug it in."}),
    ),
    Variant("slow programs", _with(delay=2.0)),
    Variant(
        "look-alikes",
        _with(
            icons=[
                {"label": f"{label}s", "icon": "network", "opens": "Terminal"}
                for label in ("Network", "Notepad", "Browser")
            ]
        ),
    ),
    Variant("smaller screen", dict, (1024, 768)),
    Variant("larger screen", dict, (1920, 1080)),
    Variant("asleep", _disturbed({"after": 4, "do": "sleep"})),
    *(
        Variant(name, _with(look=look))
        for name, look in yaml.safe_load(LOOKS.read_text("utf-8")).items()
    ),
)


@dataclass
class Run:
    """One run: `ending` in a word; `touched` what its actions reached."""

    ending: str
    reason: str
    is_done: bool
    seconds: float
    tokens: int
    touched: list[Touched]
    events: list[Event]


@asynccontextmanager
async def _session(
    task: EvalTask, seed: int, size: tuple[int, int], model: Callable[[Computer], Model]
) -> AsyncIterator[tuple[Session, Computer, list[Event], list[Touched]]]:
    events: list[Event] = []
    log = EventLog(kept=math.inf)
    log.listeners.append(events.append)
    sent_size = scripted("perfect").make_sent_size(registry.create(LINES))
    touched: list[Touched] = []
    async with open_computer(SIMULATED.boot, size, task.start, sent_size, log, seed) as computer:
        inputs = cast(Inputs, _Watched(computer, touched))
        asked = model(computer)
        checks = make_checks(CheckOptions(), computer.screen, computer.inputs, asked, log)
        agent = Agent(
            computer.screen,
            asked,
            registry.create(LINES),
            inputs,
            log,
            gate=AllowAll(),
            prompt="",
            keep=3,
            budget=Budget(rounds=task.rounds),
            checks=checks,
        )
        session = Session(log, lambda: agent)
        try:
            yield session, computer, events, touched
        finally:
            await session.pause()


class _Watched:
    """Inputs that note what each action reaches."""

    def __init__(self, computer: Computer, touched: list[Touched]) -> None:
        self._computer, self._touched = computer, touched

    async def perform(self, action: InputAction) -> None:
        if not isinstance(action, (Move, Wait)):  # a pointer moved aside does nothing
            self._touched.append(_what(action, await self._computer.state()))
        await self._computer.inputs.perform(action)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._computer.inputs, name)


def _what(action: InputAction, state: dict[str, Any]) -> Touched:
    if isinstance(action, Type):
        return "type", action.text, find_front(state)
    if isinstance(action, Keypress):
        return "press", "+".join(action.keys), find_front(state)
    at = getattr(action, "at", None) or (action.path[0] if hasattr(action, "path") else None)
    if at is None or "size" not in state:
        return (action.kind,)
    width, height = state["size"]
    thing = find_thing(state, (round(at.x * width), round(at.y * height)))
    count = str(action.count) if isinstance(action, Click) else ""
    what = (thing.role, thing.label, find_program(state, thing)) if thing else ("", "", "")
    return (action.kind, count, *what)


async def _run(
    task: EvalTask,
    seed: int,
    size: tuple[int, int],
    model: Callable[[Computer], Model],
    new: NewTask,
) -> Run:
    async with _session(task, seed, size, model) as (session, computer, events, touched):
        started = time.monotonic()
        try:
            async with within(TIMEOUT_S):
                await session.begin_next(lambda: new)
                await session.wait_ended()
            ending = session.ending
            name = type(ending).__name__.lower() if ending else "error"
            reason = getattr(ending, "question", "") or getattr(ending, "reason", "")
        except asyncio.TimeoutError:
            name, reason = "time", ""
        seconds = time.monotonic() - started
        await asyncio.sleep(SETTLE_S)
        is_done = task.is_done(await _look_at_result(computer))
        tokens = sum(e.data.get("tokens_in", 0) for e in events if e.kind == "reply")
        is_end = isinstance(session.ending, Done)
        return Run("done" if is_end else name, reason, is_done, seconds, tokens, touched, events)


async def _look_at_result(computer: Computer) -> dict[str, Any]:
    """Return the state without what a disturbance may bring when the task is done already."""
    state = await computer.state()
    if state["phase"] == "asleep":
        await computer.inputs.perform(Move(at=Point(x=0.5, y=0.5)))
        await asyncio.sleep(SETTLE_S)
        state = await computer.state()
    windows = (each for each in state.get("windows", ()) if each["program"] not in DIALOGS)
    return {**state, "windows": list(windows)} if "windows" in state else state


async def do_once(task: EvalTask, seed: int, size: tuple[int, int] = SIZE) -> Run:
    """Let the perfect model do the task."""
    perfect = scripted("perfect", size=size)
    return await _run(
        task,
        seed,
        size,
        lambda computer: perfect.connect(task, computer, seed),
        NewTask(task.goal),
    )


async def make(name: str, run: Run, read: Read, **values: str) -> Procedure:
    """Raises `CuaError` if a target has no sign."""
    pictures = {str(each.seq): each.picture for each in run.events if each.picture}
    events = [
        {"kind": e.kind, "data": json.loads(json.dumps(e.data)), "picture": str(e.seq)}
        for e in run.events
    ]
    recorded = read_steps(events, pictures.get)
    return await make_from_steps(name, find_goal(events), recorded, name_texts(values), read)


async def do_again(
    procedure: Procedure, task: EvalTask, seed: int, read: Read, size: tuple[int, int] = SIZE
) -> Run:
    """Replay the procedure; a request to the model would fail."""
    operator = Replay(procedure, {}, read)
    return await _run(
        task,
        seed,
        size,
        lambda computer: scripted("perfect").connect(task, computer, seed),
        NewTask(task.goal, replay=operator),
    )


@dataclass
class Row:
    """The runs of one variant."""

    name: str
    runs: int = 0
    done: int = 0
    stopped: int = 0
    false_done: int = 0
    wrong: int = 0

    def add(self, run: Run, wrong: list[Touched]) -> None:
        self.runs += 1
        self.done += run.ending == "done" and run.is_done
        self.false_done += run.ending == "done" and not run.is_done
        self.stopped += run.ending in ("ask", "fail")
        self.wrong += bool(wrong)

    def as_words(self) -> str:
        low, high = Proportion(self.done, self.runs).interval()
        share = f"{self.done}/{self.runs} ({low:.0%} to {high:.0%})"
        return f"| {self.name} | {share} | {self.stopped} | {self.false_done} | {self.wrong} |"


async def measure(options: argparse.Namespace) -> None:
    rows = {each.name: Row(each.name) for each in VARIANTS}
    ratios: list[float] = []
    tasks = map(boot_slowly, select_tasks(options.tasks, SIMULATED.tasks))
    workers = [_work(tasks, options, rows, ratios) for _ in range(options.parallel)]
    try:
        await asyncio.gather(*workers)
    finally:  # also of what was measured before it was interrupted
        _print(rows, ratios)


def boot_slowly(task: EvalTask) -> EvalTask:
    """Show the boot screen longer than the first step takes on a busy machine."""
    return replace(task, start={**task.start, "post": BOOT_S}) if "boot" in task.start else task


async def _work(
    tasks: Iterator[EvalTask],
    options: argparse.Namespace,
    rows: dict[str, Row],
    ratios: list[float],
) -> None:
    """Measure the tasks that no other worker has taken."""
    read = OcrClient()
    try:
        for task in tasks:
            async for line in _measure_task(task, options, read.read, rows, ratios):
                say(json.dumps({"task": task.name, **line}, ensure_ascii=False))
    finally:
        await read.aclose()


def _print(rows: dict[str, Row], ratios: list[float]) -> None:
    total = Row("all")
    for row in rows.values():
        for key in ("runs", "done", "stopped", "false_done", "wrong"):
            setattr(total, key, getattr(total, key) + getattr(row, key))
    say("| computer | done (95 %) | stopped | false done | wrong |")
    say("| --- | --- | --- | --- | --- |")
    for row in (*rows.values(), total):
        if row.runs:
            say(row.as_words())
    if ratios:
        say(f"time beside the perfect model, median: {sorted(ratios)[len(ratios) // 2]:.2f}")


async def _measure_task(
    task: EvalTask,
    options: argparse.Namespace,
    read: Read,
    rows: dict[str, Row],
    ratios: list[float],
) -> AsyncIterator[dict[str, Any]]:
    once = await do_once(task, options.seed)
    if not once.is_done:
        yield {"not made": "the model did not do it"}
        return
    try:
        procedure = await make("it", once, read)
    except CuaError as error:
        yield {"not made": str(error)}
        return
    for variant, seed in _variants(options):
        changed = replace(task, start=variant.start(task.start))
        again = await do_again(procedure, changed, seed, read, variant.size)
        wrong = [each for each in again.touched if each not in once.touched]
        rows[variant.name].add(again, wrong)
        if again.is_done and again.ending == "done" and variant.name == "other places":
            ratios.append(again.seconds / once.seconds)
        yield {
            "variant": variant.name,
            "seed": seed,
            "ending": again.ending,
            "done": again.is_done,
            "reason": again.reason,
            "wrong": wrong,
            "seconds": round(again.seconds, 1),
            "once": round(once.seconds, 1),
            "tokens": again.tokens,
        }


def _variants(options: argparse.Namespace) -> Iterator[tuple[Variant, int]]:
    for repeat in range(options.repeat):
        for number, variant in enumerate(VARIANTS):
            yield variant, options.seed + 1 + number + repeat * len(VARIANTS)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation.replays")
    parser.add_argument("--tasks", default=TASKS)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=1, help="tasks at the same time")
    parser.add_argument("--seed", type=int, default=1)
    run_job(measure(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
