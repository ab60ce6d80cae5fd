"""Clicks on targets: one screen, one target and one request each.

A reply has the numbers of its click in an unknown coordinate system. A dialect parses its family's
grammar; on a very wide scale it refuses no number, so it returns the raw numbers. All dialects are
tried, because many models answer in the one they were trained on.
"""

from __future__ import annotations

import asyncio
import copy
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...dialects import registry
from ...dialects.coordinates import CoordinateSpace
from ...dialects.kvm_lines import KvmLines
from ...messages import Message, sentences_of
from ...types import Click, FormatError, ParsedReply, Point, Reply
from ..testbed import Size
from .model_under_test import Conversation
from .targets import Target, draw_screen

WIDE = CoordinateSpace(1_000_000, 1_000_000, "numbers", refuses_fractions=False)
_PAIR = re.compile(
    r"(?<![\d.])(-?\d{1,6}(?:\.\d{1,9})?)[ \t]*[, \t][ \t]*(-?\d{1,6}(?:\.\d{1,9})?)"
)

RawPoint = tuple[float, float]
"""x and y as in the reply."""


@dataclass(frozen=True)
class ClickResult:
    """A target and the reply. `at`: in pixels of the screen; None: `trouble` has the reason,
    without what tells the model the format.

    `meant`: in pixels too, if the clicks fit another coordinate system.
    """

    target: Target
    reply: Reply
    sent: Size
    at: tuple[float, float] | None = None
    trouble: str = ""
    meant: tuple[float, float] | None = None

    @property
    def hit(self) -> bool:
        return self.at is not None and self.target.contains(*self.at)

    @property
    def distance_px(self) -> float | None:
        return self.target.distance_px(*self.at) if self.at else None

    @property
    def description(self) -> str:
        if self.distance_px is None:
            return self.trouble
        return Message(
            "checkup.hit" if self.hit else "checkup.miss", distance=f"{self.distance_px:.0f}"
        )


async def ask_click(conversation: Conversation, target: Target) -> ClickResult:
    """Ask for a click on the target. Raises `ModelError`."""
    jpeg = await asyncio.to_thread(draw_screen, conversation.screen, [target])
    reply, sent = await conversation.ask(f'Click "{target.word}".', jpeg, conversation.screen)
    try:
        at = find_click(conversation.dialect.parse(reply, sent))
    except FormatError as error:
        return ClickResult(target, reply, sent, trouble=sentences_of(error.message)[0])
    if at is None:
        return ClickResult(target, reply, sent, trouble=Message("checkup.no_click"))
    width, height = conversation.screen
    return ClickResult(target, reply, sent, (at.x * width, at.y * height))


def count_hits(clicks: Sequence[ClickResult]) -> int:
    return sum(click.hit for click in clicks)


def median_distance_px(clicks: Sequence[ClickResult]) -> float | None:
    """Return the median distance in pixels; None if no reply contains a click."""
    found = [click.distance_px for click in clicks if click.distance_px is not None]
    return statistics.median(found) if found else None


# --- the numbers of a reply -----------------------------------------------------------------------


class RawClicks(NamedTuple):
    """`raw`: the numbers of each reply's click, None without one.

    `understood`: the other dialects that can parse most of the replies.
    """

    raw: list[RawPoint | None]
    understood: list[str]


def find_click(parsed: ParsedReply) -> Point | None:
    places = [action.at for action in parsed.actions if isinstance(action, Click) and action.at]
    return places[0] if places else None


def read_clicks(replies: Sequence[Reply], dialect: str) -> RawClicks:
    """Parse replies in every dialect; slow at first, so call it in a thread."""
    read = {name: [_read_wide(name, reply) for reply in replies] for name, _, _ in registry.names()}
    order = [dialect, *(name for name in read if name != dialect)]
    raw = [
        next((read[name][n] for name in order if read[name][n]), None) or _find_numbers(reply.text)
        for n, reply in enumerate(replies)
    ]
    most = 0.75 * len(replies)
    return RawClicks(
        raw, [name for name in order[1:] if len(list(filter(None, read[name]))) > most]
    )


def _read_wide(name: str, reply: Reply) -> RawPoint | None:
    dialect = copy.copy(registry.create(name))
    if not isinstance(dialect, KvmLines):  # its lines are always fractions
        dialect.coordinate_space = WIDE
    try:
        at = find_click(dialect.parse(reply, (1, 1)))
    except FormatError:
        return None
    full = dialect.coordinate_space or WIDE
    return (at.x * full.width, at.y * full.height) if at else None


def _find_numbers(text: str) -> RawPoint | None:
    """Return the last pair of numbers, for a reply that no dialect parses."""
    found = _PAIR.findall(text[-2000:])
    return (float(found[-1][0]), float(found[-1][1])) if found else None
