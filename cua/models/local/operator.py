"""The next reply: from the chat and the screen as it was read, by rules. Pure; no AI."""

from __future__ import annotations

from dataclasses import replace
from textwrap import shorten

from .follow import attempt
from .instructions import Goal, Instruction
from .language import HELP
from .ocr import Look
from .recipes import recipe
from .rules import pursue
from .scene import Achieved, Act, Move, Question, Scene
from .story import HELPS, Story, told

WHAT_NOW = "What should I do?"
HELP_ME = "I need your help."
MOST = 80
"""Letters that are repeated of what was not understood."""


def decide(story: Story, look: Look, before: Look | None) -> str:
    """The reply in the line dialect. `before` is the screen that the last reply answered."""
    if story.puzzle:
        return _puzzled(story)
    if story.refused:
        return _lines([_mark(story, "That cannot be done.")], (f"$ {story.refused} {WHAT_NOW}",))
    at = story.at
    notes: list[str] = []
    scene = _scene(story, look, before)
    while at < len(story.plan):
        move = _move(story.plan, at, scene)
        if not isinstance(move, Achieved):
            return _reply(story.plan, at, move, notes)
        notes.append(f"{told(story.plan[at])}: {move.seen}")
        at, scene = at + 1, scene.next()
    return _done(story.plan, notes)


def _scene(story: Story, look: Look, before: Look | None) -> Scene:
    scene = Scene(look, before, tuple(story.own), tuple(story.all), story.typed)
    if scene.clicked is None:
        return scene
    return replace(scene, look=look.without_pointer(scene.clicked))


def _move(plan: list[Instruction], at: int, scene: Scene) -> Move:
    wanted = plan[at]
    if isinstance(wanted, Goal):
        return pursue(wanted, recipe(wanted), scene)
    return attempt(wanted, scene.after(plan[at - 1] if at else None))


def _reply(plan: list[Instruction], at: int, move: Act | Question, notes: list[str]) -> str:
    head = f"[{at + 1}/{len(plan)}] {told(plan[at])}"
    if isinstance(move, Question):
        return _lines([f"{head}: {HELP_ME}", *notes], (f"$ {_flat(move.text)}",))
    colon = HELPS if move.helps else ": "
    return _lines([head + colon + move.say, *notes], move.commands)


def _done(plan: list[Instruction], notes: list[str]) -> str:
    count = len(plan)
    return _lines([f"[{count}/{count}] All is done.", *notes], ("Done",))


def _puzzled(story: Story) -> str:
    said = shorten(story.puzzle, MOST, placeholder="…")
    ask = f'I am no AI, and do not understand "{said}". What I know: {HELP}.'
    return _lines([_mark(story, "I need other words.")], (f"$ {ask}",))


def _mark(story: Story, say: str) -> str:
    at = min(story.at + 1, len(story.plan))
    return f"[{at}/{len(story.plan)}] {say}"


def _lines(thoughts: list[str], commands: tuple[str, ...]) -> str:
    return "\n".join([*(f"# {_flat(thought)}" for thought in thoughts), *commands])


def _flat(text: str) -> str:
    return " ".join(text.split())
