"""Read tables of commands from the `.rules` files, and match commands with them.

The indented line under a row has examples, which only the tests read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from ...messages import Message
from .shell import Command

Found = tuple[str, str]
"""The name of a rule, and why it asks."""
TEXT = "text"
"""Name of a command whose argument is a whole line as typed."""
GOES_ON = "…"
"""The last argument of a command that is still being typed."""
KEYWORDS = {
    "commands": ("piped", "with", "and", "last", "unless", "when", "except"),
    "keys": ("on", "off", "after"),
    "wrappers": ("options", "skip", "after", "line", "text", "adds", "writes", "unless"),
}
"""File -> the words that begin the clauses of a row."""
_HARMLESS = ("--help", "-help", "--version", "/?", "-?", "-whatif", "--dry*run", "--no-act")
"""Arguments with which any command only shows something."""
_MAX_CLUSTER_CHARS = 6
_STATEMENTS = "databases"
"""Group of the statements: their end may make them harmless, and they have words of sentences."""
_DEVICES = ("factory reset", "network device")
"""Groups of commands that read from no pipe: `show log | include erase|reload` only filters."""
_FOLDER = Path(__file__).parent
_SENTENCE = frozenset((_FOLDER / "sentence_words.rules").read_text("utf-8").split())
_Words = tuple[tuple[str, ...], ...]
_Clauses = Mapping[str, tuple[str, ...]]


class Row(NamedTuple):
    """`words`: the alternatives of the name and of each subcommand."""

    group: str
    why: str
    words: _Words
    clauses: _Clauses


@lru_cache(maxsize=4096)
def find_rows(file: str, name: str) -> tuple[Row, ...]:
    rows = load_rows(file)
    return tuple(row for row in rows if any(matches_glob(each, name) for each in row.words[0]))


@cache
def load_rows(file: str) -> tuple[Row, ...]:
    text = (_FOLDER / f"{file}.rules").read_text("utf-8")
    rows, group, why = [], "", ""
    for line in text.splitlines():
        if line.startswith("["):
            group, _, key = line[1:].partition("] ")
            why = Message(key)
        elif line and not line.startswith(("#", " ")):
            rows.append(Row(group, why, *_read_row(line, KEYWORDS[file])))
    return tuple(rows)


def _read_row(text: str, keywords: Sequence[str]) -> tuple[_Words, _Clauses]:
    words: list[tuple[str, ...]] = []
    clauses: dict[str, tuple[str, ...]] = {}
    keyword = ""
    for word in text.split():
        if word in keywords:
            keyword = word
            clauses[keyword] = ()
        elif keyword:
            term = word if len(word) == 2 else word.replace("␣", " ").lower()
            clauses[keyword] += (term,)
        else:
            words.append(tuple(filter(None, word.lower().split("|"))) or ("|",))
    return tuple(words), clauses


def match_row(row: Row, command: Command, around: Sequence[str] = ()) -> bool:
    """Whether the row applies. `around`: the lines before and on the screen, for `when`."""
    rest = match_words(row, command)
    excepted = command.name in row.clauses.get("except", ())
    fed = row.group not in _DEVICES if command.piped else "piped" not in row.clauses
    if rest is None or excepted or not fed:
        return False
    given, when = (*rest, *command.redirects), row.clauses.get("when", ("*",))
    met = any(matches_glob(term, line.lower()) for term in when for line in (*around, ""))
    if not (met and matches_clauses(row, given)):
        return False
    unfinished = GOES_ON in rest and (row.group == _STATEMENTS or "with" not in row.clauses)
    prose = row.group != _STATEMENTS and _is_prose(command)
    helps = rest == ("-h",) or (row.group != "deletes" and command.arguments[:1] == ("help",))
    return not (unfinished or prose or helps or _matches_any(_HARMLESS, given))


def matches_clauses(row: Row, given: tuple[str, ...]) -> bool:
    read = {"with": given, "and": given, "last": given[-1:], "unless": given}
    clauses = [each for each in row.clauses.items() if each[0] in read]
    return all(_matches_any(terms, read[name]) != (name == "unless") for name, terms in clauses)


def match_words(row: Row, command: Command) -> tuple[str, ...] | None:
    """Return the arguments after the subcommands of a row, and the options before them.

    An option may be followed by its value.
    """
    left, skipped = list(command.arguments), []
    for words in row.words[1:]:
        option = False
        while left and not any(matches_glob(word, left[0].lower()) for word in words):
            if not (left[0].startswith("-") or option):
                return None
            option = left[0].startswith("-")
            skipped.append(left.pop(0))
        if not left:
            return None
        left.pop(0)
    return (*skipped, *left)


def _matches_any(terms: tuple[str, ...], given: tuple[str, ...]) -> bool:
    lower = tuple(each.lower() for each in given if each != GOES_ON)
    return any(_matches_term(term, given, lower) for term in terms)


def _matches_term(term: str, given: Sequence[str], lower: Sequence[str]) -> bool:
    """`nothing`: no argument; `*`: an argument; `-x`: also within `-abx`; else a glob."""
    if term in ("nothing", "*"):
        arguments = [each for each in given if not each.startswith(("<", ">"))]
        return not arguments if term == "nothing" else any(each != GOES_ON for each in arguments)
    if len(term) == 2 and term[0] == "-" and term[1].isalnum():
        return any(_has_flag(each, term[1]) for each in given)
    return any(matches_glob(term.strip('"'), each) for each in lower)


def _has_flag(argument: str, letter: str) -> bool:
    flags = argument[1:]
    short = len(flags) <= _MAX_CLUSTER_CHARS and argument[:1] == "-" != flags[:1]
    return short and letter in flags


def _is_prose(command: Command) -> bool:
    """Whether a line is a sentence, or a search for the meaning of a command."""
    words = [each.strip(".,:;!?\"'()").lower() for each in command.arguments]
    plain = all(each.replace("'", "").replace("-", "").isalnum() for each in words if each)
    return plain and not _SENTENCE.isdisjoint(words)


def matches_glob(pattern: str, text: str) -> bool:
    """Match the whole text in linear time.

    `*` stands for any characters, `?*` at the end for one or more.
    """
    if pattern.endswith("?*"):
        return matches_glob(pattern[:-2] + "*", text) and not matches_glob(pattern[:-2], text)
    if "*" not in pattern:
        return text == pattern
    first, *middle, last = pattern.split("*")
    at = len(first) if text.startswith(first) else -1
    for part in middle:
        found = text.find(part, at) if at >= 0 else -1
        at = found + len(part) if found >= 0 else -1
    return at >= 0 and len(text) - at >= len(last) and text.endswith(last)
