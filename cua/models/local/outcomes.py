"""What to look for once something was done for an instruction, and what to do without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...screen.ocr.layout import TextLine
from .context import Achieved, Act, Move, Question, RuleContext, click, times
from .instructions import Clear, Click, Instruction, Press, Target, Write
from .locate import clickable, locate, obstacle
from .matching import within
from .moves import enter, entry, start

MAX_TRIES = 3
_ASIDE = "is in the way"
_HIDDEN = " •*●·."
"""What a field of secrets shows."""


def verify(wanted: Instruction, context: RuleContext) -> Move:
    return _OUTCOMES.get(type(wanted), _assume_done)(wanted, context)


def put_aside(
    context: RuleContext, boldly: bool = False, spare: TextLine | None = None
) -> Act | None:
    """Closes a dialog in the way; see `locate.obstacle`."""
    button = obstacle(context.look, boldly, spare)
    if button is None or sum(_ASIDE in own.text for own in context.own) >= MAX_TRIES:
        return None
    say = f'A dialog is in the way; I click its "{button.text}".'
    return Act(say, (click(context.look, button),), helps=True)


def _clicked(wanted: Click, context: RuleContext) -> Move:
    if context.changed:
        return Achieved(f"{context.result}.")
    found = clickable(context, wanted.target, opening=wanted.count == 0)
    if not isinstance(found, TextLine) or times(context.tries, "mouse") >= MAX_TRIES:
        return _unchanged(wanted)
    if not wanted.target.at and (aside := put_aside(context, boldly=True, spare=found)):
        return aside
    if context.clicked and not found.box.holds(context.clicked):
        return Act(
            "It has moved, so I click it again.",
            (click(context.look, found, wanted.count or 1, wanted.button),),
        )
    return _open_firmly(found, context) if wanted.count == 0 else _unchanged(wanted)


def _open_firmly(found: TextLine, context: RuleContext) -> Move:
    """Two clicks where one did nothing, some time where two did not yet."""
    last = context.tries[-1].commands[-1]
    if last.startswith("mouse") and last[-1] == "3":
        return Act("Nothing opened yet, so I wait a moment.", ("sleep 2",))
    twice = click(context.look, found, 2)
    return Act("Nothing opened, so I double-click it.", (twice,))


def _unchanged(wanted: Click) -> Move:
    """A click may change nothing that can be read; opening may not."""
    if wanted.count == 0:
        return Question(f"I tried to {wanted.words} and nothing changed. What should I do?")
    return Achieved("done; nothing that I can read changed.")


def _written(wanted: Write, context: RuleContext) -> Move:
    area = field_text(context, wanted.into) if wanted.into else list(context.look.lines)
    if area is not None and (within(area, wanted.text) or _is_secret(area)):
        return Achieved(f'I can read "{wanted.text}" there.')
    again = _again_in_field(wanted, context) if wanted.into else _again_at_cursor(wanted, context)
    if again is not None:
        return again
    if not times(context.tries, "sleep"):
        return Act("I cannot read the text yet, so I look again.", ("sleep 1",))
    return Question(f'I typed "{wanted.text}" but cannot see it on the screen. What should I do?')


def _again_in_field(wanted: Write, context: RuleContext) -> Move | None:
    if times(context.tries, "typestr") >= MAX_TRIES:
        return None
    move = start(wanted, context)
    return (
        replace(move, say=f"It is not in the field. {move.say}") if isinstance(move, Act) else move
    )


def _again_at_cursor(wanted: Write, context: RuleContext) -> Move | None:
    """The rest of what was interrupted; or something took the keys, or the field has no cursor."""
    if context.typed is not None and context.typed < len(wanted.text):
        rest = wanted.text[context.typed :]
        return Act("I was interrupted while typing and type the rest.", (f"typestr {rest}",))
    if aside := put_aside(context, boldly=True):
        return aside
    if not isinstance(context.previous, Click) or times(context.tries, "typestr") > 1:
        return None
    if context.previous.target.at:
        return None  # what is there may be no field, and all of it would be replaced
    move = enter(context, context.previous.target, wanted.text)
    return replace(move, say=f"It did not arrive. {move.say}") if isinstance(move, Act) else move


def _is_secret(area: Sequence[TextLine]) -> bool:
    text = "".join(seen.text for seen in area)
    return bool(text) and not text.strip(_HIDDEN)


def field_text(context: RuleContext, label: Target) -> list[TextLine] | None:
    """What stands in the field of that label; None if the label cannot be seen."""
    found = locate(context, label)
    if not isinstance(found, TextLine):
        return None
    return context.look.inside(entry(context.look, found))


def _pressed(wanted: Press, context: RuleContext) -> Move:
    sent = sum(own.commands.count(f"keyboard {wanted.keys}") for own in context.tries)
    if sent < wanted.times:
        count = min(3, wanted.times - sent)
        return Act("I press the keys again.", (f"keyboard {wanted.keys}",) * count)
    return _assume_done(wanted, context)


def _cleared(wanted: Clear, context: RuleContext) -> Move:
    text = field_text(context, wanted.into) if wanted.into else None
    if text and len(context.tries) < MAX_TRIES and not context.changed:
        again = start(wanted, context)
        if isinstance(again, Act):
            return again
    return _assume_done(wanted, context)


def _assume_done(wanted: Instruction, context: RuleContext) -> Move:
    del wanted
    return Achieved(f"done; {context.result}." if context.changed else "done.")


_OUTCOMES: dict[type, Callable[[Any, RuleContext], Move]] = {
    Click: _clicked,
    Write: _written,
    Press: _pressed,
    Clear: _cleared,
}
