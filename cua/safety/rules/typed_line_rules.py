"""Decide whether a typed line needs approval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from ...messages import Message
from .line_tracker import EDITED, MORE, PASTED, UNKNOWN
from .numbers import KEY, is_account, is_card
from .rows import GOES_ON, TEXT, Found, find_rows, match_row
from .shell import MAX_LINE_CHARS, Command, normalize
from .wrappers import TooComplexError, find_commands

_TERMINALS = {"cmd", "powershell", "pwsh", "wt", "terminal", "bash", "ssh", "telnet", "sudo", "adb"}
_OF_TERMINALS = {"WIN+R", "CTRL+ALT+T", "CTRL+SHIFT+V"}
MAX_CONTEXT_LINES = 20
"""Lines before a line that are considered with it."""
MAX_STATEMENT_LINES = 4

_PROMPT = re.compile(
    r"(?:@[^$#%]{0,80}[$#%]|[A-Za-z]:\\[^>]{0,200}>"
    r"|^(?:\w+=[#>](?!\S)|(?:mysql|SQL|MariaDB \[[^\]]{0,60}\])>|(?:[$#]|>>>)(?=\s*$))) ?(.*)"
)
"""A prompt of a shell or a database, and the text after it."""

_STATEMENT = re.compile(
    r"(?:^|[·|\n]) ?((?:delete from|drop|truncate|update|alter|grant|revoke) [^·|\n]+)",
    re.IGNORECASE,
)
"""A part of a screen that is a statement of SQL that changes something."""


class Context(NamedTuple):
    """The lines entered before, the chords pressed last, and the words on the screen.

    `in_document`: the line is text of a document.
    """

    before: Sequence[str] = ()
    chords: Sequence[str] = ()
    screen: str = ""
    in_document: bool = False

    @property
    def takes_commands(self) -> bool:
        names = {line.split()[0].lower() for line in self.before if line.strip()}
        opened = names & _TERMINALS or _OF_TERMINALS & {*self.chords}
        return bool(opened) or any(map(_PROMPT.search, self.screen.splitlines()))


NOWHERE = Context()


def read_line(screen: str, *, statement: bool) -> str:
    """Return the text at the prompt in the last line of a screen, or its first statement of SQL."""
    last = screen.rstrip().rpartition("\n")[2]
    return next(iter(_STATEMENT.findall(screen) if statement else _PROMPT.findall(last)), "")


def find_risk(text: str, context: Context = NOWHERE, *, whole: bool = True) -> Found | None:
    """Return the first rule that matches a line; `whole` False: it may go on."""
    line = normalize(text.rstrip(UNKNOWN + EDITED))
    if len(line) <= MAX_LINE_CHARS:
        line = line.strip("\t ")
        while line.startswith("/*"):  # a comment of SQL
            line = line.partition("*/")[2].strip()
    found = _credential(line)
    if found or (context.in_document and not context.takes_commands):
        return found
    return _find_command(line, context, whole) or _unseen(text, context)


def _find_command(line: str, context: Context, whole: bool) -> Found | None:
    head = line if line[-1:].isspace() else line.rpartition(" ")[0]
    try:
        return _judge(line if whole else f"{head} {GOES_ON}", tuple(context.before), context.screen)
    except TooComplexError:
        return ("cannot be seen", Message("rules.too_complex")) if whole else None


@lru_cache(maxsize=256)
def _judge(line: str, before: tuple[str, ...], screen: str) -> Found | None:
    around = (*before[-8:], *screen.splitlines())
    for text in _statements(line, before):
        for command in find_commands(text):
            for row in find_rows("commands", command.name):
                if match_row(row, command, around):
                    return row.group, row.why
    return None


def _statements(line: str, before: tuple[str, ...]) -> Iterator[str]:
    """Yield the line alone, with the lines that it ends, and with one that fetched what it runs."""
    last = reversed(before[-MAX_STATEMENT_LINES:])
    unfinished = takewhile(lambda old: line[-1:] == ";" != old.rstrip()[-1:], last)
    yield from accumulate(unfinished, lambda joined, old: f"{old} {joined}", initial=line)
    words = [each for each in line.split() if each != "sudo" and each[0] != "-"]
    run = {each.replace("\\", "/").rpartition("/")[2] for each in words[:2]}
    fetched = (old for old in before if "://" in old and run & {*old.replace("/", " ").split()})
    yield from (f"{old} && {line}" for old in fetched)


def _credential(text: str) -> Found | None:
    """Judge a text that needs approval before it is entered."""
    if is_card(text):
        return "spends", Message("rules.card")
    if is_account(text):
        return "spends", Message("rules.account")
    rows = [row for row in find_rows("commands", TEXT) if row.group == "credentials"]
    if KEY.search(text) or any(match_row(row, Command(TEXT, (text,))) for row in rows):
        return "credentials", Message("rules.types_credentials")
    return None


def _unseen(text: str, context: Context) -> Found | None:
    edited = {MORE: Message("rules.edited_much"), EDITED: Message("rules.edited")}.get(text[-1:])
    unsure = Message("rules.line_unknown") if text.endswith(UNKNOWN) else Message("rules.pastes")
    runs = (text.endswith(UNKNOWN) or PASTED in text) and context.takes_commands
    return ("cannot be seen", edited or unsure) if edited or runs else None
