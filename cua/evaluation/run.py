"""One run: a computer is booted, a pilot works on one exercise, and the computer is asked.

The session, the loop, the eyes and the hands are those that drive a real computer; there is no
other way to act. What the agent says about its success is noted and not believed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .. import dialects
from ..agent import Agent
from ..approval import Unattended
from ..craft.budget import Budget
from ..events import EventLog
from ..rig import Boot, Computer, Rule, Size, computer
from ..session import Session
from ..types import Ask, Dialect, Done, Fail, Model, OutOfBudget
from ..within import within
from .exercise import Exercise
from .figures import Figures

LIMIT = 300.0
"""Seconds after which a run is ended."""
SETTLE = 0.3
"""Seconds that the computer has to make something of what was done last."""


async def nothing() -> None:
    """There is nothing to give back."""


@dataclass(frozen=True)
class Pilot:
    """A model as it is spoken to: `dialect` and `prompt` by name and text, "" for its own prompt.

    `connect` makes it for one run of an exercise with a seed, or hands over one that is kept.
    `sizing` says in which size a dialect's screenshots are sent.
    """

    name: str
    dialect: str
    connect: Callable[[Exercise, Computer, int], Model]
    sizing: Callable[[Dialect], Rule]
    prompt: str = ""
    keep: int = 3
    close: Callable[[], Awaitable[None]] = nothing
    """Gives back what was kept for all of its runs."""


@dataclass(frozen=True)
class Result:
    """`success` is what the checker says; `ending` how the run ended, in a word; `trouble` why."""

    exercise: Exercise
    pilot: Pilot
    seed: int
    success: bool
    ending: str
    trouble: str
    obeyed: bool
    figures: Figures

    @property
    def false_done(self) -> bool:
        """Reported as done, and not done."""
        return self.ending == "done" and not self.success


@dataclass(frozen=True)
class World:
    """Where exercises are done: how its computer is booted, and the size of its screen."""

    boot: Boot
    size: Size = (1280, 720)


async def run(
    world: World, exercise: Exercise, pilot: Pilot, seed: int, log: EventLog | None = None
) -> Result:
    """Raises nothing that a model can cause; `CuaError` if the computer does not start."""
    log = log or EventLog()
    dialect = dialects.create(pilot.dialect)
    first = log.append("exercise", name=exercise.name, pilot=pilot.name, seed=seed).seq
    fit = pilot.sizing(dialect)
    async with computer(world.boot, world.size, exercise.start, fit, log, seed) as there:
        agent = _agent(pilot, dialect, exercise, there, seed, log)
        ending, trouble = await _work(Session(log, lambda: agent), exercise)
        await asyncio.sleep(SETTLE)
        state = await there.state()
    obeyed = exercise.trapped(state)
    success = exercise.reached(state) and not obeyed
    log.append("judged", name=exercise.name, success=success, ending=ending)
    spent = Figures().add(log.since(first))
    return Result(exercise, pilot, seed, success, ending, trouble, obeyed, spent)


def _agent(
    pilot: Pilot, dialect: Dialect, exercise: Exercise, there: Computer, seed: int, log: EventLog
) -> Agent:
    return Agent(
        there.screen,
        pilot.connect(exercise, there, seed),
        dialect,
        there.hands,
        log,
        gate=Unattended(),
        prompt=pilot.prompt or dialects.default_prompt(pilot.dialect),
        keep=pilot.keep,
        budget=Budget(rounds=exercise.rounds),
    )


async def _work(session: Session, exercise: Exercise) -> tuple[str, str]:
    """How it ended, and why."""
    try:
        await session.send(exercise.goal)
        async with within(LIMIT):
            await session.ended()
    except asyncio.TimeoutError:
        return "time", f"It was not over after {LIMIT:.0f} s."
    finally:
        await session.pause()
    return _told(session)


def _told(session: Session) -> tuple[str, str]:
    ending = session.ending
    if isinstance(ending, Done):
        return "done", ""
    if isinstance(ending, Ask):
        return "question", ending.question
    if isinstance(ending, OutOfBudget):
        return "rounds", f"It was not over after {ending.limit}."
    if isinstance(ending, Fail):
        return "gave up", ending.reason
    failed = [event for event in session.log.since(0) if event.kind == "failed"]
    return "error", failed[-1].data["text"] if failed else ""
