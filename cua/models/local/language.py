"""Parse the person's texts.

A task is a list of phrases separated by commas, lines, "then" and "and". Quoted texts are replaced
by one character each first, so that nothing in them separates or means anything.
"""

from __future__ import annotations

import re
from typing import Literal

from .instructions import Instruction
from .phrases import ORDINALS, QUOTE, NotUnderstood, parse_phrase, restore_quotes

HELP = (
    'open / click / double-click / right-click "LABEL" (also: next to, under or above "LABEL"; or '
    "a place that you tap in the picture), "
    'type "TEXT" into "FIELD", press KEYS, clear "FIELD", scroll until "LABEL", drag "A" to "B", '
    'go to ADDRESS, wait for "LABEL", check that "TEXT" is shown; and these goals: '
    "set dns server to 8.8.8.8, download the esp32 datasheet, "
    "write TEXT in the notepad and save it as NAME, open the terminal and run COMMAND"
)
"""Shown when a task is not understood."""

MAX_QUOTES = 1000
_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<!\w)\'([^\']*)\'(?!\w)')
_VERBS = (
    r"(?:open|start|launch|go to|click|double|right|left|tap|press|hit|push|select|choose|type"
    r"|enter|write|clear|empty|scroll|wait|check|verify|make sure|drag|set|download|run)\b"
)
_SEPARATOR = re.compile(
    r"\s*(?:[\n;]+|,\s*(?:and\s+)?(?:then\s+)?"
    rf"|(?<!\d)\.\s+(?={_VERBS})|\s(?:and\s+)?then\s)\s*",
    re.IGNORECASE,
)
_AND = re.compile(rf"\s+and\s+(?={_VERBS})", re.IGNORECASE)
_FILLER = re.compile(
    r"^(?:[-*•]\s+|\d+[.)]\s+|please,?\s+|now,?\s+|first,?\s+|next,?\s+|finally,?\s+|then,?\s+"
    r"|and\s+|can you\s+|could you\s+|task:\s*)+",
    re.IGNORECASE,
)
_ADDRESS = r"(\d{1,3}(?:\.\d{1,3}){3})"
_NOTEPAD = r"write\s+(.+?)\s+(?:in|into)\s+(?:the\s+)?notepad"
_SET_DNS = (
    'open "Network"; click "Edit DNS"; click "Use the following DNS server addresses"; '
    'type {0} into "Preferred DNS"; '
)
_SAVE_DNS = 'click "Save"; check that "Edit DNS" is shown; check that {0} is shown'
_WRITE_NOTE = 'open "Notepad"; press CTRL+N; check that "Save changes?" is not shown; type {0}'
_SAVE_NOTE = (
    'click "Save"; check that "Replace file?" is not shown; check that "Save as" is not shown'
)
_GOALS = [
    (rf"set (?:the )?dns(?: servers?)? to {_ADDRESS}", _SET_DNS + _SAVE_DNS),
    (
        rf"set (?:the )?dns(?: servers?)? to {_ADDRESS} and {_ADDRESS}",
        f'{_SET_DNS}type {{1}} into "Alternate DNS"; {_SAVE_DNS}; check that {{1}} is shown',
    ),
    (
        r"download (?:the )?(.+)",
        'open "Browser"; go to {0}; click {0}; click "Download PDF"; wait for "downloaded"',
    ),
    (_NOTEPAD, _WRITE_NOTE),
    (rf"{_NOTEPAD} and save it", f"{_WRITE_NOTE}; press CTRL+S; {_SAVE_NOTE}"),
    (
        rf"{_NOTEPAD} and save it as (.+)",
        f'{_WRITE_NOTE}; press CTRL+S; type {{1}} into "File name"; {_SAVE_NOTE}',
    ),
    (
        r"open (?:the |a )?terminal and run (.+)",
        'open "Terminal"; type {0}; press ENTER',
    ),
]
"""Patterns, and the phrases that they stand for."""
_COMPILED_GOALS = [(re.compile(pattern, re.IGNORECASE), phrases) for pattern, phrases in _GOALS]


def parse_task(text: str) -> list[Instruction]:
    """Raise `NotUnderstood` with the part that no pattern fits."""
    quotes: list[str] = []
    text = _hide_quotes("".join(letter for letter in text if ord(letter) < QUOTE), quotes)
    found = [
        instruction
        for part in _SEPARATOR.split(text)
        if part.strip(" .!")
        for phrase in _split_part(_FILLER.sub("", part.strip(" .!")), quotes)
        for instruction in parse_phrase(phrase, quotes)
    ]
    if not found:
        raise NotUnderstood(restore_quotes(text, quotes, mark='"').strip())
    return found


def _hide_quotes(text: str, quotes: list[str]) -> str:
    def hide(match: re.Match[str]) -> str:
        return _hide(next(group for group in match.groups() if group is not None), quotes)

    return _QUOTED.sub(hide, text)


def _hide(text: str, quotes: list[str]) -> str:
    if len(quotes) == MAX_QUOTES:
        raise NotUnderstood(text)
    quotes.append(text)
    return chr(QUOTE + len(quotes) - 1)


def _split_part(part: str, quotes: list[str]) -> list[str]:
    """Return the phrases of a goal, or those that "and" joins."""
    for pattern, phrases in _COMPILED_GOALS:
        if match := pattern.fullmatch(part):
            values = [_hide(restore_quotes(group, quotes), quotes) for group in match.groups()]
            return _hide_quotes(phrases, quotes).format(*values).split("; ")
    return [_FILLER.sub("", phrase).strip() for phrase in _AND.split(part)]


# --- the person's texts during a task -------------------------------------------------------------


_AGAIN = re.compile(
    r"(?:please\s+)?(?:continue|go on|carry on|proceed|resume|retry|try again|again|yes|ok|okay"
    r"|done|ready)(?:[,\s]+please)?[.!]*",
    re.IGNORECASE,
)
_SKIP = re.compile(
    r"(?:please\s+)?(?:skip|ignore|leave)(?:\s+(?:it|this|that|this step))?[.!]*", re.IGNORECASE
)
_WHICH = re.compile(
    r"(?:the\s+|number\s+|no\.?\s*|#)*(?:(?P<number>[1-9])|(?P<ordinal>first|second|third|fourth"
    r"|fifth)(?:\s+one)?)[.!]*",
    re.IGNORECASE,
)


def parse_answer(text: str) -> list[Instruction] | int | Literal["again", "skip"]:
    """Return new instructions, a number, "again" or "skip". Raise `NotUnderstood`."""
    words = text.strip()
    if _AGAIN.fullmatch(words):
        return "again"
    if _SKIP.fullmatch(words):
        return "skip"
    if match := _WHICH.fullmatch(words):
        return int(match["number"] or ORDINALS[match["ordinal"].lower()])
    return parse_task(text)
