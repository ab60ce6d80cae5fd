"""The next reply: from the chat and the screen as it was read, by rules. Pure; no AI."""

from __future__ import annotations

from .follow import attempt
from .instructions import Goal, Instruction
from .language import HELP
from .ocr import Look
from .recipes import recipe
from .rules import pursue
from .scene import Achieved, Act, Move, Question, Scene
from .story import Story


def decide(story: Story, look: Look, before: Look | None) -> str:
    """The reply in the line dialect. `before` is the screen that the last reply answered."""
    if story.puzzle:
        return _puzzled(story)
    at, notes = story.at, []
    scene = Scene(look, before, story.own, story.all, story.typed)
    while at < len(story.plan):
        move = _move(story.plan, at, scene)
        if not isinstance(move, Achieved):
            return _reply(story.plan, at, move, notes)
        notes.append(f"{story.plan[at].words}: {move.seen}")
        at, scene = at + 1, scene.later()
    return _done(story.plan, notes)


def _move(plan: list[Instruction], at: int, scene: Scene) -> Move:
    wanted = plan[at]
    if isinstance(wanted, Goal):
        return pursue(wanted, recipe(wanted), scene)
    return attempt(wanted, scene.after(plan[at - 1] if at else None))


def _reply(plan: list[Instruction], at: int, move: Act | Question, notes: list[str]) -> str:
    head = f"[{at + 1}/{len(plan)}] {plan[at].words}: "
    if isinstance(move, Question):
        return _lines([head + "I need your help.", *notes], (f"$ {_flat(move.text)}",))
    return _lines([head + move.say, *notes], move.commands)


def _done(plan: list[Instruction], notes: list[str]) -> str:
    count = len(plan)
    return _lines([f"[{count}/{count}] All is done.", *notes], ("Done",))


def _puzzled(story: Story) -> str:
    said = f'I do not understand "{story.puzzle}".' if story.puzzle else "There is no task."
    at = min(story.at + 1, len(story.plan))
    mark = [f"[{at}/{len(story.plan)}] I need other words."] if story.plan else []
    return _lines(mark, (f"$ {_flat(said)} I am no AI; I know: {HELP}. What should I do?",))


def _lines(thoughts: list[str], commands: tuple[str, ...]) -> str:
    return "\n".join([*(f"# {_flat(thought)}" for thought in thoughts), *commands])


def _flat(text: str) -> str:
    return " ".join(text.split())
