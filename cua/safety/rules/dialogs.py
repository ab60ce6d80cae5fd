"""Rules for answers to the screen: a yes to a question that deletes, pays, sends, or worse.

The words on the screen are known only with OCR; the model's own words say what it intends to click.
Both are weak evidence: anything that is not in words is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...messages import Message
from ...types import Click, Drag, Keypress, ManualAction, Type
from . import chords, languages, screen_keys
from .languages import ANSWERS, DECLINES, PURPOSES, SIGNS_IN, get_first, judge_label, load_phrases
from .rows import Found
from .speech import find_mentioned, find_target, judge_speech, load_denials
from .typed_line_rules import Context
from .words import MAX_TEXT_CHARS, STOP, Words, has_phrase, read_label, read_words, without_marks

MAX_QUESTION_WORDS = 24
"""Words before a question mark that are read as the question."""
MAX_ANSWER_CHARS = 80
MAX_PROMPT_CHARS = 60
_COMMITS = {"SPACE", "SHIFT+SPACE", "Y", "J", "O", "ALT+Y", "ALT+J", "ALT+O", "ALT+D", "ALT+R"}
"""Chords besides Enter that may press a button, or answer yes."""
_COMMANDS = ("CTRL+", "ALT+", "WIN+", "F", "DELETE", "BACKSPACE")
"""Beginnings of the chords whose effect is judged by what the model says."""
MAX_DIALOG_WORDS = {"deletes": 2, "spends": 2, "sends": 2, "factory reset": 1}
"""Purpose of a label with an ellipsis -> its words at most if it only opens a dialog."""
MIN_TOPIC_WORDS = 3
"""Words of a label with a question mark at least that only names a topic."""
MAX_PARTS = 40
"""Parts of a screen at most that are read as labels."""
_PARTS = re.compile(r"[·|•\n]| {2,}|\] |> <")
"""Separates the texts of a screen."""
_SENTENCES = re.compile(r"[?!。？]|\.(?:\s|$)")
_PASSWORD = re.compile(r"(?=.*[A-Za-z])(?=.*[\d!#$%^&*?+=~])(?!.*\.[A-Za-z]\w{1,3}$)[^\s\\/]{6,40}")
"""Letters with digits or symbols, but not a URL, path or file name."""
_WORD = re.compile(r"\S{4,40}")
_ACTS, _PLAIN = {ANSWERS, *PURPOSES}, {"", languages.HARMLESS}
_FILE = re.compile(r"\.[^\W\d]\w{0,3}\s*$|^\s*[\"“„«]")
MAX_CLICK_DRAG = 0.05
"""Proportion of the screen; a drag no longer than this ends on the same button."""


class ScreenEvidence(NamedTuple):
    """Texts that help to judge an action: from the screen, the model and the model's provider.

    `label`: the text where a click is, or where a drag ends.
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
    moves = max(abs(start.x - end.x), abs(start.y - end.y)) > MAX_CLICK_DRAG
    return action if moves else Click(at=end, button=action.button, keys=action.keys)


def may_confirm(action: ManualAction) -> bool:
    """Whether the action may answer yes to a question on the screen."""
    if isinstance(action, Click):
        return action.button != "right"
    if isinstance(action, Keypress):
        pressed = chords.get_pressed(action)
        return any(each in _COMMITS or each.endswith("ENTER") for each in pressed)
    typed = _get_text(action)
    presses = "\n" in typed or "\t " in typed or (typed and not typed.strip(" "))
    return bool(presses or _judge_answer(typed) in _ACTS)


def _get_text(action: ManualAction) -> str:
    return action.text if isinstance(action, Type) else ""


def _judge_answer(typed: str) -> str:
    return judge_label(read_label(typed)) if len(typed) <= MAX_ANSWER_CHARS else ""


def describe_screen(seen: ScreenEvidence) -> set[str]:
    """Return what the screen shows: names of the sections `[... screen]`."""
    said, nothing = _describe(seen.thought), set() if seen.screen else {"nothing"}
    shown = {*_describe(seen.screen), *(said & {"files", "finding"}), *nothing}
    return shown - ({"files", "folder", "mail"} if "text" in said else set())


@lru_cache(maxsize=32)
def _describe(text: str) -> frozenset[str]:
    return frozenset(load_phrases("screen").meanings(without_marks(read_words(text))))


