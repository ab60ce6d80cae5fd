"""Find the settings that fit a model's coordinate system.

A dialect with that system is a fix. For pixels, screenshots are sent in a size that the server's
own rule does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...dialects import registry
from .clicks import ClickResult, count_hits
from .coordinate_systems import CoordinateSystem
from .model_under_test import ModelUnderTest, RequestSettings

GENERAL = ("kvm", "json", "qwen25_vl")
"""Dialects for models without one of their own, one for each coordinate system."""
COMMON = (
    "qwen3_vl", "qwen25_vl", "ui_tars", "ui_tars_15", "kimi", "opencua", "glm_v", "holo3", "holo15",
    "openai_computer", "claude",
)  # fmt: skip
"""Dialects by frequency; of several with the same grammar the first is used."""


@dataclass(frozen=True)
class SuggestedFix:
    """Settings that should work, what they change, and the clicks of their test."""

    settings: RequestSettings
    changes: dict[str, str | int]
    tried: Sequence[ClickResult]

    @property
    def is_proven(self) -> bool:
        return count_hits(self.tried) > len(self.tried) / 2


def find_changes(before: RequestSettings, after: RequestSettings) -> dict[str, str | int]:
    old = before._asdict()
    return {name: value for name, value in after._asdict().items() if value != old[name]}


def suggest_fixes(
    system: CoordinateSystem, subject: ModelUnderTest, understood: Sequence[str]
) -> Iterator[RequestSettings]:
    """Yield the likeliest first: by the model's name, the grammar of its replies, the frequency.

    It loads every dialect, so call it in a thread.
    """
    for name in _order_dialects(subject, understood):
        width = _find_width(system, subject, name)
        if width is not None:
            before = subject.settings
            prompt = before.initial_prompt if name == before.dialect else ""
            settings = RequestSettings(name, width, prompt)
            if settings != before:
                yield settings


def _order_dialects(subject: ModelUnderTest, understood: Sequence[str]) -> list[str]:
    by_name = registry.for_model(subject.model_name)
    others = [name for name, _, _ in registry.names()]
    spoken = [name for name in (*COMMON, *others) if name in understood]
    return list(dict.fromkeys([by_name, *spoken, *GENERAL, *COMMON, *others]))


def _find_width(system: CoordinateSystem, subject: ModelUnderTest, dialect: str) -> int | None:
    """Return the screenshot width with which the dialect fits the system; None: it never does."""
    now, space = subject.settings.screenshot_width, registry.create(dialect).coordinate_space
    if space is not None:
        return now if system.sent_size is None and abs(space.width - system.width) <= 1 else None
    if system.sent_size is None:
        return None
    widest = subject.screen[0]
    widths: list[int] = [now, 0, round(system.width), *range(widest, widest // 2, -1)]
    for width in widths:
        sent = subject.sent(RequestSettings(dialect, width))
        if system.sent_size(*sent) == sent:
            return width
    return None
