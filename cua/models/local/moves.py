"""The first move for each instruction: what is sent to the hands, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...screen.ocr.layout import Box, ScreenLayout, TextLine
from .context import (
    DOWN,
    UP,
    Achieved,
    Act,
    Move,
    Question,
    RuleContext,
    click,
    list_texts,
    place,
    times,
    where,
)
from .instructions import (
    Await,
    Check,
    Clear,
    Click,
    Drag,
    Instruction,
    Press,
    Rest,
    Scroll,
    Target,
    Visit,
    Write,
)
from .locate import clickable, is_icon, locate, title
from .matching import field_of, shown

_PATIENCE = (1, 2, 4, 8, 15, 30)
"""Seconds between the looks while something is waited for."""
_SCROLLS = 40
"""Looks after which scrolling is given up."""


def start(wanted: Instruction, context: RuleContext) -> Move | None:
    """None if its target is not on the screen."""
    return _MOVES[type(wanted)](wanted, context)


def _click(wanted: Click, context: RuleContext) -> Move | None:
    found = clickable(context, wanted.target, opening=wanted.count == 0)
    if not isinstance(found, TextLine):
        return found
    count = wanted.count or (2 if is_icon(context.look, found) else 1)
    how = "right-click" if wanted.button == "right" else "double-click" if count == 2 else "click"
    seen = f'I see "{found.text}" {where(context.look, found)} and {how} it.'
    say = f"I {how} there." if wanted.target.at else seen
    return Act(say, (click(context.look, found, count, wanted.button),))


def _write(wanted: Write, context: RuleContext) -> Move | None:
    if wanted.into is None:
        return Act("The cursor is where it belongs, so I type it.", (f"typestr {wanted.text}",))
    return enter(context, wanted.into, wanted.text, wanted.below)


def enter(context: RuleContext, label: Target, text: str, below: bool = False) -> Move | None:
    """Replaces what is in the field of that label."""
    found = title(context, label) if below else locate(context, label)
    if not isinstance(found, TextLine):
        return found
    at = page_under(context.look, found) if below else entry(context.look, found)
    say = f'I see "{found.text}" {where(context.look, found)} and fill in what belongs to it.'
    finish = f"typestr {text}" if text else "keyboard DELETE"
    right_half = Box((at.left + at.right) // 2, at.top, at.right, at.bottom)
    # There the pointer does not hide what is typed.
    return Act(say, (click(context.look, right_half), "keyboard CTRL+A", finish))


def entry(look: ScreenLayout, label: TextLine) -> Box:
    """Its field, or the place right of it where fields without an edge are."""
    box = label.box
    return field_of(look, label) or Box(box.right, box.top, box.right + 4 * box.height, box.bottom)


def page_under(look: ScreenLayout, seen: TextLine) -> Box:
    """The large area of a window, by its title."""
    x, y = seen.box.middle
    below = [box for box in look.boxes if box.top > y and box.left <= x < box.right]
    return max(below, key=lambda box: box.area)


def _visit(wanted: Visit, context: RuleContext) -> Move:
    del context
    way = ("keyboard CTRL+L", f"typestr {wanted.address}", "keyboard ENTER")
    return Act("I enter it in the address bar.", way)


def _press(wanted: Press, context: RuleContext) -> Move:
    del context
    return Act("I press the keys.", (f"keyboard {wanted.keys}",) * min(wanted.times, 3))


def _scroll(wanted: Scroll, context: RuleContext) -> Move:
    scrolled = len(context.own)
    if wanted.until is None:
        return Achieved("scrolled.") if scrolled >= wanted.times else roll(context, wanted.down)
    found = locate(context, wanted.until)
    if isinstance(found, TextLine):
        return Achieved(f'"{found.text}" is {where(context.look, found)}.')
    if scrolled > _SCROLLS or (scrolled and not context.changed):
        return Question(
            f"I scrolled to the end and cannot see {wanted.until.words}. What should I do?"
        )
    return roll(context, wanted.down)


def roll(context: RuleContext, down: bool = True) -> Act:
    """Turns the wheel over the window that was used last."""
    look = context.look
    window = look.window_at(context.clicked or (look.width // 2, look.height // 2))
    say = "I scroll down." if down else "I scroll up."
    return Act(say, (f"mouse {place(look, window)} {DOWN if down else UP}",))


def _await(wanted: Await, context: RuleContext) -> Move:
    if locate(context, wanted.target):
        return Achieved(f"{wanted.target.words} is there.")
    waited = len(context.own)
    if waited >= len(_PATIENCE):
        return Question(
            f"I waited {sum(_PATIENCE)} s and cannot see {wanted.target.words}. What should I do?"
        )
    say = f"I cannot see {wanted.target.words} yet, so I wait."
    return Act(say, (f"sleep {_PATIENCE[waited]}",))


def _check(wanted: Check, context: RuleContext) -> Move:
    if shown(context.look, wanted.text) == wanted.shown:
        is_so = '"{}" is shown.' if wanted.shown else '"{}" is not shown.'
        return Achieved(is_so.format(wanted.text))
    if not times(list(context.own), "sleep"):
        return Act("This is not so yet, so I look again.", ("sleep 1",))
    text, seen = wanted.text, list_texts(context.look)
    if wanted.shown:
        return Question(f'I cannot see "{text}". I see: {seen}. What should I do?')
    return Question(f'I still see "{text}". I see: {seen}. What should I do?')


def _clear(wanted: Clear, context: RuleContext) -> Move | None:
    if wanted.into:
        return enter(context, wanted.into, "")
    return Act("I clear the field that has the cursor.", ("keyboard CTRL+A", "keyboard DELETE"))


def _drag(wanted: Drag, context: RuleContext) -> Move | None:
    ends = [locate(context, target) for target in (wanted.start, wanted.end)]
    seen = [end for end in ends if isinstance(end, TextLine)]
    if len(seen) < len(ends):
        return next((end for end in ends if isinstance(end, Question)), None)
    path = " ".join(place(context.look, end) for end in seen)
    return Act(f'I drag "{seen[0].text}" to "{seen[1].text}".', (f"drag {path}",))


def _rest(wanted: Rest, context: RuleContext) -> Move:
    del context
    return Act("I wait.", (f"sleep {wanted.seconds:g}",))


_MOVES: dict[type, Callable[[Any, RuleContext], Move | None]] = {
    Click: _click, Write: _write, Visit: _visit, Press: _press, Scroll: _scroll, Await: _await,
    Check: _check, Clear: _clear, Drag: _drag, Rest: _rest,
}  # fmt: skip
