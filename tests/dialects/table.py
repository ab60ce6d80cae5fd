"""How the tables of (reply -> actions) are read."""

from __future__ import annotations

from collections.abc import Sequence

from cua import dialects
from cua.types import Action, Point, Reply, ToolCall, Turn

SENT = (1280, 720)


def parse(
    name: str,
    text: str,
    *,
    sent: tuple[int, int] = SENT,
    calls: Sequence[ToolCall] = (),
    finish_reason: str = "stop",
) -> Turn:
    reply = Reply(text, calls=tuple(calls), finish_reason=finish_reason)
    return dialects.create(name).parse(reply, sent)


def actions(name: str, text: str, *, sent: tuple[int, int] = SENT) -> list[Action]:
    return list(parse(name, text, sent=sent).actions)


def at(x: float, y: float) -> Point:
    return Point(x=x, y=y)
