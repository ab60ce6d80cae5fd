"""Decide on the next reply, from the chat and the text on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import shorten

from ...dialects import registry
from ...messages import Message, sentences
from ...screen.ocr.layout import ScreenLayout
from ...types import Ask, Reply
from .chat_history import ChatHistory
from .context import Achieved, Act, Context, Question
from .execute_instruction import execute_instruction

MAX_QUOTED_CHARS = 80
"""Of a text that was not understood."""
_DIALECT = registry.create("kvm")


def decide(history: ChatHistory, layout: ScreenLayout, before: ScreenLayout | None) -> Reply:
    """Return a reply in the line dialect. `before` is the screen that the last reply answered."""
    if history.not_understood:
        return _ask_for_other_words(history)
    if history.refused:
        asks = Message("local.refused" if "refused it" in history.feedback else "local.not_done")
        return _reply(history, Message("local.help_needed"), question=asks)
    context = Context(layout, before, tuple(history.own), tuple(history.all), history.typed)
    if context.clicked:
        context = replace(context, layout=layout.without_pointer(context.clicked))
    return _follow_plan(history, context)


def _follow_plan(history: ChatHistory, context: Context) -> Reply:
    notes: list[str] = []
    seen: str = Message("local.done")
    for at, wanted in enumerate(history.plan):
        if at < history.at:
            continue
        previous = history.plan[at - 1] if at else None
        move = execute_instruction(wanted, replace(context, previous=previous))
        if not isinstance(move, Achieved):
            return _reply_with(history, at, move, notes)
        seen = move.seen
        notes.append(Message("local.step", instruction=wanted.words, say=seen))
        context = replace(context, own=(), typed=None)
    reply = _reply(history, Message("local.done"), ["Done"], at=len(history.plan), notes=notes)
    assert reply.parsed
    return replace(reply, parsed=replace(reply.parsed, thought=seen))  # the result: no list of it


def _reply_with(history: ChatHistory, at: int, move: Act | Question, notes: list[str]) -> Reply:
    words = history.plan[at].words
    if isinstance(move, Question):
        say = Message("local.step", instruction=words, say=Message("local.help_needed"))
        return _reply(history, say, at=at, notes=notes, question=move.text)
    say = Message(
        "local.step_prepared" if move.preparation else "local.step", instruction=words, say=move.say
    )
    reply = _reply(history, say, move.commands, at=at, notes=notes, mark=move.preparation)
    assert reply.parsed
    return replace(reply, parsed=replace(reply.parsed, label=move.label))


def _ask_for_other_words(history: ChatHistory) -> Reply:
    text = shorten(history.not_understood, MAX_QUOTED_CHARS, placeholder="…")
    question = sentences(Message("local.not_understood", text=text), Message("local.commands"))
    return _reply(history, Message("local.other_words"), question=question)


def _reply(
    history: ChatHistory,
    say: str,
    commands: Sequence[str] = (),
    *,
    at: int | None = None,
    notes: Sequence[str] = (),
    question: str = "",
    mark: str = "",
) -> Reply:
    """Make a reply that `chat_history` can find its place by; what people read are messages."""
    count = len(history.plan)
    number = min((history.at if at is None else at) + 1, count)
    thought = say
    for note in notes:
        thought = Message("local.with_note", text=thought, note=note)
    lines = [f"# [{f'{number}/{count} {mark}'.strip()}] {_flatten(say)}"]
    lines += [f"# {_flatten(note)}" for note in notes]
    lines += [f"$ {_flatten(question)}"] if question else commands
    reply = Reply("\n".join(lines))
    parsed = replace(_DIALECT.parse(reply, (1, 1)), thought=thought)
    if question:
        parsed = replace(parsed, actions=(Ask(question=question),))
    return replace(reply, parsed=parsed)


def _flatten(text: str) -> str:
    return " ".join(text.split())
