"""The person's words -> instructions.

A task is a list of phrases separated by commas, lines, "then" and "and". What stands in quotes is
put away first, so that nothing in it separates or means anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .goals import goal
from .instructions import Instruction, Pick
from .phrases import ORDINALS, QUOTE, NotUnderstood, phrase, restore_quotes

HELP = (
    'open / click / double-click / right-click "LABEL" (also: next to, under or above "LABEL"; or '
    "a place that you tap in the picture), "
    'type "TEXT" into "FIELD", press KEYS, clear "FIELD", scroll until "LABEL", drag "A" to "B", '
    'go to ADDRESS, wait for "LABEL", check that "TEXT" is shown; and these goals: '
    "set dns server to 8.8.8.8, download the esp32 datasheet, "
    "write TEXT in the notepad and save it as NAME, open the terminal and run COMMAND, "
    "delete the file NAME, shut down or restart the computer"
)
"""What the person is told when a task is not understood."""

_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<!\w)\'([^\']*)\'(?!\w)')
_MOST_QUOTES = 1000
_VERBS = (
    r"(?:open|start|launch|go to|click|double|right|left|tap|press|hit|push|select|choose|type"
    r"|enter|write|clear|empty|scroll|wait|check|verify|make sure|drag|save|close|set|download|run"
    r"|delete|remove|shut|restart|reboot)\b"
)
_STRONG = re.compile(
    r"\s*(?:[\n;]+|,\s*(?:and\s+)?(?:then\s+)?"
    rf"|(?<!\d)\.\s+(?={_VERBS})|\s(?:and\s+)?then\s)\s*",
    re.IGNORECASE,
)
_WEAK = re.compile(rf"\s+and\s+(?={_VERBS})", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:[-*•]\s+|\d+[.)]\s+|please,?\s+|now,?\s+|first,?\s+|next,?\s+|finally,?\s+|then,?\s+"
    r"|and\s+|can you\s+|could you\s+|task:\s*)+",
    re.IGNORECASE,
)
_GOAL_PARTS = 8
"""Parts at commas that the words of one goal may have."""


def understand(text: str) -> list[Instruction]:
    """Raises `NotUnderstood` with the part that no rule fits."""
    quotes: list[str] = []
    parts = [part for part in _STRONG.split(_put_away(text, quotes)) if part.strip(" .!")]
    found: list[Instruction] = []
    while parts:
        taken, instructions = _next(parts, quotes)
        found += instructions
        parts = parts[taken:]
    if not found:
        raise NotUnderstood(text.strip())
    return found


def _put_away(text: str, quotes: list[str]) -> str:
    def away(match: re.Match[str]) -> str:
        if len(quotes) == _MOST_QUOTES:
            raise NotUnderstood("so many quoted words")
        quotes.append(next(group for group in match.groups() if group is not None))
        return chr(QUOTE + len(quotes) - 1)

    return _QUOTED.sub(away, "".join(letter for letter in text if ord(letter) < QUOTE))


def _next(parts: list[str], quotes: list[str]) -> tuple[int, list[Instruction]]:
    """How many of the parts were used, and what they say.

    A goal may run over several parts, as a text with commas does; but what is an instruction by
    itself is not part of it.
    """
    found: tuple[int, list[Instruction]] | None = None
    for count in range(1, min(len(parts), _GOAL_PARTS) + 1):
        if found and _is_instruction(parts[count - 1], quotes):
            break
        said = _POLITE.sub("", ", ".join(parts[:count]).strip(" .!"))
        if wanted := goal(restore_quotes(said, quotes)):
            found = count, [wanted]
    return found or (1, _part(parts[0], quotes))


def _is_instruction(part: str, quotes: list[str]) -> bool:
    try:
        return bool(_part(part, quotes))
    except NotUnderstood:
        return False


def _part(part: str, quotes: list[str]) -> list[Instruction]:
    words = _POLITE.sub("", part.strip(" .!"))
    pieces = [words] if goal(restore_quotes(words, quotes)) else _WEAK.split(words)
    return [wanted for piece in pieces for wanted in _piece(piece, quotes)]


def _piece(words: str, quotes: list[str]) -> list[Instruction]:
    words = _POLITE.sub("", words).strip()
    wanted = goal(restore_quotes(words, quotes))
    return [wanted] if wanted else phrase(words, quotes)


# --- what the person says in between --------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """The answer to "which one?"."""

    which: Pick


_AGAIN = re.compile(
    r"(?:please\s+)?(?:continue|go on|carry on|proceed|resume|retry|try again|again|yes|ok|okay"
    r"|done|ready|it is there now)(?:[,\s]+please)?[.!]*",
    re.IGNORECASE,
)
_SKIP = re.compile(
    r"(?:please\s+)?(?:skip|ignore|leave)(?:\s+(?:it|this|that|this step))?[.!]*", re.IGNORECASE
)
_WHICH = re.compile(
    r"(?:the\s+|number\s+|no\.?\s*|#)*(?P<which>\d|first|second|third|fourth|fifth|left|right|top"
    r"|upper|bottom|lower|last)(?:most)?(?:\s+one)?[.!]*",
    re.IGNORECASE,
)
_CHOICES: dict[str, Pick] = {
    **ORDINALS, **{str(number): number for number in range(1, 10)}, "left": "left",
    "right": "right", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom",
    "last": "bottom",
}  # fmt: skip


def answer(text: str) -> list[Instruction] | Choice | str:
    """New instructions, a choice, "again" or "skip". Raises `NotUnderstood`."""
    said = text.strip()
    if _AGAIN.fullmatch(said):
        return "again"
    if _SKIP.fullmatch(said):
        return "skip"
    match = _WHICH.fullmatch(said)
    if match and (which := _CHOICES.get(match["which"].lower())):
        return Choice(which)
    return understand(text)
