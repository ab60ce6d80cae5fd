"""Rules for answers to the screen: a yes to a question that deletes, pays, sends, or worse.

The words on the screen are known only with OCR; the model's own words say what it intends to click.
Both are weak evidence: what is not in words is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ...messages import Message
from ...types import Click, Drag, Keypress, ManualAction, Type
from . import chords
from .languages import (
    ANSWERS,
    DECLINES,
    PURPOSES,
    SIGNS_IN,
    judge_label,
    load_languages,
    load_phrases,
)
from .speech import judge_speech
from .words import MAX_TEXT_CHARS, STOP, Words, read_label, read_words, without_marks

Found = tuple[str, str]
"""The name of the rule, and why."""
MAX_LABEL_WORDS = 6
"""Up to this many words a screen text is taken for the label of what is clicked."""
MAX_QUESTION_WORDS = 24
"""Words before a question mark that are read as the question."""
MAX_ANSWER_CHARS = 80
PASSWORD_CHARS = range(6, 41)
_PRESSES = ("ENTER", "KPENTER")
"""Keys that press the focused button, with any modifiers; Space does with Shift or none."""
_COMMITS = {"SPACE", "SHIFT+SPACE", "Y", "J", "O", "ALT+Y", "ALT+J", "ALT+O", "ALT+D", "ALT+R"}
_DELETES = {"DELETE", "KP."}
MAX_CLICK_DRAG = 0.05
"""Proportion of the screen; a drag no longer than this ends on the same button."""
_IN_FIRMWARE = {
    *("ENTER", "KPENTER", "Y", "F3", "F4", "F5", "F6", "F7", "F9", "F10", "F12"),
    *("KP+", "KP-", "SHIFT+=", "=", "-"),
}
_SENDS = {"CTRL+ENTER", "ALT+S", "SHIFT+WIN+D"}


class ScreenEvidence(NamedTuple):
    """What is known besides an action: texts of the screen, the model and the model's provider.

    `label`: the text at the position that is clicked, or where a drag ends.
    """

    screen: str = ""
    thought: str = ""
    caution: str = ""
    label: str = ""


NOTHING = ScreenEvidence()


def as_click(action: ManualAction) -> ManualAction:
    """Return a drag that ends where it began, or whose start is unknown, as a click."""
    if not isinstance(action, Drag):
        return action
    start, end = action.path[0], action.path[-1]
    if abs(start.x - end.x) > MAX_CLICK_DRAG or abs(start.y - end.y) > MAX_CLICK_DRAG:
        return action
    return Click(at=end, button=action.button, keys=action.keys)


def may_confirm(action: ManualAction) -> bool:
    """Whether the action may answer yes to a question on the screen."""
    if isinstance(action, Click):
        return action.button != "right"
    if isinstance(action, Keypress):
        pressed = chords.get_pressed(action)
        return any(each in _COMMITS or each.endswith(_PRESSES) for each in pressed)
    typed = _typed(action)
    presses = "\n" in typed or "\t " in typed or (typed and not typed.strip(" "))
    return bool(presses or _judge_answer(typed) in (ANSWERS, *PURPOSES))


def _typed(action: ManualAction) -> str:
    return action.text if isinstance(action, Type) else ""


def _judge_answer(typed: str) -> str:
    return judge_label(read_label(typed)) if len(typed) <= MAX_ANSWER_CHARS else ""


def writes_document(seen: ScreenEvidence) -> bool:
    """Whether the screen shows an editor, no terminal, and the model says that it writes text."""
    editor = _shows(seen.screen, "editor") and not _shows(seen.screen, "terminal")
    return editor and _shows(seen.thought, "writing")


def find_risk(
    action: ManualAction, seen: ScreenEvidence, pending: Sequence[str] = ()
) -> Found | None:
    """Return the first rule that applies. `pending`: lines that may be typed but not entered."""
    if isinstance(action, Drag):
        return _find_dropped(seen)
    screen, pressed = seen.screen, set(chords.get_pressed(action))
    confirms = may_confirm(action)
    declines = _judge_label(seen.label) == DECLINES
    if _shows(screen, "firmware") and (pressed & _IN_FIRMWARE or confirms) and not declines:
        return "firmware", Message("rules.firmware_setup")
    if pressed & _SENDS and (not screen or _shows(screen, "sending")):
        return "sends", Message("rules.sends_text")
    if pressed & _DELETES and _selects_files(seen):
        return "deletes", Message("rules.deletes_selection")
    if _may_be_password(_typed(action).strip()) and _shows(screen, "password"):
        return "credentials", Message("rules.password")
    answers = [text for text in [*pending, _typed(action)] if " " not in text.strip()]
    if not confirms or any(_judge_answer(text) == DECLINES for text in answers):
        return None
    if max(map(len, (screen, seen.label, seen.thought))) > MAX_TEXT_CHARS:
        return "cannot be seen", Message("rules.too_much_text")
    click = isinstance(action, Click)
    said = judge_speech(seen.thought, on_key=not click)
    name = "" if declines else _judge(seen, said)
    writes = name == "sends" and not (click or name in said)  # Enter is a new line in a letter
    return (name, PURPOSES[name]) if name and not writes else None


def _judge(seen: ScreenEvidence, said: Collection[str]) -> str:
    """Judge the label and what the model says; the words around it if those are a plain yes."""
    label = _judge_label(seen.label)
    signs_in = _shows(f"{seen.screen} {seen.thought}", "password")
    if found := _get_first({label, *said} - (set() if signs_in else {SIGNS_IN})):
        return found
    if seen.label:
        return _find_question(seen.screen) if label in (ANSWERS, SIGNS_IN) else ""
    answered = _find_shown(read_words(seen.thought)) if ANSWERS in said else ""
    return answered or _judge_screen(seen.screen)


def _judge_label(text: str) -> str:
    label = read_label(text)
    return judge_label(label) or _find_shown(label)


def _judge_screen(screen: str) -> str:
    """Judge a screen on which the label of what is clicked is not known."""
    label = read_label(screen)
    found = judge_label(label) if len(label) <= MAX_LABEL_WORDS else ""
    reads = _shows(screen, "reading") and not _shows(screen, "answers")
    return _get_first({found} - {SIGNS_IN}) or ("" if reads else _find_question(screen))


def _find_question(screen: str) -> str:
    return "" if _shows(screen, "saving") else _find_shown(read_words(screen))


def _find_shown(words: Words) -> str:
    """Return what a yes to these words does; "" if nothing is known."""
    plain = without_marks(words)
    return _get_first(load_phrases("shown").meanings(plain) | _find_asked(words))


def _find_asked(words: Words) -> set[str]:
    found: set[str] = set()
    last = 0
    for start, end, _ in load_phrases("ends").find_all(words):
        question = words[max(last, start - MAX_QUESTION_WORDS) : start]
        stops = [at for at, word in enumerate(question) if word == STOP]
        question = question[stops[-1] + 1 :] if stops else question
        found |= load_phrases("asked").meanings(without_marks(question))
        last = end
    return found


def _get_first(names: Collection[str]) -> str:
    return next((each for each in PURPOSES if each in names), "")


def _find_dropped(seen: ScreenEvidence) -> Found | None:
    """Judge a drag: one to the trash deletes."""
    label, said = read_label(seen.label), without_marks(read_words(seen.thought))
    on_bin = any(label in language.get("bin") for language in load_languages().values())
    drops = on_bin or load_phrases("drops").meanings(said)
    return ("deletes", Message("rules.moves_to_trash")) if drops else None


def _selects_files(seen: ScreenEvidence) -> bool:
    files = _shows(f"{seen.screen} . {seen.thought}", "files")
    return files and not _shows(seen.thought, "text")


def _may_be_password(typed: str) -> bool:
    """Letters with digits or symbols, but not a URL, path or file name."""
    if len(typed) not in PASSWORD_CHARS or re.search(r"\s|://|\\|/|\.\w{2,4}$", typed):
        return False
    return bool(re.search(r"[A-Za-z]", typed) and re.search(r"[\d!#$%^&*?+=~]", typed))


def _shows(screen: str, name: str) -> bool:
    return name in load_phrases("screen").meanings(without_marks(read_words(screen)))
