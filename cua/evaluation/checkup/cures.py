"""From how a model counts to the settings under which it is understood.

A dialect cures if it counts in that way. Pixels have to be those of the screenshot that the model
really sees: so it is sent in a size that its server's own rule leaves as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...dialects import registry
from .clicks import ClickResult, hits
from .readings import family
from .spaces import CoordinateSystem
from .subject import ModelUnderTest, RequestSettings

GENERAL = ("kvm", "json", "qwen25_vl")
"""For models without a language of their own, one for each way of counting."""
COMMON = (
    "qwen3_vl", "qwen25_vl", "ui_tars", "ui_tars_15", "kimi", "opencua", "glm_v", "holo3", "holo15",
    "openai_computer", "claude",
)  # fmt: skip
"""Of several that are written alike the first is taken: the one that most models speak."""


@dataclass(frozen=True)
class Remedy:
    """Settings that should work, and the clicks with which they were tried."""

    manner: RequestSettings
    tried: tuple[ClickResult, ...] = ()

    @property
    def proven(self) -> bool:
        return bool(self.tried) and hits(self.tried) > len(self.tried) / 2

    def changes(self, before: RequestSettings) -> dict[str, str | int]:
        """What to change in the settings."""
        changes: dict[str, str | int] = {}
        if self.manner.dialect != before.dialect:
            changes["dialect"] = self.manner.dialect
        if self.manner.width != before.width:
            changes["screenshot_width"] = self.manner.width
        if self.manner.prompt != before.prompt:
            changes["initial_prompt"] = self.manner.prompt
        return changes


def cures(
    way: CoordinateSystem, subject: ModelUnderTest, understood: Sequence[str]
) -> Iterator[Remedy]:
    """The likeliest first: what the name says, what the replies are written in, what is common.

    To be called in a thread, as it loads every dialect.
    """
    if way.swapped:
        return  # no dialect does that
    for name in _order(subject, understood):
        width = _width(way, subject, name)
        if width is not None:
            before = subject.manner
            manner = RequestSettings(name, width, before.prompt if name == before.dialect else "")
            if manner != before:
                yield Remedy(manner)


def _order(subject: ModelUnderTest, understood: Sequence[str]) -> list[str]:
    by_name = registry.for_model(subject.model_name)
    others = [name for name, _, _ in registry.names()]
    spoken = [name for name in (*COMMON, *others) if name in understood]
    return list(dict.fromkeys([by_name, *spoken, *GENERAL, *COMMON, *others]))


def _width(way: CoordinateSystem, subject: ModelUnderTest, dialect: str) -> int | None:
    """The screenshot width with which the dialect fits the way, None if there is none."""
    now, scale = subject.manner.width, family(dialect).scale
    if scale is not None:
        return now if way.rule is None and abs(scale.width - way.width) <= 1 else None
    if way.rule is None:
        return None
    widest = subject.screen[0]
    widths: list[int] = [now, 0, round(way.width), *range(widest, widest // 2, -1)]
    for width in widths:
        sent = subject.sent(RequestSettings(dialect, width))
        if way.rule(*sent) == sent:
            return width
    return None
