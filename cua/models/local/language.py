"""Parse the person's texts.

A task is a list of phrases separated by commas, lines, "then" and "and". Quoted texts are replaced
by one character each first, so that nothing in them separates or means anything.
"""

from __future__ import annotations

import re
import typing
from typing import Literal

from .grammar import compile_pattern
from .instructions import Check, Click, Instruction, Target, Write
from .phrases import (
    GRAMMARS,
    QUOTE,
    NotUnderstood,
    is_quote,
    parse_number,
    parse_phrase,
    restore_quotes,
)

Answer = Literal["continue", "again", "skip"]
MAX_QUOTES = 1000
_SOME_QUOTE = "quoted.text"
"""Replaces each quoted text when only the words around it are examined."""
_QUOTED = re.compile(
    r'"([^"]*)"|“([^”]*)”|«([^»]*)»|「([^」]*)」|`([^`]*)`|(?<!\w)\'([^\']*)\'(?!\w)'
)
_SEPARATOR, _CONJUNCTION, _FILLER = (
    compile_pattern(pattern.format("|".join(texts)))
    for pattern, texts in (
        (r"\s*(?:{})\s*", [grammar.separators for grammar in GRAMMARS]),
        ("{}", [grammar.conjunctions for grammar in GRAMMARS]),
        ("^(?:{})+", [grammar.fillers for grammar in GRAMMARS]),
    )
)
_END = " .!。！"
_PART_END = re.compile(r"\s*(?:[,，;；。！]|[.!](?=\s|$))\s*")
"""Between the parts of an answer; a full stop in a file name is none."""
_SET_DNS = (
    'open "Network"; click "Edit DNS" unless "Preferred DNS" is shown; '
    'click "Use the following DNS server addresses"; type "{0}" into "Preferred DNS"; '
)
_SAVE_DNS = 'click "Save"; check that "Edit DNS" is shown; check that "{0}" is shown'
_WRITE_NOTE = 'open "Notepad"; press CTRL+N; check that "Save changes?" is not shown; type "{0}"'
_SAVE_NOTE = (
    'click "Save"; check that "Replace file?" is not shown; check that "Save as" is not shown'
)
_DOWNLOAD = 'open "Browser"; go to "{0}"; click "{0}"; click "Download PDF"; wait for "downloaded"'
_DELETE = (
    'open "Files"; click "Documents" under "Home" in the window "Files" unless "{0}" is shown; '
    'click "{0}" in the window "Files"; press DELETE; click "Delete"; '
    'check that "{0}" is not shown in the window "Files"'
)
_GOALS = {
    "dns": _SET_DNS + _SAVE_DNS,
    "two_dns": f'{_SET_DNS}type "{{1}}" into "Alternate DNS"; {_SAVE_DNS}; '
    'check that "{1}" is shown',
    "datasheet": _DOWNLOAD.replace("{0}", "{0} datasheet"),
    "download": _DOWNLOAD,
    "save_note_as": f'{_WRITE_NOTE}; press CTRL+S; type "{{1}}" into "File name"; {_SAVE_NOTE}',
    "save_as": f'press CTRL+SHIFT+S; type "{{0}}" into "File name"; {_SAVE_NOTE}',
    "save_note": f"{_WRITE_NOTE}; press CTRL+S; {_SAVE_NOTE}",
    "note": _WRITE_NOTE,
    "delete": _DELETE,
    "run": 'open "Terminal"; type "{0}"; press ENTER; read the output of "{0}"',
}
"""Pattern of a goal -> the phrases that it stands for; the first match counts."""
_GOAL_PATTERNS = [
    (compile_pattern(grammar.goals[goal]), phrases)
    for grammar in GRAMMARS
    for goal, phrases in _GOALS.items()
]
_ANSWERS = {
    key: [(grammar, compile_pattern(grammar.answers[key])) for grammar in GRAMMARS]
    for key in (*typing.get_args(Answer), "decline", "courtesy", "which", "value")
}
_MARKERS = {
    key: compile_pattern("|".join(grammar.markers[key] for grammar in GRAMMARS))
    for key in ("then", "instead", "no")
}


def parse_task(text: str) -> list[Instruction]:
    """Parse a task. Raises `NotUnderstood` with the part that no pattern fits."""
    quotes: list[str] = []
    text = _hide_quotes("".join(letter for letter in text if not is_quote(letter)), quotes)
    lines = "\n".join(map(strip_instead, text.splitlines()))  # of a task that is run again
    found = [
        instruction
        for part in map(strip_instead, _SEPARATOR.split(lines))
        if part.strip(_END)
        for instruction in _parse_part(_FILLER.sub("", part.strip(_END)), quotes)
    ]
    if not found:
        raise NotUnderstood(restore_quotes(text, quotes, mark='"').strip())
    return found


