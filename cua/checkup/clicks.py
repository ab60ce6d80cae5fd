"""Clicks on targets: one screen, one target, one request, so that a miss leads to no other."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ..rig import Size
from ..types import FormatError, Reply
from .readings import clicked
from .subject import Talk
from .targets import Target, drawn


@dataclass(frozen=True)
class Shot:
    """A target and what was made of it: pixels of the screen, None with the `trouble` in words."""

    target: Target
    reply: Reply
    sent: Size
    at: tuple[float, float] | None = None
    trouble: str = ""

    @property
    def hit(self) -> bool:
        return self.at is not None and self.target.holds(*self.at)

    @property
    def off(self) -> float | None:
        return self.target.off(*self.at) if self.at else None

    @property
    def words(self) -> str:
        if self.off is None:
            return self.trouble
        return f"hit, {self.off:.0f} px off." if self.hit else f"missed, {self.off:.0f} px off."


async def shoot(talk: Talk, target: Target) -> Shot:
    """Ask for a click on the target. Raises `ModelError`."""
    jpeg = await asyncio.to_thread(drawn, talk.screen, [target])
    reply, sent = await talk.ask(f'Click "{target.word}".', jpeg, talk.screen)
    try:
        at = clicked(talk.dialect.parse(reply, sent))
    except FormatError as error:
        return Shot(target, reply, sent, trouble=str(error))
    if at is None:
        return Shot(target, reply, sent, trouble="The reply was understood, but it clicks nowhere.")
    width, height = talk.screen
    return Shot(target, reply, sent, (at.x * width, at.y * height))


def hits(shots: Sequence[Shot]) -> int:
    return sum(shot.hit for shot in shots)


def median_off(shots: Sequence[Shot]) -> float | None:
    """Pixels; None if no reply named a place."""
    found = [shot.off for shot in shots if shot.off is not None]
    return statistics.median(found) if found else None
