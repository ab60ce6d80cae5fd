"""Decide whether a typed line needs approval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...messages import Message
from .numbers import is_account, is_card
from .shell import commands, plain
from .tables import Found, find_rule, load_rules
from .typed_line import EDITED, MORE, PASTED, UNKNOWN

_PROMPT = re.compile(
    r"[\w.-]+@[\w.-]+[:~ ][^\n]*[$#%]|PS [A-Z]:\\|[A-Z]:\\[^\n>]*>|^\s*[$#]\s*$|>>>|root@",
    re.MULTILINE,
)
_TERMINALS = re.compile(
    r"^\s*(?:cmd|powershell|pwsh|wt|terminal|bash|ssh|telnet|sudo|adb)\b", re.IGNORECASE
)
_OF_TERMINALS = {"WIN+R", "CTRL+ALT+T", "CTRL+SHIFT+V"}

MAX_CONTEXT_LINES = 20
"""Lines before a line that are considered with it."""


class Context(NamedTuple):
    """The lines entered before, the chords pressed last, and the words on the screen."""

    before: Sequence[str] = ()
    chords: Sequence[str] = ()
    screen: str = ""

    @property
    def takes_commands(self) -> bool:
        return (
            any(chord in _OF_TERMINALS for chord in self.chords)
            or any(_TERMINALS.search(line) for line in self.before)
            or bool(_PROMPT.search(self.screen))
        )


NOWHERE = Context()


def find_risk(text: str, context: Context = NOWHERE, *, whole: bool = True) -> Found | None:
    """Return the first rule that matches a line; `whole` False: it may go on."""
    if not text.strip():
        return None
    return _read(text.rstrip(UNKNOWN + EDITED), context, whole) or _unseen(text, context)


def _read(text: str, context: Context, whole: bool) -> Found | None:
    text = plain(text).strip() + "\n" if whole else plain(text)
    around = "\n".join([*context.before[-8:], context.screen])
    return (
        find_rule(load_rules("commands", r"\A{}"), *_spelled(text, tuple(context.before), whole))
        or find_rule(load_rules("lines"), *_statements(text, context.before))
        or find_rule(load_rules("contexts"), text, around=around)
        or _numbers(text)
    )


@lru_cache(maxsize=64)
def _spelled(text: str, before: tuple[str, ...], whole: bool) -> tuple[str, ...]:
    found = commands(text.replace("\t", ""), before, whole=whole)
    return (*found, *(each.lstrip("|") for each in found if each.startswith("|")))


def _statements(text: str, before: Sequence[str]) -> list[str]:
    """Return the line alone and joined to the lines before that it may continue."""
    previous = list(before[-3:])
    while any(_FINISHED.search(line) for line in previous):
        previous.pop(0)
    goes_on = previous and (";" in text or _UNFINISHED.search(text))
    starts = range(len(previous)) if goes_on else ()
    return [text, *(" ".join([*previous[start:], text]) for start in starts)]


_FINISHED = re.compile(r";\s*$|\bcascade\s*$", re.IGNORECASE)
_UNFINISHED = re.compile(r"^\s*(?:table|database|from|\w+)\s*[\w.`\"]*\s*;?\s*$", re.IGNORECASE)


def _numbers(text: str) -> Found | None:
    if is_card(text):
        return "spends", Message("rules.card")
    return ("spends", Message("rules.account")) if is_account(text) else None


def _unseen(text: str, context: Context) -> Found | None:
    if text == MORE:
        return "cannot be seen", Message("rules.edited_much")
    if text.endswith(EDITED):
        return "cannot be seen", Message("rules.edited")
    if text.endswith(UNKNOWN) and context.takes_commands:
        return "cannot be seen", Message("rules.line_unknown")
    if PASTED in text and context.takes_commands:
        return "cannot be seen", Message("rules.pastes")
    return None
