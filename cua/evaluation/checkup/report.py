"""The results of a check-up, and the verdict in words."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...dialects import registry
from ...messages import Message, sentences
from ..testbed import Size
from .clicks import ClickResult, count_hits, median_distance_px
from .coordinate_systems import Fit
from .fixes import SuggestedFix
from .model_under_test import ModelUnderTest
from .skills import SkillResult
from .speed import Speed

Verdict = Literal["ready", "care", "unusable"]
VERDICTS: dict[Verdict, Message] = {
    "ready": Message("checkup.ready"),
    "care": Message("checkup.care"),
    "unusable": Message("checkup.unusable"),
}
READY_SHARE, USABLE_SHARE = 0.9, 0.6
"""Shares of hit targets for the verdicts."""


@dataclass
class Report:
    """The results, which are filled in during the check-up.

    `sent`: size of the screenshots; `fit`: of the clicks to another coordinate system; `trouble`:
    the error that ended it early; `skills_error`: why not all skills were tried; `picture`: number
    of the event with all targets on one screen.
    """

    subject: ModelUnderTest
    seed: int
    sent: Size
    at: float = field(default_factory=time.time)
    clicks: list[ClickResult] = field(default_factory=list)
    fit: Fit | None = None
    fix: SuggestedFix | None = None
    skills: list[SkillResult] = field(default_factory=list)
    speed: Speed | None = None
    trouble: str = ""
    skills_error: str = ""
    picture: int = 0

    @property
    def unreadable(self) -> list[ClickResult]:
        return [click for click in self.clicks if click.at is None]

    @property
    def is_mostly_unreadable(self) -> bool:
        return len(self.unreadable) > len(self.clicks) / 2

    @property
    def setting(self) -> str:
        """The setting that may help, if no fix was found."""
        is_format = self.fit or self.is_mostly_unreadable
        return "dialect" if is_format and not self.fix and not self.trouble else ""

    def verdict(self) -> Verdict:
        share = count_hits(self.clicks) / len(self.clicks) if self.clicks else 0
        failed = [skill for skill in self.skills if not skill.worked]
        if self.trouble or share < USABLE_SHARE or len(failed) > len(self.skills) / 2:
            return "unusable"
        flawed = failed or self.skills_error or self.fit or share < READY_SHARE
        return "care" if flawed else "ready"

    def reasons(self) -> list[str]:
        """Return sentences, the most important first."""
        if self.trouble:
            return [self.trouble]
        words = [self._describe_pointing(), *self._describe_counting()]
        words += [each.text for each in self.skills if not each.worked]
        if self.skills_error:
            words.append(Message("checkup.untried", reason=self.skills_error))
        elif self.skills and all(each.worked for each in self.skills):
            words.append(Message("checkup.can", skills=[each.name for each in self.skills]))
        return words

    def as_json(self) -> dict[str, Any]:
        subject, distance_px = self.subject, median_distance_px(self.clicks)
        return {
            "at": round(self.at),
            "model": subject.name,
            "dialect": subject.settings.dialect,
            "screen": list(subject.screen),
            "sent": list(self.sent),
            "seed": self.seed,
            "verdict": self.verdict(),
            "words": VERDICTS[self.verdict()],
            "reasons": self.reasons(),
            "clicks": [_click_json(click) for click in self.clicks],
            "hits": count_hits(self.clicks),
            "off": None if distance_px is None else round(distance_px, 1),
            "fit": self.fit and _fit_json(self.fit),
            "fix": self.fix and _fix_json(self.fix),
            "setting": self.setting,
            "skills": [
                {"name": each.name, "worked": each.worked, "words": each.trouble}
                for each in self.skills
            ],
            "speed": self.speed and asdict(self.speed),
        }

    def _describe_pointing(self) -> str:
        lost, count = self.unreadable, len(self.clicks)
        if self.is_mostly_unreadable:
            said = " ".join(lost[0].reply.text.split())[:120]
            return Message(
                "checkup.mostly_unreadable",
                lost=len(lost),
                total=count,
                dialect=dialect_label(self.subject.settings.dialect),
                reply=said,
                reason=lost[0].trouble,
            )
        hit, distance = count_hits(self.clicks), f"{median_distance_px(self.clicks):.0f}"
        found = Message("checkup.hits", hits=hit, total=count, distance=distance)
        unreadable = Message("checkup.unreadable", count=len(lost)) if lost else ""
        return sentences(found, unreadable)

    def _describe_counting(self) -> list[str]:
        if self.fit is None and self.is_mostly_unreadable:
            return [Message("checkup.other_format")]
        if self.fit is None:
            share = count_hits(self.clicks) / len(self.clicks)
            badly = share < USABLE_SHARE and not self.unreadable
            return [Message("checkup.points_badly")] if badly else []
        fit = self.fit
        space = Message("checkup.fits", space=fit.system.name, hits=fit.hits, total=fit.of)
        fix = _describe_fix(self.fix) if self.fix else Message("checkup.no_fix")
        return [space, fix]


def dialect_label(dialect: str) -> str:
    """Return the dialect's label in the settings page with its name for the command line."""
    label = next(label for name, label, _ in registry.names() if name == dialect)
    return Message("checkup.dialect", label=label, name=dialect)


def _describe_fix(fix: SuggestedFix) -> str:
    steps: list[Message] = []
    if "dialect" in fix.changes:
        steps.append(Message("checkup.fix_dialect", dialect=dialect_label(fix.settings.dialect)))
    if "screenshot_width" in fix.changes:
        steps.append(Message("checkup.fix_width", width=fix.changes["screenshot_width"]))
    if "initial_prompt" in fix.changes:
        steps.append(Message("checkup.fix_prompt"))
    tried = Message("checkup.fix_tried", hits=count_hits(fix.tried), total=len(fix.tried))
    return sentences(Message("checkup.fix", changes=steps), tried)


def _click_json(click: ClickResult) -> dict[str, Any]:
    target = click.target
    return {
        "word": target.word,
        "box": list(target[1:]),
        "at": click.at and [round(part, 1) for part in click.at],
        "meant": click.meant and [round(part, 1) for part in click.meant],
        "hit": click.hit,
        "off": None if click.distance_px is None else round(click.distance_px, 1),
        "trouble": click.trouble,
        "reply": click.reply.text[:500],
    }


def _fit_json(fit: Fit) -> dict[str, Any]:
    return {
        "words": fit.system.name,
        "hits": fit.hits,
        "of": fit.of,
        "off": round(fit.distance_px, 1),
    }


def _fix_json(fix: SuggestedFix) -> dict[str, Any]:
    return {
        "changes": fix.changes,
        "tried": len(fix.tried),
        "hits": count_hits(fix.tried),
        "words": _describe_fix(fix),
    }
