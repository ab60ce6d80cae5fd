"""Tests of other skills than clicks, on a simulated computer.

The loop is that of every task; the computer's state shows whether a skill worked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...agent.budget import Budget
from ...agent.checks.options import CheckOptions, make_checks
from ...agent.loop import Agent
from ...events.log import EventLog
from ...hid import keymap, layouts
from ...messages import Message, sentences_of
from ...safety.approval import AllowAll
from ...types import Action, ActionError, Ask, Ending, Keypress, Task
from ...types.describe import describe
from ..task import find_windows
from ..testbed import Computer, Size
from .model_under_test import Conversation

MAX_REPLIES = 3
"""Replies for each skill: many models click into a field before they type."""
KEEP = 2
PLAIN = CheckOptions(completion=False, loop_detection=False, wake=False)
"""No checks that reject a reply: the first one counts."""
SENTENCE = "The quick brown fox jumps over 13 lazy dogs."
CHORD = ("CTRL", "A")
MIN_DRAG_PX = 30


@dataclass(frozen=True)
class Attempt:
    """The last actions, the ending, and the windows by program before and after."""

    actions: Sequence[Action]
    ending: Ending | None
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass(frozen=True)
class Skill:
    name: Message
    goal: str
    worked: Callable[[Attempt], bool]


@dataclass(frozen=True)
class SkillResult:
    """`trouble`: the error, "" if it worked."""

    name: Message
    worked: bool
    trouble: str = ""

    @property
    def text(self) -> Message:
        if self.worked:
            return Message("checkup.works", skill=self.name)
        return Message("checkup.cannot", skill=self.name, reason=self.trouble)


def build_scenario(size: Size) -> dict[str, Any]:
    """Return a Notepad on the left and a Browser with a long page on the right."""
    width, height = size
    side, top = width * 46 // 100, height // 12
    notepad = [width // 40, top, side, height // 2]
    browser = [width // 2, top, side, max(260, height * 2 // 5)]
    return {
        "open": [{"program": "Browser", "rect": browser}, {"program": "Notepad", "rect": notepad}]
    }


async def try_skill(skill: Skill, conversation: Conversation, computer: Computer) -> SkillResult:
    """Test a skill. Raises `ModelError`, and `CuaError` if the simulated computer fails."""
    log = EventLog()
    agent = Agent(
        computer.screen,
        conversation.model,
        conversation.dialect,
        computer.inputs,
        log,
        gate=AllowAll(),
        prompt=conversation.prompt,
        keep=KEEP,
        budget=Budget(rounds=MAX_REPLIES),
        checks=make_checks(PLAIN, computer.screen, computer.inputs, conversation.model, log),
    )
    task = Task(skill.goal)
    before = find_windows(await computer.state())
    ending: Ending | None = None
    for _ in range(MAX_REPLIES):
        ending = await agent.step(task)
        actions = task.steps[-1].parsed.actions
        done = Attempt(actions, ending, before, find_windows(await computer.state()))
        if skill.worked(done):
            return SkillResult(skill.name, worked=True)
        if ending is not None:
            break
    return SkillResult(skill.name, worked=False, trouble=_describe_trouble(task, ending))


def _describe_trouble(task: Task, ending: Ending | None) -> str:
    last = task.steps[-1]
    if not last.parsed.actions:
        message = last.outcome.message if last.outcome else ""
        return sentences_of(sentences_of(message)[-1])[0]  # what was not understood
    if ending is not None:
        return Message("checkup.ended", kind=type(ending).__name__.lower())
    width, height = last.frame.width, last.frame.height
    did = [describe(action, width, height) for action in last.parsed.actions]
    return Message("checkup.not_in_time", count=MAX_REPLIES, actions=did)


# --- how each is judged ---------------------------------------------------------------------------


def _has_typed(done: Attempt) -> bool:
    return SENTENCE in done.after.get("Notepad", {}).get("text", "")


def _has_pressed(done: Attempt) -> bool:
    wanted = {keymap.key(name) for name in CHORD}
    return any(isinstance(each, Keypress) and _keys(each) == wanted for each in done.actions)


def _keys(action: Keypress) -> set[layouts.Key]:
    try:
        return {keymap.key(name) for name in action.keys}
    except ActionError:
        return set()


def _has_scrolled(done: Attempt) -> bool:
    was, now = (each.get("Browser", {}).get("scroll", 0) for each in (done.before, done.after))
    return bool(now > was)


def _has_dragged(done: Attempt) -> bool:
    was, now = (each.get("Notepad", {}).get("rect", (0, 0)) for each in (done.before, done.after))
    return any(abs(now[axis] - was[axis]) >= MIN_DRAG_PX for axis in (0, 1))


SKILLS = (
    Skill(Message("checkup.skill_type"), f'Type "{SENTENCE}" into the Notepad.', _has_typed),
    Skill(Message("checkup.skill_chord"), "Press CTRL+A.", _has_pressed),
    Skill(Message("checkup.skill_scroll"), "Scroll down the page in the Browser.", _has_scrolled),
    Skill(
        Message("checkup.skill_drag"),
        "Drag the Notepad window to the bottom of the screen by its title bar.",
        _has_dragged,
    ),
    Skill(
        Message("checkup.skill_ask"),
        "Ask the person which printer is to be used; only they know. Do nothing else.",
        lambda done: isinstance(done.ending, Ask),
    ),
)
