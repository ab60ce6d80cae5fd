"""What a task needs beside clicks, each tried for real on a virtual computer.

The loop is that of every task; whether it worked is asked of the computer, not of the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..agent import Agent
from ..approval import Unattended
from ..craft import Craft
from ..craft.budget import Budget
from ..events import EventLog
from ..hid import keymap, layouts
from ..rig import Computer, Size
from ..types import Action, ActionError, Ask, Ending, Keypress, Task
from ..wording import describe
from .subject import Talk

ROUNDS = 3
"""Replies that each may take: models like to click into a field before they type."""
KEEP = 2
PLAIN = Craft(check_done=False, unstick=False, wake=False)
"""The model is asked for one thing, and its first word counts."""
SENTENCE = "The quick brown fox jumps over 13 lazy dogs."
CHORD = ("CTRL", "A")
SETTLE = 0.2
"""Seconds that the computer has to make something of what was done."""
MOVED = 30
"""Pixels by which a dragged window has to move."""

State = dict[str, Any]


@dataclass(frozen=True)
class Try:
    """What was done (its last turn), how it ended, and the computer before and after."""

    actions: Sequence[Action]
    ending: Ending | None
    before: State
    after: State


@dataclass(frozen=True)
class Skill:
    name: str
    goal: str
    worked: Callable[[Try], bool]


@dataclass(frozen=True)
class Outcome:
    """`words` say what went wrong, "" where nothing did."""

    name: str
    worked: bool
    words: str = ""


def scenario(size: Size) -> State:
    """A Notepad at the left, and at the right a Browser whose page is longer than its window."""
    width, height = size
    side, top = width * 46 // 100, height // 12
    notepad = [width // 40, top, side, height // 2]
    browser = [width // 2, top, side, max(260, height * 2 // 5)]
    return {
        "open": [
            {"program": "Browser", "rect": browser},
            {"program": "Notepad", "rect": notepad},
        ]
    }


async def attempt(skill: Skill, talk: Talk, computer: Computer) -> Outcome:
    """Raises `ModelError`, and `CuaError` if the virtual computer fails."""
    agent = Agent(
        computer.screen,
        talk.model,
        talk.dialect,
        computer.hands,
        EventLog(),
        gate=Unattended(),
        prompt=talk.prompt,
        keep=KEEP,
        budget=Budget(rounds=ROUNDS),
        craft=PLAIN,
    )
    task = Task(skill.goal)
    before = await computer.state()
    ending: Ending | None = None
    for _ in range(ROUNDS):
        ending = await agent.step(task)
        await asyncio.sleep(SETTLE)
        turn = task.steps[-1].turn
        done = Try(turn.actions if turn else (), ending, before, await computer.state())
        if skill.worked(done):
            return Outcome(skill.name, worked=True)
        if ending is not None:
            break
    return Outcome(skill.name, worked=False, words=_trouble(task, ending))


def _trouble(task: Task, ending: Ending | None) -> str:
    last = task.steps[-1]
    if last.turn is None:
        return last.outcome
    if ending is not None:
        return f"It ended with `{type(ending).__name__.lower()}` instead."
    width, height = last.frame.width, last.frame.height
    did = "; ".join(describe(action, width, height) for action in last.turn.actions)
    return f"Not in {ROUNDS} replies. The last one: {did}."


# --- how each is judged ---------------------------------------------------------------------------


def _window(state: State, program: str) -> State:
    found = (window for window in state.get("windows", ()) if window["program"] == program)
    return next(found, {})


def _typed(done: Try) -> bool:
    return SENTENCE in _window(done.after, "Notepad").get("text", "")


def _pressed(done: Try) -> bool:
    wanted = {keymap.key(name) for name in CHORD}
    return any(isinstance(each, Keypress) and _keys(each) == wanted for each in done.actions)


def _keys(action: Keypress) -> set[layouts.Key]:
    try:
        return {keymap.key(name) for name in action.keys}
    except ActionError:
        return set()


def _scrolled(done: Try) -> bool:
    was, now = (_window(state, "Browser").get("scroll", 0) for state in (done.before, done.after))
    return bool(now > was)


def _dragged(done: Try) -> bool:
    was, now = (
        _window(state, "Notepad").get("rect", (0, 0)) for state in (done.before, done.after)
    )
    return any(abs(now[axis] - was[axis]) >= MOVED for axis in (0, 1))


def _asked(done: Try) -> bool:
    return isinstance(done.ending, Ask)


SKILLS = (
    Skill("type a sentence", f'Type "{SENTENCE}" into the Notepad.', _typed),
    Skill("use a chord", "Press CTRL+A.", _pressed),
    Skill("scroll", "Scroll down the page in the Browser.", _scrolled),
    Skill(
        "drag", "Drag the Notepad window to the bottom of the screen by its title bar.", _dragged
    ),
    Skill(
        "ask",
        "Ask the person which printer is to be used; only they know. Do nothing else.",
        _asked,
    ),
)
