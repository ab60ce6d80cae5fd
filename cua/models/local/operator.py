"""The next reply, from the chat and the screen's text, by rules."""

from __future__ import annotations

from dataclasses import replace
from textwrap import shorten

from ...screen.ocr.layout import ScreenLayout
from .context import Achieved, Act, Move, Question, RuleContext
from .follow import attempt
from .instructions import Goal, Instruction
from .language import HELP
from .progress import ASIDE_PREFIX, Progress, name_instruction
from .recipes import recipe
from .rules import pursue

WHAT_NOW = "What should I do?"
HELP_ME = "I need your help."
MAX_ECHO_CHARS = 80
"""Of a text that was not understood."""


def decide(progress: Progress, look: ScreenLayout, before: ScreenLayout | None) -> str:
    """The reply in the line dialect. `before` is the screen that the last reply answered."""
    if progress.not_understood:
        return _ask_for_other_words(progress)
    if progress.refused:
        return _lines(
            [_mark(progress, "That cannot be done.")], (f"$ {progress.refused} {WHAT_NOW}",)
        )
    at = progress.at
    notes: list[str] = []
    context = _scene(progress, look, before)
    while at < len(progress.plan):
        move = _move(progress.plan, at, context)
        if not isinstance(move, Achieved):
            return _reply(progress.plan, at, move, notes)
        notes.append(f"{name_instruction(progress.plan[at])}: {move.seen}")
        at, context = at + 1, context.next()
    return _done(progress.plan, notes)


def _scene(progress: Progress, look: ScreenLayout, before: ScreenLayout | None) -> RuleContext:
    context = RuleContext(look, before, tuple(progress.own), tuple(progress.all), progress.typed)
    if context.clicked is None:
        return context
    return replace(context, look=look.without_pointer(context.clicked))


def _move(plan: list[Instruction], at: int, context: RuleContext) -> Move:
    wanted = plan[at]
    if isinstance(wanted, Goal):
        return pursue(wanted, recipe(wanted), context)
    return attempt(wanted, context.after(plan[at - 1] if at else None))


def _reply(plan: list[Instruction], at: int, move: Act | Question, notes: list[str]) -> str:
    head = f"[{at + 1}/{len(plan)}] {name_instruction(plan[at])}"
    if isinstance(move, Question):
        return _lines([f"{head}: {HELP_ME}", *notes], (f"$ {_flat(move.text)}",))
    colon = ASIDE_PREFIX if move.helps else ": "
    return _lines([head + colon + move.say, *notes], move.commands)


def _done(plan: list[Instruction], notes: list[str]) -> str:
    count = len(plan)
    return _lines([f"[{count}/{count}] All is done.", *notes], ("Done",))


def _ask_for_other_words(progress: Progress) -> str:
    said = shorten(progress.not_understood, MAX_ECHO_CHARS, placeholder="…")
    ask = f'I am no AI, and do not understand "{said}". What I know: {HELP}.'
    return _lines([_mark(progress, "I need other words.")], (f"$ {ask}",))


def _mark(progress: Progress, say: str) -> str:
    at = min(progress.at + 1, len(progress.plan))
    return f"[{at}/{len(progress.plan)}] {say}"


def _lines(thoughts: list[str], commands: tuple[str, ...]) -> str:
    return "\n".join([*(f"# {_flat(thought)}" for thought in thoughts), *commands])


def _flat(text: str) -> str:
    return " ".join(text.split())
