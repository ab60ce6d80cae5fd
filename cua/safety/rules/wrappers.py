"""Find the commands that other commands run, with the table `wrappers.rules`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .rows import TEXT, Row, find_rows, match_words, matches_clauses, matches_glob
from .shell import MAX_LINE_CHARS, Command, parse

_VALUES = re.compile(r""":\s*(?:"[^"]*"|'[^']*'|/[^/]*/)""")  # as in `{action: "drop"}`
MAX_LINES = 12
MAX_COMMANDS = 200


class TooComplexError(Exception):
    """The line is too long, or runs too many other commands."""


def find_commands(line: str) -> list[Command]:
    """Return the commands of a line, also those that wrappers run; raises `TooComplexError`."""
    found: dict[Command, None] = {}
    lines, new = {line}, _parse(line)
    while new:
        command = new.pop()
        if command in found:
            continue
        found[command] = None
        inside = [each for each in _find_inside(command) if each not in lines]
        lines.update(inside)
        new += [each for text in inside for each in _parse(text)]
        if len(lines) > MAX_LINES or len(found) > MAX_COMMANDS:
            raise TooComplexError
    return list(found)


def _parse(line: str) -> list[Command]:
    if len(line) > MAX_LINE_CHARS:
        raise TooComplexError
    return [Command(TEXT, (_VALUES.sub(":", line),)), *parse(line)]


def _find_inside(command: Command) -> Iterator[str]:
    """Yield the lines that a command runs."""
    writes = any(each.startswith(">") for each in command.redirects)
    for row in find_rows("wrappers", command.name):
        rest = match_words(row, command)
        if rest is not None and matches_clauses(row, rest):
            yield from _read(row, rest) if writes or "writes" not in row.clauses else ()


def _read(row: Row, rest: tuple[str, ...]) -> Iterator[str]:
    adds = row.clauses.get("adds", ())
    for value in _values(row.clauses.get("line", ()), rest):
        yield " ".join([value.strip("{}"), *adds])
    for at, each in enumerate(rest):
        if each in row.clauses.get("after", ()):
            yield _quote(rest[at + 1 :])
    starts = row.clauses.get("text")
    if starts:
        words = " ".join(rest).replace(",", " ").split()
        at = next((n for n, each in enumerate(words) if each.lower() in starts), len(words))
        yield " ".join(words[at + 1 :])
    elif starts is not None:
        yield " ".join(_skip_options(row, rest))
    elif "options" in row.clauses:
        yield _quote((*_skip_options(row, rest), *adds))


def _quote(words: tuple[str, ...]) -> str:
    return " ".join(f'"{each}"' if " " in each else each for each in words)


def _values(names: tuple[str, ...], rest: tuple[str, ...]) -> Iterator[str]:
    """Yield the arguments after one of the names; `*`: all; with `=`: the text after a `=`."""
    if names in (("*",), ("=",)):
        yield from (each.partition("=")[2] or each * (names == ("*",)) for each in rest)
    for name, value in pairwise(rest):
        if any(matches_glob(each, name.lower()) for each in names):
            yield value


def _skip_options(row: Row, rest: tuple[str, ...]) -> tuple[str, ...]:
    """Skip the wrapper's options with their values, assignments, and `skip` arguments."""
    left, skip = rest, int(row.clauses.get("skip", ("0",))[0])
    while left:
        word = left[0]
        if (word.startswith("-") and word != "-") or (word.startswith("/") and len(word) == 2):
            left = left[2 if word in row.clauses.get("options", ()) else 1 :]
        elif word.partition("=")[0].isidentifier() and "=" in word:
            left = left[1:]
        elif skip:
            skip, left = skip - 1, left[1:]
        else:
            break
    return left
