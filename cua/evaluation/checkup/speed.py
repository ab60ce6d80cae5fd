"""How fast the model is and how many tokens a screenshot takes, from the other requests."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...messages import Message
from ...types import Reply
from .model_under_test import Answer

BURST_S = 0.05
"""Shorter replies do not tell the tokens per second."""
CACHED_TIME_RATIO = 0.6
"""A repeated request that takes less than this share of the time was cached."""


@dataclass(frozen=True)
class Speed:
    """Medians in seconds; 0 if unknown.

    `first`: to the first token; `tokens_per_second`: of the reply, from there on.
    """

    first: float
    whole: float
    tokens_per_second: float
    image_tokens: int
    cache: str


def measure_speed(small: Answer, full: Sequence[Answer], again: Reply) -> Speed:
    """`small` answers a tiny screenshot, `full` whole ones, `again` the last of them once more."""
    replies = [answer.reply for answer in full]
    return Speed(
        first=_median([reply.first for reply in replies if reply.first]),
        whole=_median([reply.seconds for reply in replies]),
        tokens_per_second=_rate(replies),
        image_tokens=_image_tokens(small, full[-1]),
        cache=_cache(replies[-1], again),
    )


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 2) if values else 0.0


def _rate(replies: Sequence[Reply]) -> float:
    seconds = sum(reply.seconds - reply.first for reply in replies)
    tokens = sum(reply.tokens_out for reply in replies)
    return round(tokens / seconds, 1) if seconds > BURST_S * len(replies) else 0.0


def _image_tokens(small: Answer, full: Answer) -> int:
    """The two requests differ in hardly more than the pixels of their screenshots."""
    counts = [answer.reply.tokens_in for answer in (small, full)]
    pixels = [width * height for width, height in (small.sent, full.sent)]
    if not all(counts) or counts[0] >= counts[1] or pixels[0] >= pixels[1]:
        return 0
    return round((counts[1] - counts[0]) * pixels[1] / (pixels[1] - pixels[0]))


def _cache(first: Reply, again: Reply) -> str:
    if again.tokens_cached:
        return Message("checkup.cached", cached=again.tokens_cached, total=again.tokens_in)
    was, now = (reply.first or reply.seconds for reply in (first, again))
    if was > BURST_S and now < CACHED_TIME_RATIO * was:
        return Message("checkup.cache_likely", again=f"{now:.1f}", first=f"{was:.1f}")
    return Message("checkup.cache_none")
