"""All that a check-up found, and the verdict on it in words."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .. import dialects
from ..rig import Size
from .clicks import Shot, hits, median_off
from .cures import Cure
from .readings import Raw
from .skills import Outcome
from .spaces import Fit
from .speed import Speed
from .subject import Subject

Verdict = Literal["ready", "care", "unusable"]
VERDICTS: dict[Verdict, str] = {
    "ready": "Ready",
    "care": "Usable with care",
    "unusable": "Not usable",
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

    subject: Subject
    seed: int
    sent: Size
    at: float = field(default_factory=time.time)
    offered: list[str] = field(default_factory=list)
    shots: list[Shot] = field(default_factory=list)
    fit: Fit | None = None
    raw: list[Raw | None] = field(default_factory=list)
    cure: Cure | None = None
    skills: list[Outcome] = field(default_factory=list)
    speed: Speed | None = None
    trouble: str = ""
    untried: str = ""
    picture: int = 0

    @property
    def unreadable(self) -> list[Shot]:
        return [shot for shot in self.shots if shot.at is None]

    def verdict(self) -> Verdict:
        share = hits(self.shots) / len(self.shots) if self.shots else 0
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
        words += [f"Cannot {each.name}: {each.words}" for each in self.skills if not each.worked]
        if self.untried:
            words.append(f"Not all skills could be tried: {self.untried}")
        elif self.skills and all(each.worked for each in self.skills):
            words.append(f"It can {', '.join(each.name for each in self.skills)}.")
        return words

    def as_json(self) -> dict[str, Any]:
        subject, off = self.subject, median_off(self.shots)
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
                {**_shot(shot), "meant": meant}
                for shot, meant in zip(self.shots, self._meant(), strict=True)
            ],
            "hits": hits(self.shots),
            "off": None if off is None else round(off, 1),
            "fit": self.fit and _fit(self.fit),
            "cure": self.cure and _cure(self.cure, subject),
            "skills": [asdict(each) for each in self.skills],
            "speed": self.speed and asdict(self.speed),
        }

    def _meant(self) -> list[list[float] | None]:
        """Where the clicks are in the way that fits them; nothing where none fits better."""
        if self.fit is None:
            return [None] * len(self.shots)
        way, screen = self.fit.way, self.subject.screen
        places = [way.place(raw, screen) if raw else None for raw in self.raw]
        return [[round(part, 1) for part in place] if place else None for place in places]

    def _pointing(self) -> str:
        lost, count, off = self.unreadable, len(self.shots), median_off(self.shots)
        if len(lost) > count / 2:
            said = " ".join(lost[0].reply.text.split())[:120]
            return (
                f"{len(lost)} of {count} replies were no click in the dialect "
                f"{label(self.subject.manner.dialect)}. The first said “{said}”: {lost[0].trouble}"
            )
        words = f"{hits(self.shots)} of {count} targets were hit, {off:.0f} px off in the median."
        return " ".join([words, *([f"{len(lost)} replies were no click."] if lost else [])])

    def _counting(self) -> list[str]:
        if self.fit is None:
            share = hits(self.shots) / len(self.shots)
            return [_ELSEWHERE] if share < USABLE and not self.unreadable else []
        counts = f"Its clicks fit {self.fit.way.words}: {self.fit.hits} of {self.fit.of} would hit."
        return [counts, _advice(self.cure, self.subject) if self.cure else _NO_CURE]


_ELSEWHERE = (
    "The misses fit no other way of counting, so no setting helps: it points badly. Use another "
    "model, or a smaller screen."
)
_NO_CURE = (
    "No dialect here counts in this way: choose one with fractions or thousandths that the model "
    "follows, or give the computer's screen the size that the model counts in."
)


def label(dialect: str) -> str:
    """As the settings call it, and as the command wants it."""
    return next(f"{words} ({name})" for name, words, _ in dialects.names() if name == dialect)


def _advice(cure: Cure, subject: Subject) -> str:
    changes = cure.changes(subject.manner)
    steps = []
    if "dialect" in changes:
        steps.append(f"the dialect {label(cure.manner.dialect)}")
    if "screenshot_width" in changes:
        steps.append(f"the screenshot width {changes['screenshot_width']}")
    if "initial_prompt" in changes:
        steps.append("the dialect's own prompt")
    tried = [f"Tried: {hits(cure.tried)} of {len(cure.tried)} hit."] if cure.tried else []
    return " ".join([f"The cure: {', '.join(steps)}.", *tried])


def _shot(shot: Shot) -> dict[str, Any]:
    target = shot.target
    return {
        "word": target.word,
        "box": list(target[1:]),
        "at": shot.at and [round(part, 1) for part in shot.at],
        "hit": shot.hit,
        "off": None if shot.off is None else round(shot.off, 1),
        "trouble": shot.trouble,
        "reply": shot.reply.text[:500],
    }


def _fit(fit: Fit) -> dict[str, Any]:
    words = fit.way.words
    return {"words": words, "hits": fit.hits, "of": fit.of, "off": round(fit.off, 1)}


def _cure(cure: Cure, subject: Subject) -> dict[str, Any]:
    return {
        "changes": cure.changes(subject.manner),
        "tried": len(cure.tried),
        "hits": hits(cure.tried),
        "words": _advice(cure, subject),
    }