def writes_document(seen: ScreenEvidence) -> bool:
    """Whether the screen shows an editor, no terminal, and the model says that it writes text."""
    shown = _describe(seen.screen)
    return "editor" in shown and "terminal" not in shown and "writing" in _describe(seen.thought)


def runs_statement(action: ManualAction, seen: ScreenEvidence) -> bool:
    """Whether a click or a key runs the text on the screen, as in a console for SQL."""
    says = languages.is_in(seen.label, "runs") or "running" in _describe(seen.thought)
    return says and isinstance(action, (Click, Keypress))


def find_risk(
    action: ManualAction, seen: ScreenEvidence, pending: Sequence[str] = ()
) -> Found | None:
    """Return the first rule that applies. `pending`: lines that may be typed but not entered."""
    if isinstance(action, Drag):
        return _find_dropped(seen)
    confirms = may_confirm(action)
    typed = _get_text(action)
    keys = isinstance(action, Keypress) or len(typed.strip()) == 1
    written = [each.strip() for each in [*pending, typed]]
    if not isinstance(action, Click) and _enters_password(written, seen.screen, confirms):
        return "credentials", Message("rules.password")
    line = typed.removesuffix("\n").strip()
    is_new_line = " " in line and "\n" not in line and line not in seen.screen
    if is_new_line and Context(screen=seen.screen.replace(" · ", "\n")).takes_commands:
        return None  # a command, no answer to what else is on the screen
    declines = any(_judge_answer(each) == DECLINES for each in written if " " not in each)
    if declines or not (confirms or keys) or chords.get_name(action) == "ESC":
        return None
    if confirms and max(map(len, (seen.screen, seen.label, seen.thought))) > MAX_TEXT_CHARS:
        return "cannot be seen", Message("rules.too_much_text")
    if keys and not seen.label:
        seen = seen._replace(label=_find_label(action, seen, confirms))
        confirms = confirms or judge_label(read_label(seen.label)) == ANSWERS
    if any(written) and judge_label(read_label(seen.label)) == SIGNS_IN:
        return SIGNS_IN, PURPOSES[SIGNS_IN]
    name = _find_act(action, seen, confirms)
    return (name, PURPOSES[name]) if name else None


def _find_act(action: ManualAction, seen: ScreenEvidence, confirms: bool) -> str:
    """Judge a click or a key by what the screen and the model say about its effect."""
    words, by_key = read_label(seen.label), not isinstance(action, Click)
    label, opens = _judge_label(words, seen)
    if isinstance(action, Click) and action.count > 1 and seen.label:
        if _is_in_text(seen):
            return ""
        shown = (each for each in _PARTS.split(seen.screen) if not _FILE.search(each))
        seen, label = seen._replace(screen=" ".join([*shown, seen.label])), label or ANSWERS
    says = confirms or any(each.startswith(_COMMANDS) for each in chords.get_pressed(action))
    said = judge_speech(seen.thought, on_key=by_key) if says else set()
    if not confirms:
        said -= {"deletes"} if _edits_text(seen) else set()
        return get_first({label, *said} - {SIGNS_IN})
    is_option = bool(seen.label) and f"( ) {seen.label}" in seen.screen
    if opens or is_option or label == DECLINES:
        return ""
    if "firmware" in _describe(seen.screen):
        tab = seen.label or " ".join(find_target(seen.thought, _read_buttons(seen.screen))[0])
        return "" if languages.is_in(tab, "tabs") else "firmware"
    name = _judge(seen, label, said)
    # Enter is a new line in a letter.
    return "" if name == "sends" and by_key and not (seen.label or name in said) else name


def _judge_label(words: Words, seen: ScreenEvidence) -> tuple[str, bool]:
    """Return the section of a label, and whether the model says that it opens its dialog."""
    label = judge_label(words)
    if label in ("", ANSWERS):
        label = languages.judge_joined(words) or label or _find_shown(words)
    short = bool(seen.screen) and len(words) <= MAX_DIALOG_WORDS.get(label, 0)
    opens = short and seen.label.endswith(("…", "..."))
    offers = "offers" in _describe(seen.screen) and has_phrase(words, load_denials())
    topic = words[-1:] == ("?",) and len(words) > MIN_TOPIC_WORDS
    label = languages.HARMLESS if opens or offers or topic else label
    return label, opens and "opens" in _describe(seen.thought)


