"""The speed of the model and the tokens of a screenshot, from the other requests."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...messages import Message
from ...types import Reply
from .model_under_test import Answer

BURST_S = 0.05
"""Duration of a reply from which it is used for the tokens per second."""
CACHED_TIME_RATIO = 0.6
"""Ratio of the times of a repeated request and the first; below it, it was cached."""


@dataclass(frozen=True)
class Speed:
    """Medians in seconds; 0 if unknown.

    `first`: time to the first token; `tokens_per_second`: of the rest of the reply.
    """

    first: float
    whole: float
    tokens_per_second: float
    image_tokens: int
    cache: str


def measure_speed(small: Answer, full: Sequence[Answer], again: Reply) -> Speed:
    """`small`: reply to a tiny screenshot, `full`: to whole ones, `again`: to the last repeated."""
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
    """Return the difference: the two requests differ almost only in their screenshots."""
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