def count_instructions(text: str) -> int:
    """Return the number of instructions of a task; 0 if it is not understood."""
    return len(_find_instructions(text))


def _find_instructions(text: str) -> list[Instruction]:
    try:
        return parse_task(text)
    except NotUnderstood:
        return []


def find_words(task: str, wanted: Instruction) -> str:
    """Return the part of a task's text that stands for an instruction alone; "" for none."""
    quotes: list[str] = []
    parts = _SEPARATOR.split(_hide_quotes(task, quotes))
    found = (restore_quotes(part, quotes, mark='"').strip(_END) for part in parts)
    return next(
        (each for each in found if _find_instructions(each) == [wanted] and each in task), ""
    )


def is_order(reason: str) -> bool:
    """Whether the reason of a refusal is what to do instead; "enter is dangerous here" is not.

    It says "instead", or its texts and labels are in quotation marks. After a mere "no" a text that
    is to be typed still is.
    """
    found = count_instructions(reason) and _find_instructions(_QUOTED.sub(_SOME_QUOTE, reason))
    if not found or says("instead", _MARKERS["no"].sub("", reason.strip())):
        return bool(found)
    says_no = says("instead", reason)
    return all(_is_quoted(each) or (says_no and not isinstance(each, Write)) for each in found)


def _is_quoted(wanted: Instruction) -> bool:
    match wanted:
        case Write(text=text) | Check(text=text) if text:
            return text == _SOME_QUOTE
        case Click(target=target) | Write(target=Target() as target):
            return _SOME_QUOTE in target.names
    return False


def strip_instead(text: str) -> str:
    """Return the text without the words that say that it replaces something."""
    return _MARKERS["instead"].sub("", text.strip())


def _hide_quotes(text: str, quotes: list[str]) -> str:
    def hide(match: re.Match[str]) -> str:
        if len(quotes) == MAX_QUOTES:
            raise NotUnderstood(text)
        quotes.append(next(group for group in match.groups() if group is not None))
        return chr(QUOTE + len(quotes) - 1)

    return _QUOTED.sub(hide, text)


def _parse_part(part: str, quotes: list[str]) -> list[Instruction]:
    """Parse a goal, or the phrases that "and" joins."""
    for pattern, phrases in _GOAL_PATTERNS:
        if match := pattern.fullmatch(part):
            values = [restore_quotes(group, quotes) for group in match.groups() if group]
            return _expand(phrases, values)
    phrase, *rest = [_FILLER.sub("", each).strip() for each in _CONJUNCTION.split(part)]
    if not rest:
        return parse_phrase(phrase, quotes)
    return [found for each in (phrase, *rest) for found in _parse_part(each, quotes)]


def _expand(phrases: str, values: list[str]) -> list[Instruction]:
    quotes: list[str] = []
    text = _hide_quotes(phrases, quotes)
    filled = [quote.format(*values) for quote in quotes]
    return [each for phrase in text.split("; ") for each in parse_phrase(phrase, filled)]


def parse_answer(text: str) -> list[Instruction] | int | Answer:
    """Return new instructions, a number or an `Answer`. Raise `NotUnderstood`."""
    if answer := find_answer(text):
        return answer
    for grammar, pattern in _ANSWERS["which"]:
        if match := pattern.fullmatch(text.strip()):
            return parse_number(grammar, match["nth"])
    return parse_task(text)


def parse_value(text: str) -> str:
    """Return the text that replaces a value of the task, as in "use 1.1.1.1 instead"."""
    words, rest = text.strip(), strip_instead(text)
    matches = (pattern.fullmatch(rest) for _, pattern in _ANSWERS["value"])
    named = next((match["text"] for match in matches if match), "" if rest == words else rest)
    return named.strip('"“”「」')


def says(marker: Literal["then", "instead"], text: str) -> bool:
    """Whether the text has a marker for the place of its instructions in the plan."""
    return bool(_MARKERS[marker].search(text.strip()))


def declines(text: str) -> bool:
    """Whether an answer refuses once more what was refused, as in "no" or "don't delete it".

    Each of its parts does, or is a mere courtesy, as in "never mind, leave it, thanks".
    """
    parts = [part for part in _PART_END.split(text.strip()) if part]
    refusing = [part for part in parts if _is_answer(part, "decline", "skip")]
    return bool(refusing) and all(
        part in refusing or _is_answer(part, "courtesy") for part in parts
    )


def _is_answer(text: str, *keys: str) -> bool:
    return any(each.fullmatch(text) for key in keys for _, each in _ANSWERS[key])


def find_answer(text: str) -> Answer | None:
    keys: tuple[Answer, ...] = typing.get_args(Answer)
    return next((key for key in keys if _is_answer(text.strip(), key)), None)