def _edits_text(seen: ScreenEvidence) -> bool:
    return "text" in _describe(seen.thought) and "editor" in _describe(seen.screen)


def _is_in_text(seen: ScreenEvidence) -> bool:
    """Whether a label is only a word of a sentence on the screen, and no name of a file."""
    label, parts = read_label(seen.label), _PARTS.split(seen.screen)
    sentences = (read_label(each) for each in parts if each.rstrip().endswith("."))
    alone = _FILE.search(seen.label) or label in map(read_label, parts)
    return not alone and any(has_phrase(each, {label}) for each in sentences)


def _judge(seen: ScreenEvidence, label: str, said: Collection[str]) -> str:
    """Judge the label and the model's words; if these are a plain yes, the words around it."""
    shown = _describe(seen.screen)
    signs_in = "password" in shown | _describe(seen.thought)
    if found := get_first({label, *said} - (set() if signs_in else {SIGNS_IN})):
        spared = {"effects", "opens"} if found == "factory reset" and found not in said else set()
        return "" if {"manual", *spared} & (shown | _describe(seen.thought)) else found
    if seen.label:
        unknown = label == "" and _is_only_yes(seen)
        plain = label in (ANSWERS, SIGNS_IN) or unknown or _begins_question(seen)
        ways = (_find_question(_drop_next(seen)), _judge_buttons(seen), _judge_title(seen))
        return next(filter(None, ways), "") if plain else ""
    if _says_decline(seen):
        return ""
    answered = _find_shown(read_words(seen.thought)) if ANSWERS in said else ""
    reads = "reading" in shown and "answers" not in shown
    return answered or (not reads and _find_question(seen.screen)) or _judge_buttons(seen)


def _begins_question(seen: ScreenEvidence) -> bool:
    """Whether a sentence on the screen begins with the label: `Stop` and `Stop the server?`."""
    label, sentences = read_label(seen.label), _SENTENCES.split(seen.screen)
    words = map(read_label, sentences[:-1] or sentences)
    return any(each[: len(label)] == label != each for each in words)


def _is_only_yes(seen: ScreenEvidence) -> bool:
    """Whether an unknown label stands beside one that declines, on a screen without a known yes."""
    words, kinds = read_label(seen.label), _read_buttons(seen.screen)
    every = [*kinds]
    at = every.index(words) if words in every else len(every)
    beside = DECLINES in [kinds[each] for each in every[max(0, at - 1) : at + 2]]
    asks = beside and _ACTS.isdisjoint(kinds.values())
    return asks and not languages.has_harmless_word(words)


def _drop_next(seen: ScreenEvidence) -> str:
    """Return the screen without the risky label behind the clicked one: `Restore · Delete`."""
    parts, label = _PARTS.split(seen.screen), read_label(seen.label)
    pairs = pairwise(["", *parts])
    kept = (
        b for a, b in pairs if read_label(a) != label or judge_label(read_label(b)) not in PURPOSES
    )
    return " · ".join(kept)


def _judge_title(seen: ScreenEvidence) -> str:
    """Judge the title of a dialog that can be declined: `Confirm payment · 30 € · OK · Cancel`.

    It is the first part of the screen, or the second with a part between it and the label.
    """
    kinds, label = _read_buttons(seen.screen), read_label(seen.label)
    every = [*kinds]
    titles = every[: 2 if label not in every[:3] else 1]
    found = {kinds[each] for each in titles if len(each) > 1}
    return get_first(found) if DECLINES in kinds.values() else ""


def _find_label(action: ManualAction, seen: ScreenEvidence, confirms: bool) -> str:
    """Return the label that the screen shows for a key, or for the button it presses.

    A letter also selects the entry of a menu that the model names, if it begins with it.
    """
    keys = [action.text.strip().upper()] if isinstance(action, Type) else chords.get_pressed(action)
    screen = seen.screen[:MAX_TEXT_CHARS]
    found = [screen_keys.find_label(screen, each) for each in keys]
    found += [screen_keys.find_focused(screen)] * confirms
    buttons, said = _read_buttons(screen), judge_speech(seen.thought)
    named = [
        find_target(seen.thought, buttons)[0],
        *(b for b, kind in buttons.items() if kind in said),
    ]
    found += [" ".join(b) for each in keys for b in named if b and b[0].startswith(each.lower())]
    return next((each for each in found if judge_label(read_label(each))), "")


