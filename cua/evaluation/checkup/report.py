"""All that a check-up found, and the verdict on it in words."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...dialects import registry
from ...messages import Message, sentences
from ..testbed import Size
from .clicks import ClickResult, hits, median_off
from .cures import Remedy
from .readings import Raw
from .skills import Outcome
from .spaces import Fit
from .speed import Speed
from .subject import ModelUnderTest

Verdict = Literal["ready", "care", "unusable"]
VERDICTS: dict[Verdict, Message] = {
    "ready": Message("checkup.ready"),
    "care": Message("checkup.care"),
    "unusable": Message("checkup.unusable"),
}
READY, USABLE = 0.9, 0.6
"""Parts of the targets that have to be hit."""


@dataclass
class Report:
    """Filled while the check-up goes on.

    `sent` is the size of the screenshots, `raw` the numbers of each click where they fit another
    way of counting; `trouble` is what ended it early, `untried` why not all
    skills could be tried; `picture` is the number of the event with all targets on one screen.
    """

    subject: ModelUnderTest
    seed: int
    sent: Size
    at: float = field(default_factory=time.time)
    offered: list[str] = field(default_factory=list)
    clicks: list[ClickResult] = field(default_factory=list)
    fit: Fit | None = None
    raw: list[Raw | None] = field(default_factory=list)
    cure: Remedy | None = None
    skills: list[Outcome] = field(default_factory=list)
    speed: Speed | None = None
    trouble: str = ""
    untried: str = ""
    picture: int = 0

    @property
    def unreadable(self) -> list[ClickResult]:
        return [click for click in self.clicks if click.at is None]

    def verdict(self) -> Verdict:
        share = hits(self.clicks) / len(self.clicks) if self.clicks else 0
        failed = [skill for skill in self.skills if not skill.worked]
        if self.trouble or share < USABLE or len(failed) > len(self.skills) / 2:
            return "unusable"
        flawed = failed or self.untried or self.fit or share < READY
        return "care" if flawed else "ready"

    def reasons(self) -> list[str]:
        """Sentences, the weightiest first."""
        if self.trouble:
            return [self.trouble]
        words = [self._pointing(), *self._counting()]
        words += [each.text for each in self.skills if not each.worked]
        if self.untried:
            words.append(Message("checkup.untried", reason=self.untried))
        elif self.skills and all(each.worked for each in self.skills):
            words.append(Message("checkup.can", skills=[each.name for each in self.skills]))
        return words

    def as_json(self) -> dict[str, Any]:
        subject, off = self.subject, median_off(self.clicks)
        return {
            "at": round(self.at),
            "model": subject.name,
            "dialect": subject.manner.dialect,
            "screen": list(subject.screen),
            "sent": list(self.sent),
            "seed": self.seed,
            "verdict": self.verdict(),
            "words": VERDICTS[self.verdict()],
            "reasons": self.reasons(),
            "offered": self.offered,
            "clicks": [
                {**_shot(click), "meant": meant}
                for click, meant in zip(self.clicks, self._meant(), strict=True)
            ],
            "hits": hits(self.clicks),
            "off": None if off is None else round(off, 1),
            "fit": self.fit and _fit(self.fit),
            "cure": self.cure and _cure(self.cure, subject),
            "skills": [_skill(each) for each in self.skills],
            "speed": self.speed and asdict(self.speed),
        }

    def _meant(self) -> list[list[float] | None]:
        """Where the clicks are in the way that fits them; nothing where none fits better."""
        if self.fit is None:
            return [None] * len(self.clicks)
        way, screen = self.fit.way, self.subject.screen
        places = [way.place(raw, screen) if raw else None for raw in self.raw]
        return [[round(part, 1) for part in place] if place else None for place in places]

    def _pointing(self) -> str:
        lost, count, off = self.unreadable, len(self.clicks), median_off(self.clicks)
        if len(lost) > count / 2:
            said = " ".join(lost[0].reply.text.split())[:120]
            return Message(
                "checkup.mostly_unreadable",
                lost=len(lost),
                total=count,
                dialect=dialect_label(self.subject.manner.dialect),
                reply=said,
                reason=lost[0].trouble,
            )
        hit, distance = hits(self.clicks), f"{off:.0f}"
        found = Message("checkup.hits", hits=hit, total=count, distance=distance)
        unreadable = Message("checkup.unreadable", count=len(lost)) if lost else ""
        return sentences(found, unreadable)

    def _counting(self) -> list[str]:
        if self.fit is None:
            share = hits(self.clicks) / len(self.clicks)
            badly = share < USABLE and not self.unreadable
            return [Message("checkup.points_badly")] if badly else []
        fit = self.fit
        space = Message("checkup.fits", space=fit.way.name, hits=fit.hits, total=fit.of)
        return [
            space,
            _advice(self.cure, self.subject) if self.cure else Message("checkup.no_cure"),
        ]


def dialect_label(dialect: str) -> str:
    """Return its name in the settings page, and its name for the command line."""
    label = next(label for name, label, _ in registry.names() if name == dialect)
    return Message("checkup.dialect", label=label, name=dialect)


def _advice(cure: Remedy, subject: ModelUnderTest) -> str:
    changes = cure.changes(subject.manner)
    steps: list[Message] = []
    if "dialect" in changes:
        steps.append(Message("checkup.cure_dialect", dialect=dialect_label(cure.manner.dialect)))
    if "screenshot_width" in changes:
        steps.append(Message("checkup.cure_width", width=changes["screenshot_width"]))
    if "initial_prompt" in changes:
        steps.append(Message("checkup.cure_prompt"))
    hit, total = hits(cure.tried), len(cure.tried)
    tried = Message("checkup.cure_tried", hits=hit, total=total) if total else ""
    return sentences(Message("checkup.cure", changes=steps), tried)


def _shot(click: ClickResult) -> dict[str, Any]:
    target = click.target
    return {
        "word": target.word,
        "box": list(target[1:]),
        "at": click.at and [round(part, 1) for part in click.at],
        "hit": click.hit,
        "off": None if click.off is None else round(click.off, 1),
        "trouble": click.trouble,
        "reply": click.reply.text[:500],
    }


def _skill(skill: Outcome) -> dict[str, Any]:
    return {"name": skill.name, "worked": skill.worked, "words": skill.trouble}


def _fit(fit: Fit) -> dict[str, Any]:
    return {"words": fit.way.name, "hits": fit.hits, "of": fit.of, "off": round(fit.off, 1)}


def _cure(cure: Remedy, subject: ModelUnderTest) -> dict[str, Any]:
    return {
        "changes": cure.changes(subject.manner),
        "tried": len(cure.tried),
        "hits": hits(cure.tried),
        "words": _advice(cure, subject),
    }
