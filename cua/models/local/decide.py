"""Decide on the next reply, from the steps so far and the text on the screen.

An instruction is started, or its effect is checked. For a target that is not on the screen, a
dialog is closed, the start menu is opened or the window is scrolled before the person is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from textwrap import shorten

from ...dialects import registry
from ...messages import Message, sentences
from ...screen.ocr.labels import is_icon
from ...screen.ocr.layout import MAX_POINTER_CHARS, ScreenLayout, TextLine
from ...screen.ocr.matching import contains_text, new_texts
from ...types import Ask, Done, Reply
from .context import Achieved, Act, Context, Decision, Question, click, list_texts
from .instructions import Check, Click, Drag, Instruction, Send, Target, Write
from .locate import (
    find_answer_button,
    find_dialogs,
    find_menu_button,
    find_open_question,
    find_same_window,
    is_named,
    is_title,
    list_windows,
    locate,
)
from .task_history import FRONT, TaskHistory
from .verbs import MAX_ATTEMPTS, VERBS, dismiss_dialog, turn_wheel

MAX_QUOTED_CHARS = 80
"""Characters quoted of a text that was not understood."""
_DIALECT = registry.create("kvm")


def decide(history: TaskHistory, layout: ScreenLayout, before: ScreenLayout | None) -> Reply:
    """Return a reply in KVM lines. `before` is the screen that the last reply answered."""
    if (choice := history.choice) and is_named(Context(layout), choice):
        history.plan[history.at] = choice
        history.not_understood = history.answer = ""
    if history.answer and (wanted := history.answered):
        dialog = wanted.text if isinstance(wanted, Check) and not wanted.shown else ""
        if button := find_answer_button(layout, history.answer, dialog, refuses=history.refuses):
            label, commands = button.text, [click(layout, button)]
            say = Message("local.answer_button", label=label)
            return _reply(history, wanted.words, say, commands, mark="answer", label=label)
    if history.not_understood:
        text = shorten(history.not_understood, MAX_QUOTED_CHARS, placeholder="…")
        question = sentences(Message("local.not_understood", text=text), Message("local.commands"))
        mark = history.all[-1].preparation if history.asked else ""  # that question is still open
        return _reply(history, "help needed", question=question, mark=mark)
    if history.refused:
        why = "" if history.refused.kind == "refused" else history.refused.message  # theirs
        question = sentences(why, Message("local.instead"))
        return _reply(history, "help needed", question=question)
    own, all_replies, by_hand = tuple(history.own), tuple(history.all), history.front_unknown
    context = Context(layout, before, own, all_replies, by_hand=by_hand)
    if context.clicked:
        context = replace(context, layout=layout.without_pointer(context.clicked))
    return _follow_plan(history, context)


def _follow_plan(history: TaskHistory, context: Context) -> Reply:
    notes: list[str] = []
    result = ""
    for at, wanted in enumerate(history.plan[history.at :], history.at):
        previous = history.plan[at - 1] if at else None
        opened = _find_opened(history.plan[:at])
        here = replace(context, previous=previous, opened=opened)
        decision = _decide_instruction(wanted, here)
        if at == history.at and history.by_hand and isinstance(decision, Achieved):
            decision = _require_result(history, context) or decision
        if context.by_hand and _needs_front(wanted, decision):
            at, decision = _restore_front(history.plan, context, at) or (at, decision)
            wanted = history.plan[at]
        decision = _spare_open_question(wanted, decision, context.layout)
        reply = partial(_reply, history, wanted.words, at=at, notes=notes)
        if isinstance(decision, Question):
            return reply(question=decision.text, mark=decision.preparation)
        if isinstance(decision, Act):
            return reply(
                decision.say, decision.commands, mark=decision.preparation, label=decision.label
            )
        result = decision.seen
        if isinstance(wanted, Check) and not wanted.shown and context.changed:
            result = _tell_gone(wanted.text, decision.seen, context)
        notes.append(f"{wanted.words}: {decision.seen}")
        context = replace(context, own=())
    if history.left_out:
        result = sentences(Message("local.left_out"), result)
    done = _reply(history, "all done", commands=["Done"], at=len(history.plan), notes=notes)
    assert done.parsed
    return replace(
        done,
        parsed=replace(done.parsed, actions=(Done(answer=result, refused=bool(history.left_out)),)),
    )


def _reply(
    history: TaskHistory,
    heading: str,
    thought: str = "",
    commands: Sequence[str] = (),
    *,
    at: int | None = None,
    notes: Sequence[str] = (),
    question: str = "",
    mark: str = "",
    label: str = "",
) -> Reply:
    """Make a reply; `task_history` reads its heading, people read `thought`."""
    count = len(history.plan)
    number = (history.at if at is None else at) + 1
    if mark != "answer":  # it may leave out the last instruction
        number = min(number, count)
    text, place = history.deferred
    if text and number <= place and not question:
        hint = Message("local.deferred", text=shorten(text, MAX_QUOTED_CHARS, placeholder="…"))
        thought = sentences(thought, hint)
    say = ": ".join(filter(None, (heading, thought)))
    lines = [f"# [{f'{number}/{count} {mark}'.strip()}] {_flatten(say)}"]
    lines += [f"# {_flatten(note)}" for note in notes]
    lines += [f"$ {_flatten(question)}"] if question else commands
    reply = Reply("\n".join(lines))
    parsed = replace(_DIALECT.parse(reply, (1, 1)), thought=thought, label=label)
    if question:
        anew, old = not (count or history.lines), history.not_understood and history.misunderstood
        old = history.current_words if history.refused and not old else old
        ask = Ask(question=question, anew=anew, replaces=old)
        parsed = replace(parsed, actions=(ask,))
    return replace(reply, parsed=parsed)


def _flatten(text: str) -> str:
    return " ".join(text.split())


def _tell_gone(text: str, seen: str, context: Context) -> str:
    """Tell what appeared; also that the text is gone, unless it was only the title of a dialog."""
    before, found = context.before, context.result
    if before is None or not context.appeared:
        return sentences(seen, found)
    titles = list(find_dialogs(before, text))
    shown = (line for line in before.lines if not any(is_title(line, text, box) for box in titles))
    return sentences(seen if contains_text(shown, text) else "", found)


def _require_result(history: TaskHistory, context: Context) -> Question | None:
    """Ask for the result if a dialog was closed by hand, as that may have been with Cancel."""
    check, before = history.result_check, context.before
    if check is None or before is None:
        return None
    hidden = list(find_dialogs(before, check.text))
    in_sight = (
        line for line in context.layout.lines if not any(box.meets(line.box) for box in hidden)
    )
    found = new_texts(before, replace(context.layout, lines=tuple(in_sight)))
    is_done = any(len(text) > MAX_POINTER_CHARS for text in found)
    return None if is_done else Question(Message("local.gone", text=check.text))


# --- the window in front --------------------------------------------------------------------------


def _needs_front(wanted: Instruction, decision: Decision) -> bool:
    """Whether it would type into the window in front, or scroll there for what is not in sight."""
    scrolls = isinstance(decision, Act) and decision.preparation == "scroll"
    return scrolls or _types_at_cursor(wanted, decision)


def _types_at_cursor(wanted: Instruction, decision: Decision) -> bool:
    at_cursor = isinstance(wanted, Send) or (isinstance(wanted, Write) and wanted.target is None)
    return at_cursor and not isinstance(decision, Achieved)


def _restore_front(
    plan: Sequence[Instruction], context: Context, at: int
) -> tuple[int, Decision] | None:
    """Return what to do before the keys of instruction `at`, and for which instruction.

    The window of the plan is the one that it opened last. It is opened once more if nothing was
    done in it and no such window is in sight. None: no window was used yet.
    """
    ask = at, Question(Message("local.front_unknown", instruction=plan[at].words), FRONT)
    opened = next((i for i in reversed(range(at)) if _opens(plan[i])), None)
    if opened is None:
        used = any(own.commands and not own.preparation for own in context.all)
        return ask if used else None
    since = [each for each in plan[opened + 1 : at] if isinstance(each, (Click, Drag, Send, Write))]
    wanted, before = plan[opened], context.before
    assert isinstance(wanted, Click)
    ask = at, Question(Message("local.bring_front", title=wanted.target.words), FRONT)
    title = find_same_window(before, context.layout, wanted.target) if before else None
    if title and not any(isinstance(each, (Click, Drag)) for each in since):  # they open others
        commands = (click(context.layout, title),)
        return at, Act(Message("local.to_front"), commands, FRONT, title.text)
    if since or context.attempts or list_windows(context.layout, wanted.target):
        return ask
    again = _decide_instruction(wanted, replace(context, own=(), previous=None))
    return ask if isinstance(again, Achieved) else (opened, again)


def _spare_open_question(wanted: Instruction, decision: Decision, layout: ScreenLayout) -> Decision:
    """Type nothing beside a dialog that asks something: a space would press its button.

    Keys that may be meant for it get the label of that button, so that its risk is judged.
    """
    found = find_open_question(layout) if _types_at_cursor(wanted, decision) else None
    if found is None or not isinstance(decision, Act):
        return decision
    title, button = found
    if _may_answer(wanted):
        return replace(decision, label=button.text)
    return Question(Message("local.open_question", title=title), FRONT)


def _may_answer(wanted: Instruction) -> bool:
    """Whether keys may be meant for a dialog: those that are no shortcut of a program."""
    return isinstance(wanted, Send) and not any("+" in each for each in wanted.commands)


def _find_opened(done: Sequence[Instruction]) -> Target | None:
    last = next((each for each in reversed(done) if isinstance(each, (Click, Drag))), None)
    return last.target if isinstance(last, Click) and _opens(last) else None


def _opens(wanted: Instruction) -> bool:
    return isinstance(wanted, Click) and wanted.count != 1


# --- an instruction ------------------------------------------------------------------------------


def _decide_instruction(wanted: Instruction, context: Context) -> Decision:
    """Return the next decision for an instruction, begun or not."""
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
    return replace(decision, say=say)


def _name_target(wanted: Instruction) -> str:
    if isinstance(wanted, Write) and wanted.target:
        return Message("local.field", label=wanted.target.words)
    if isinstance(wanted, Click):
        return wanted.target.words
    return Message("local.needed", instruction=wanted.words)


def _double_click_previous(context: Context) -> Act | None:
    """Return a double click if the previous click changed nothing: it may have been meant."""
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
    """Open the start menu for a program without a visible icon."""
    button = find_menu_button(context.layout)
    opens = isinstance(wanted, Click) and wanted.count == 0
    if button is None or not opens or context.count_preparations("menu"):
        return None
    say = Message("local.look_in_menu", label=button.text)
    return Act(say, (click(context.layout, button),), "menu", button.text)


def _scroll(context: Context) -> Act | None:
    scrolled = context.count_preparations("scroll")
    if scrolled >= MAX_ATTEMPTS or (scrolled and not context.changed):
        return None
    decision = turn_wheel(context)
    return Act(decision.say, decision.commands, "scroll")