@lru_cache(maxsize=16)
def _read_buttons(screen: str) -> dict[Words, str]:
    """Return the parts of a screen with their sections as labels."""
    parts = _PARTS.split(screen, MAX_PARTS)[:MAX_PARTS]
    labels = (read_label(each) for each in parts if each.strip() and not _FILE.search(each))
    return {label: judge_label(label) for label in labels}


def _says_decline(seen: ScreenEvidence) -> bool:
    """Whether the model says that it declines, or does so by a visible button."""
    kinds, mentioned = _read_buttons(seen.screen), find_mentioned(seen.thought)
    target, others = find_target(seen.thought, kinds)
    if kinds.get(target, ANSWERS) in _PLAIN and _ACTS.isdisjoint(find_mentioned(others)):
        return True
    if "opens" in _describe(seen.thought) and not {ANSWERS, *mentioned} & set(kinds.values()):
        return ANSWERS not in mentioned
    declines = {label for label, kind in kinds.items() if kind == DECLINES}
    if DECLINES in mentioned or not declines or mentioned & set(kinds.values()):
        return DECLINES in mentioned and ANSWERS not in mentioned
    return has_phrase(read_words(seen.thought), declines)


def _judge_buttons(seen: ScreenEvidence) -> str:
    """Return the first purpose if all are risky or the model agrees, else one that it mentions."""
    every, mentioned = [*_read_buttons(seen.screen).values()], find_mentioned(seen.thought)
    kinds, below = set(every), {*(every[bool(seen.thought) :] or every)}  # the first is a title
    risky = (kinds & PURPOSES.keys()) - {SIGNS_IN}
    alone = below <= {*risky, DECLINES} and "opens" not in _describe(seen.thought)
    if risky and (alone or ANSWERS in mentioned):
        return get_first(risky)
    orders = ANSWERS in kinds or "order" in _describe(seen.thought)
    shown = _describe(seen.screen)
    commits = languages.is_in(seen.label, "commits") or (seen.label and "locked" in shown)
    if "money" in shown and (commits or (orders and ANSWERS in mentioned)):
        return "spends"
    may = risky | (PURPOSES.keys() if ANSWERS in kinds else set())
    return get_first(may & mentioned)


def _find_question(screen: str) -> str:
    shown, words = _describe(screen), read_words(screen)
    informs = "informs" in shown and not {"?", "cancel"} & set(words)
    found = "" if informs else _find_shown(words)
    return "" if "saving" in shown and found not in ("factory reset", "firmware") else found


def _find_shown(words: Words) -> str:
    """Return what a yes to these words does; "" if unknown."""
    plain = without_marks(words)
    return get_first(load_phrases("shown").meanings(plain) | _find_asked(words))


def _find_asked(words: Words) -> set[str]:
    found: set[str] = set()
    last = 0
    for start, end, _ in load_phrases("ends").find_all(words):
        question = words[max(last, start - MAX_QUESTION_WORDS) : start]
        begins = question[::-1].index(STOP) if STOP in question else len(question)
        found |= load_phrases("asked").meanings(without_marks(question[len(question) - begins :]))
        last = end
    return found


def _find_dropped(seen: ScreenEvidence) -> Found | None:
    """Judge a drag: one to the trash deletes, one where a slider is does what stands on it."""
    drops = load_phrases("drops").meanings(without_marks(read_words(seen.thought)))
    if "bin" in drops or (languages.is_in(seen.label, "bin") and not drops):
        return "deletes", Message("rules.moves_to_trash")
    slides = {languages.judge_slider(each) for each in _read_buttons(seen.screen)}
    name = get_first(slides | (set() if drops else judge_speech(seen.thought, on_key=True)))
    return (name, PURPOSES[name]) if name else None


def _enters_password(written: Sequence[str], screen: str, confirms: bool) -> bool:
    """Whether the action types or enters a password."""
    signs_in = SIGNS_IN in _read_buttons(screen).values()
    form = "\t" in written[-1] and signs_in
    prompt = screen.rstrip()[-MAX_PROMPT_CHARS:]
    asked = prompt.endswith((":", "：")) and "password" in _describe(prompt)
    filled = "\t" in written[-1] or "filled" in _describe(screen) or (asked and any(written))
    word = signs_in and _WORD.fullmatch(written[-1])
    found = _PASSWORD.fullmatch(written[-1]) or (confirms and (filled or word))
    return bool(found and (form or "password" in _describe(screen)))
