"""Follow one instruction: begin it, check its effect, or find its target.

A missing target is searched for (close a dialog, wait, look in the menu, scroll) before the person
is asked.
"""

from __future__ import annotations

from ...screen.ocr.layout import TextLine
from .context import Act, Move, Question, RuleContext, click, list_texts, times
from .instructions import Await, Check, Clear, Click, Instruction, Scroll, Write
from .locate import clickable, is_icon, launcher
from .moves import roll, start
from .outcomes import put_aside, verify

MAX_TRIES = 3


def attempt(wanted: Instruction, context: RuleContext) -> Move:
    """The next move for an instruction, whatever was done for it so far."""
    looks_again = isinstance(wanted, (Scroll, Await, Check))
    if context.tries and not context.own[-1].helps and not looks_again:
        return verify(wanted, context)
    move = start(wanted, context)
    return move if move is not None else _missing(wanted, context)


def _missing(wanted: Instruction, context: RuleContext) -> Move:
    sought = _sought(wanted)
    for way in (_open_previous, _put_aside, _wait, _menu, _scroll):
        if move := way(wanted, context):
            return Act(f"I cannot see {sought}. {move.say}", move.commands, helps=True)
    return Question(
        f"I cannot see {sought} on the screen. I see: {list_texts(context.look)}. What should I do?"
    )


def _sought(wanted: Instruction) -> str:
    if isinstance(wanted, Click):
        return wanted.target.words
    if isinstance(wanted, (Write, Clear)) and wanted.into:
        return wanted.into.words
    return f"what I need to {wanted.words}"


def _open_previous(wanted: Instruction, context: RuleContext) -> Act | None:
    """A click that changed nothing may have been meant as a double click."""
    del wanted
    before = context.previous
    if context.own or context.changed or not isinstance(before, Click) or before.count != 1:
        return None
    found = clickable(context, before.target, opening=True)
    if not isinstance(found, TextLine) or not is_icon(context.look, found):
        return None
    say = f'One click on "{found.text}" opened nothing, so I double-click it.'
    return Act(say, (click(context.look, found, 2),))


def _put_aside(wanted: Instruction, context: RuleContext) -> Act | None:
    del wanted
    return put_aside(context, boldly=True)


def _wait(wanted: Instruction, context: RuleContext) -> Act | None:
    del wanted
    return None if times(context.helps, "sleep") else Act("I wait a moment.", ("sleep 1.5",))


def _menu(wanted: Instruction, context: RuleContext) -> Act | None:
    """Programs without an icon in sight are in the start menu."""
    button = launcher(context.look)
    tried = any("I look in the menu" in own.text for own in context.own)
    if tried or button is None or not isinstance(wanted, Click) or wanted.count != 0:
        return None
    return Act(f'I look in the menu under "{button.text}".', (click(context.look, button),))


def _scroll(wanted: Instruction, context: RuleContext) -> Act | None:
    del wanted
    scrolled = sum("I scroll" in own.text for own in context.own)
    if scrolled >= MAX_TRIES or (scrolled and not context.changed):
        return None
    return roll(context)
