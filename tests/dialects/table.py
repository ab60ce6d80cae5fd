"""How the tables of (reply -> actions) are read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from cua.dialects import registry
from cua.types import Action, FormatError, ParsedReply, Point, Reply, ToolCall

SENT = (1280, 720)


def parse(
    name: str,
    text: str,
    *,
    sent: tuple[int, int] = SENT,
    calls: Sequence[ToolCall] = (),
    finish_reason: str = "stop",
) -> ParsedReply:
    reply = Reply(text, calls=tuple(calls), finish_reason=finish_reason)
    return registry.create(name).parse(reply, sent)


def actions(name: str, text: str, *, sent: tuple[int, int] = SENT) -> list[Action]:
    return list(parse(name, text, sent=sent).actions)


def at(x: float, y: float) -> Point:
    return Point(x=x, y=y)


Table = dict[str, tuple[str, list[Action]]]
"""What it shows -> a reply -> its actions."""
Refused = dict[str, tuple[str, str]]
"""What it shows -> a reply -> words of the sentence that refuses it."""


def check(name: str, reply: str, expected: list[Action], sent: tuple[int, int] = SENT) -> None:
    assert actions(name, reply, sent=sent) == expected


def check_refused(name: str, reply: str, words: str, sent: tuple[int, int] = SENT) -> None:
    with pytest.raises(FormatError, match=re.escape(words)):
        parse(name, reply, sent=sent)
