"""The first decision for each instruction, and the check of its effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...dialects.kvm_lines import MAX_COMMANDS
from ...messages import Message, sentences
from ...screen.ocr.labels import is_icon
from ...screen.ocr.layout import Box, ScreenLayout, TextLine
from ...screen.ocr.matching import contains_text, count_misread, normalize_ocr
from ...types.actions import NAMED_SECRET
from .context import (
    SCROLL_DOWN,
    SCROLL_UP,
    Achieved,
    Act,
    Context,
    Decision,
    Question,
    click,
    describe_position,
    format_position,
    list_texts,
)
from .instructions import Check, Click, Drag, Instruction, Output, Scroll, Send, Target, Write
from .locate import (
    field_of,
    find_dialog_buttons,
    find_dismiss_button,
    find_title,
    list_windows,
    locate,
    look_in,
    read_windows,
)
from .task_history import UNREAD, find_unsent

MAX_ATTEMPTS = 3
MAX_SCROLLS = 40
_WAITS_S = (1, 2, 4, 8, 15, 30)
"""Pauses between two screenshots while waiting for a text."""
_HIDDEN_CHARS = " •*●·."
"""Characters that a password field shows."""
_Start = Callable[[Any, Context], Decision | None]
_Verify = Callable[[Any, Context], Decision]


def dismiss_dialog(context: Context, keep: TextLine | None = None) -> Act | None:
    """Close a dialog in the way, unless `keep` is in it."""
    button = find_dismiss_button(context.layout, keep)
    if button is None or context.count_preparations("dialog") >= MAX_ATTEMPTS:
        return None
    say = Message("local.dialog", label=button.text)
    return Act(say, (click(context.layout, button),), "dialog", button.text)


def _assume_done(wanted: Instruction, context: Context) -> Decision:
    del wanted
    return Achieved(context.result if context.changed else Message("local.unchanged"))


# --- click, double-click, right-click, open -------------------------------------------------------


def _start_click(wanted: Click, context: Context) -> Decision | None:
    shown = look_in(context.layout, wanted.target.window).lines
    if wanted.unless and contains_text(shown, wanted.unless):
        return Achieved(Message("local.is_shown", text=wanted.unless))
    found = locate(context, wanted.target, to_click=True, to_open=wanted.count == 0)
    if not isinstance(found, TextLine):
        return found
    count = wanted.count or (2 if is_icon(context.layout, found) else 1)
    commands = (click(context.layout, found, count, wanted.button),)
    if wanted.target.at:
        return Act("", commands)
    return Act(_say_where(context, found), commands, label=found.text)


def _say_where(context: Context, found: TextLine) -> str:
    where = describe_position(context.layout, found)
    return Message("local.found", label=found.text, where=where)


def _verify_click(wanted: Click, context: Context) -> Decision:
    layouts = [context.layout, context.before]  # the pointer may hide the title now
    titles = filter(None, (find_title(each, wanted.target) for each in layouts if each))
    if not wanted.count and (title := next(titles, None)):
        return Achieved(Message("local.is_open", label=title.text))
    if context.changed:
        return Achieved(context.result)
    found = locate(context, wanted.target, to_click=True, to_open=wanted.count == 0)
    tried = context.count_attempts("mouse") >= MAX_ATTEMPTS
    if not isinstance(found, TextLine) or tried or _is_elsewhere(context, found):
        return _without_change(wanted)
    if not wanted.target.at and (aside := dismiss_dialog(context, keep=found)):
        return aside
    if context.clicked and not found.box.holds(context.clicked):
        again = click(context.layout, found, wanted.count or 1, wanted.button)
        return Act(Message("local.moved"), (again,), label=found.text)
    if wanted.count:
        return _without_change(wanted)
    if context.attempts[-1].commands[-1].endswith(" 3"):
        return Act(Message("local.not_open_yet"), ("sleep 2",))
    again = click(context.layout, found, 2)
    return Act(Message("local.double_click_instead"), (again,), label=found.text)


def _is_elsewhere(context: Context, found: TextLine) -> bool:
    """Whether it is in another window than the last click, such as when the pointer hides it."""
    layout, at = context.layout, context.clicked
    return at is not None and layout.window_at(at) != layout.window_at(found.box.middle)


def _without_change(wanted: Click) -> Decision:
    """Decide after a click that changed no text: only opening must change some."""
    if wanted.count:
        return Achieved(Message("local.unchanged"))
    return Question(Message("local.not_opened", target=wanted.target.words))


# --- type, clear ----------------------------------------------------------------------------------


def _start_write(wanted: Write, context: Context) -> Decision | None:
    if wanted.typed and wanted.typed == wanted.text:
        return _ask_about_secret(wanted)
    if wanted.typed:
        return Question(Message("local.half_typed", typed=wanted.typed, text=wanted.text))
    if wanted.instead:
        return Question(Message("local.typed_before", typed=wanted.instead, text=wanted.text))
    if wanted.target is None:
        return Act(Message("local.type_here"), (f"typestr {wanted.text}",))
    return _replace_content(context, wanted.target, wanted.text)


def _replace_content(context: Context, label: Target, text: str) -> Decision | None:
    found = locate(context, label, to_fill=True)
    if not isinstance(found, TextLine):
        return found
    if (field := field_of(context.layout, found)) is None:
        return None
    # In the right half the pointer does not hide what is typed.
    right_half = Box((field.left + field.right) // 2, field.top, field.right, field.bottom)
    finish = f"typestr {text}" if text else "keyboard DELETE"
    commands = (click(context.layout, right_half), "keyboard CTRL+A", finish)
    return Act(_say_where(context, found), commands, label=found.text)


def _read_field(context: Context, label: Target) -> list[TextLine] | None:
    """Return the content of a field; None if its label is not visible."""
    found = locate(context, label, to_fill=True)
    field = field_of(context.layout, found) if isinstance(found, TextLine) else None
    return context.layout.inside(field) if field else None


def _read_front(context: Context) -> list[TextLine]:
    """Return the texts of the windows of what was opened, else all on the screen."""
    layout, opened = context.layout, context.opened
    if opened and list_windows(layout, opened):
        return read_windows(layout, opened)
    return list(layout.lines)


def _verify_write(wanted: Write, context: Context) -> Decision:
    target = wanted.target
    if not wanted.text:
        return _assume_done(wanted, context)
    if NAMED_SECRET.search(wanted.text):
        return _accept_secret(wanted, context)
    area = _read_field(context, target) if target else _read_front(context)
    if area is not None and (contains_text(area, wanted.text) or _is_secret(area)):
        return Achieved(Message("local.readable", text=wanted.text))
    again = _fill_in_again(wanted, target, context) if target else _type_again(wanted, context)
    if again:
        return again
    if not context.count_attempts("sleep"):
        return Act(Message("local.not_readable_yet"), ("sleep 1",))
    return Question(Message("local.not_readable", text=wanted.text), UNREAD)


def _accept_secret(wanted: Write, context: Context) -> Decision:
    """Accept a secret as typed: its value is not known here, and a field shows dots for it."""
    if context.own[-1].interrupted:
        return _ask_about_secret(wanted)
    return Achieved(Message("local.changed" if context.changed else "local.unchanged"))


def _ask_about_secret(wanted: Write) -> Question:
    return Question(Message("local.secret_interrupted", text=wanted.text))


def _fill_in_again(wanted: Write, target: Target, context: Context) -> Decision | None:
    """Fill in another field, or the same one if that was interrupted; else it has failed."""
    if context.count_attempts("typestr") >= MAX_ATTEMPTS:
        return None
    found = locate(context, target, to_fill=True)
    if isinstance(found, TextLine) and (aside := dismiss_dialog(context, keep=found)):
        return aside
    again = _explain(_start_write(wanted, context), Message("local.not_in_field"))
    tried = [own.commands for own in context.attempts]
    failed = isinstance(again, Act) and [*again.commands] in tried and not context.rest
    return None if failed else again


def _type_again(wanted: Write, context: Context) -> Decision | None:
    """Type the rest after an interruption; else another window or no field got the keys."""
    if context.rest:
        return Act(Message("local.type_rest"), context.rest)
    if aside := dismiss_dialog(context):
        return aside
    previous = context.previous
    if not isinstance(previous, Click) or context.count_attempts("typestr") > 1:
        return None
    target = previous.target
    if target.at or previous.count != 1 or list_windows(context.layout, target):
        return None  # it names no field: select-all would replace everything, elsewhere
    decision = _replace_content(context, target, wanted.text)
    return _explain(decision, Message("local.not_arrived"))


def _explain(found: Decision | None, why: str) -> Decision | None:
    return replace(found, say=sentences(why, found.say)) if isinstance(found, Act) else found


def _is_secret(area: Sequence[TextLine]) -> bool:
    text = "".join(line.text for line in area)
    return bool(text) and not text.strip(_HIDDEN_CHARS)


# --- send keys, wait, scroll, drag ----------------------------------------------------------------


def _send(wanted: Send, context: Context) -> Decision:
    commands = find_unsent(wanted.commands, context.own)[:MAX_COMMANDS]
    return Act("", commands) if commands else _assume_done(wanted, context)


def _scroll(wanted: Scroll, context: Context) -> Decision:
    scrolled = len(context.own)
    if wanted.target is None:
        return _assume_done(wanted, context) if scrolled else turn_wheel(context, wanted.down)
    found = locate(context, wanted.target)
    if isinstance(found, TextLine):
        return Achieved(_say_where(context, found))
    if scrolled > MAX_SCROLLS or (scrolled and not context.changed):
        return Question(Message("local.end_of_scrolling", target=wanted.target.words))
    return turn_wheel(context, wanted.down)


def turn_wheel(context: Context, down: bool = True) -> Act:
    """Scroll in the window that was used last."""
    layout = context.layout
    window = layout.window_at(context.clicked or (layout.width // 2, layout.height // 2))
    code = SCROLL_DOWN if down else SCROLL_UP
    return Act("", (f"mouse {format_position(layout, window)} {code}",))


def _start_drag(wanted: Drag, context: Context) -> Decision | None:
    ends = [locate(context, target) for target in (wanted.start, wanted.end)]
    lines = [end for end in ends if isinstance(end, TextLine)]
    if len(lines) < len(ends):
        return next((end for end in ends if isinstance(end, Question)), None)
    path = " ".join(format_position(context.layout, line) for line in lines)
    say = Message("local.i_drag", start=lines[0].text, end=lines[1].text)
    return Act(say, (f"drag {path}",))


# --- check -----------------------------------------------------------------------------------


def _check(wanted: Check, context: Context) -> Decision:
    text = wanted.text
    layout = look_in(context.layout, wanted.window)
    shown = contains_text(layout.lines, text)
    say = Message("local.is_not_shown", text=text)
    if shown:
        whole = (line.text for line in layout.lines if contains_text([line], text))
        say = Message("local.is_shown", text=next(whole, text))
    if shown == wanted.shown:
        return Achieved(say)
    waited = len(context.own)
    if waited < (len(_WAITS_S) if wanted.wait else 1):
        return Act(say, (f"sleep {_WAITS_S[waited]}",))
    buttons = find_dialog_buttons(context.layout, text) if shown else []
    layout = replace(layout, lines=tuple(buttons) or context.layout.lines)
    seen = list_texts(layout, "" if shown else text)
    return Question(
        Message("local.still_shown" if shown else "local.not_shown", text=text, texts=seen)
    )


def _read_output(wanted: Output, context: Context) -> Decision:
    """Wait for the next prompt, as the command may run long; quote the lines above it."""
    command, layout = _make_pattern(wanted.command), context.layout
    typed, shown = _find_typed(layout, command), list[TextLine]()
    was_typed = _find_typed(context.before, command) if context.before else None
    if line := typed or was_typed:  # it may have scrolled out of sight
        prompt = command.sub("", normalize_ocr(line.text))
        window = layout.window_at(line.box.middle)._replace(left=line.box.left)
        shown = layout.inside(window._replace(top=line.box.bottom) if typed else window)
        if shown and count_misread(shown[-1].text, prompt) is not None:
            shown.pop()
        elif len(context.own) < len(_WAITS_S):
            return Act("", (f"sleep {_WAITS_S[len(context.own)]}",))
    if not shown:
        return Achieved(Message("local.no_output"))
    if _is_error(shown[-1].text, wanted.command):
        return Question(Message("local.command_failed", text=shown[-1].text))
    text = "\n".join(each.text for each in shown)
    return Achieved(Message("local.output", text=text, count=len(shown)))


def _make_pattern(command: str) -> re.Pattern[str]:
    """Return the pattern of the end of the typed line; a secret in it may be any text."""
    texts = NAMED_SECRET.split(command)[::2]
    return re.compile(".+".join(re.escape(normalize_ocr(text)) for text in texts) + "$")


def _find_typed(layout: ScreenLayout, command: re.Pattern[str]) -> TextLine | None:
    """Return the last line that ends with the command."""
    lines = reversed(layout.lines)
    return next((line for line in lines if command.search(normalize_ocr(line.text))), None)


def _is_error(line: str, command: str) -> bool:
    """Whether a line has the form "NAME: ERROR", as programs and shells print it."""
    name, colon, _ = line.partition(":")
    names = ["bash", "sh", *command.split()[: 1 + command.startswith("sudo ")]]
    return bool(colon) and normalize_ocr(name) in map(normalize_ocr, names)


VERBS: dict[type, tuple[_Start, _Verify]] = {
    Click: (_start_click, _verify_click), Write: (_start_write, _verify_write),
    Drag: (_start_drag, _assume_done), Send: (_send, _send), Scroll: (_scroll, _scroll),
    Check: (_check, _check), Output: (_read_output, _read_output),
}  # fmt: skip
"""Instruction -> its first decision (None: its target is not on the screen), the one after it."""
