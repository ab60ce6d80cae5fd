"""Execute one instruction: start it, check its effect, or look for its target.

For a target that is not on the screen, a dialog is closed, the start menu is opened or the window
is scrolled before the person is asked.
"""

from __future__ import annotations

from ...messages import Message, sentences
from ...screen.ocr.labels import is_icon
from ...screen.ocr.layout import TextLine
from .context import Act, Context, Decision, Question, click, list_texts
from .instructions import Click, Instruction, Write
from .locate import find_menu_button, locate
from .verbs import MAX_ATTEMPTS, VERBS, dismiss_dialog, turn_wheel


def execute_instruction(wanted: Instruction, context: Context) -> Decision:
    """Return the next decision for an instruction, whatever was done for it so far."""
    start, verify = VERBS[type(wanted)]
    if context.attempts and not context.own[-1].preparation:
        return verify(wanted, context)
    return start(wanted, context) or _look_for_target(wanted, context)


def _look_for_target(wanted: Instruction, context: Context) -> Decision:
    decision = (
        _double_click_previous(context)
        or dismiss_dialog(context)
        or _wait(context)
        or _open_menu(wanted, context)
        or _scroll(context)
    )
    target = _name_target(wanted)
    if decision is None:
        texts = list_texts(context.layout, target)
        return Question(Message("local.not_on_screen", target=target, texts=texts))
    say = sentences(Message("local.not_visible", target=target), decision.say)
    return Act(say, decision.commands, decision.preparation)


def _name_target(wanted: Instruction) -> str:
    if isinstance(wanted, Write) and wanted.target:
        return Message("local.field", label=wanted.target.words)
    if isinstance(wanted, Click):
        return wanted.target.words
    return Message("local.needed", instruction=wanted.words)


def _double_click_previous(context: Context) -> Act | None:
    """A click that changed nothing may have been meant as a double click."""
    previous = context.previous
    if context.own or context.changed or not isinstance(previous, Click) or previous.count != 1:
        return None
    found = locate(context, previous.target, to_click=True, to_open=True)
    if not isinstance(found, TextLine) or not is_icon(context.layout, found):
        return None
    say = Message("local.one_click_too_few", label=found.text)
    return Act(say, (click(context.layout, found, 2),), "double", found.text)


def _wait(context: Context) -> Act | None:
    if context.count_preparations("wait"):
        return None
    return Act("", ("sleep 1.5",), "wait")


def _open_menu(wanted: Instruction, context: Context) -> Act | None:
    """Programs without an icon in sight are in the start menu."""
    button = find_menu_button(context.layout)
    opens = isinstance(wanted, Click) and wanted.count == 0
    if button is None or not opens or context.count_preparations("menu"):
        return None
    say = Message("local.look_in_menu", label=button.text)
    return Act(say, (click(context.layout, button),), "menu")


def _scroll(context: Context) -> Act | None:
    scrolled = context.count_preparations("scroll")
    if scrolled >= MAX_ATTEMPTS or (scrolled and not context.changed):
        return None
    decision = turn_wheel(context)
    return Act(decision.say, decision.commands, "scroll")
