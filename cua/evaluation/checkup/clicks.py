"""Clicks on targets: one screen, one target and one request each."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...messages import Message
from ...types import FormatError, Reply
from ..testbed import Size
from .model_under_test import Conversation
from .raw_clicks import find_click
from .targets import Target, draw_screen


@dataclass(frozen=True)
class ClickResult:
    """A target and the reply. `at` is in pixels of the screen; None: `trouble` says why."""

    target: Target
    reply: Reply
    sent: Size
    at: tuple[float, float] | None = None
    trouble: str = ""

    @property
    def hit(self) -> bool:
        return self.at is not None and self.target.contains(*self.at)

    @property
    def off(self) -> float | None:
        return self.target.off(*self.at) if self.at else None

    @property
    def description(self) -> str:
        if self.off is None:
            return self.trouble
        return Message("checkup.hit" if self.hit else "checkup.miss", distance=f"{self.off:.0f}")


async def ask_click(conversation: Conversation, target: Target) -> ClickResult:
    """Ask for a click on the target. Raises `ModelError`."""
    jpeg = await asyncio.to_thread(draw_screen, conversation.screen, [target])
    reply, sent = await conversation.ask(f'Click "{target.word}".', jpeg, conversation.screen)
    try:
        at = find_click(conversation.dialect.parse(reply, sent))
    except FormatError as error:
        return ClickResult(target, reply, sent, trouble=error.message)
    if at is None:
        return ClickResult(target, reply, sent, trouble=Message("checkup.no_click"))
    width, height = conversation.screen
    return ClickResult(target, reply, sent, (at.x * width, at.y * height))


def count_hits(clicks: Sequence[ClickResult]) -> int:
    return sum(click.hit for click in clicks)


def median_off(clicks: Sequence[ClickResult]) -> float | None:
    """Return the median distance in pixels; None if no reply contains a click."""
    found = [click.off for click in clicks if click.off is not None]
    return statistics.median(found) if found else None
