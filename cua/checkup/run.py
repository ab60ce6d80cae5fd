"""The whole check-up, one request after the other; what is found goes into a report.

A wrong space makes everything after it fail, so then the cure is tried and the skills are left for
the next check-up.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Protocol, runtime_checkable

from ..events import EventLog
from ..rig import Boot, computer
from ..types import CuaError, Done, FormatError, ModelError
from ..wording import describe
from .clicks import hits, median_off, shoot
from .cures import Cure, cures
from .readings import Readings, readings
from .report import VERDICTS, Report, label
from .skills import SKILLS, Outcome, attempt, scenario
from .spaces import Fit, better, fit
from .speed import measured
from .subject import Answer, Subject, Talk, talking
from .targets import Target, drawn, targets

SMALL = (320, 180)
TRIES, TRIED_ON = 2, 3
"""How many cures are tried, and on how many targets each."""
REQUESTS = 1 + 12 + 1 + len(SKILLS)
"""How many there are at least, for the progress."""


@runtime_checkable
class Lists(Protocol):
    """A model whose server tells what it has."""

    async def list_models(self) -> list[str]:
        """Raises `ModelError`."""


class Checkup:
    """`seed` chooses places and order of the targets; progress goes to the log as `checkup`.

    Raises `CuaError` for an unknown dialect.
    """

    def __init__(self, subject: Subject, log: EventLog, boot: Boot, seed: int) -> None:
        self._subject, self._log, self._boot = subject, log, boot
        self._report = Report(subject, seed, subject.sent(subject.manner))
        self._done = 0

    async def run(self) -> Report:
        """Raises nothing that a model or its server can cause: that is what the report is for."""
        self._tell("started", f"Check-up of {self._subject.name}.")
        try:
            await self._examine()
        except CuaError as error:
            self._report.trouble = str(error)
        await self._show()
        return self._report

    async def _examine(self) -> None:
        async with talking(self._subject, self._subject.manner) as talk:
            hello = await self._reach(talk)
            for target in targets(self._report.seed, self._subject.screen):
                await self._point(talk, target)
            await self._measure(talk, hello)
            found = await asyncio.to_thread(self._read)
            self._report.fit = await asyncio.to_thread(self._other_way, found)
            if self._report.fit:
                self._report.raw = found.raw
                await self._cure(self._report.fit, found)
            elif len(self._report.unreadable) <= len(self._report.shots) / 2:
                await self._try_skills(talk, hello)

    # --- 1: is it there? ------------------------------------------------------------------------

    async def _reach(self, talk: Talk) -> Answer:
        if isinstance(talk.model, Lists):
            try:
                self._report.offered = await talk.model.list_models()
                self._tell("progress", f"It offers {_few(self._report.offered)}.")
            except ModelError as error:  # some servers have no list; the request itself decides
                self._tell("progress", f"No list of models: {error}")
        goal = "Nothing is to be done here: just report that the task is done."
        answer = await talk.ask(goal, await asyncio.to_thread(drawn, SMALL, ()), SMALL)
        self._step(f"It answers, after {answer.reply.seconds:.1f} s.")
        return answer

    # --- 2: does it point where it means? -------------------------------------------------------

    async def _point(self, talk: Talk, target: Target) -> None:
        shot = await shoot(talk, target)
        self._report.shots.append(shot)
        self._step(f"Target “{target.word}”, {target.w} x {target.h}: {shot.words}")

    def _read(self) -> Readings:
        replies = [shot.reply for shot in self._report.shots]
        return readings(replies, self._subject.manner.dialect)

    def _other_way(self, found: Readings) -> Fit | None:
        """How else it counts, if its clicks fit that clearly better than the way in force."""
        subject, asked = self._subject, [shot.target for shot in self._report.shots]
        best = fit(found.raw, asked, subject.screen, self._report.sent)
        now = hits(self._report.shots), median_off(self._report.shots)
        return best if best and better(best, *now) else None

    async def _cure(self, best: Fit, found: Readings) -> None:
        likely = cures(best.way, self._subject, found.understood)
        for cure in await asyncio.to_thread(lambda: list(islice(likely, TRIES))):
            tried = await self._tried(cure)
            if self._report.cure is None or tried.proven:
                self._report.cure = tried
            if tried.proven:
                return

    async def _tried(self, cure: Cure) -> Cure:
        asked = [shot.target for shot in self._report.shots]
        tried = []
        async with talking(self._subject, cure.manner) as talk:
            for target in sorted(asked, key=lambda each: -each.w)[:TRIED_ON]:
                shot = await shoot(talk, target)
                tried.append(shot)
                self._step(f"With {label(cure.manner.dialect)}, “{target.word}”: {shot.words}")
        return Cure(cure.manner, tuple(tried))

    # --- 3: what else can it do? ----------------------------------------------------------------

    async def _try_skills(self, talk: Talk, hello: Answer) -> None:
        screen = self._subject.screen
        self._report.skills.append(_finished(talk, hello))
        try:
            async with computer(self._boot, screen, scenario(screen), talk.fit) as there:
                for skill in SKILLS:
                    outcome = await attempt(skill, talk, there)
                    self._report.skills.append(outcome)
                    self._step(f"To {skill.name}: {'works.' if outcome.worked else outcome.words}")
        except ModelError:
            raise
        except CuaError as error:  # the virtual computer's own; no fault of the model
            self._report.untried = str(error)

    # --- 4: how fast is it? ---------------------------------------------------------------------

    async def _measure(self, talk: Talk, hello: Answer) -> None:
        shots = self._report.shots
        again = await shoot(talk, shots[-1].target)
        full = [Answer(shot.reply, shot.sent) for shot in shots]
        self._report.speed = measured(hello, full, again.reply)
        self._step("The same request again, to see whether the server remembers.")

    # --- what is told ---------------------------------------------------------------------------

    def _step(self, text: str) -> None:
        self._done += 1
        self._tell("progress", text)

    def _tell(self, phase: str, text: str) -> None:
        of = max(REQUESTS, self._done)
        self._log.append("checkup", phase=phase, text=text, done=self._done, of=of)

    async def _show(self) -> None:
        report = self._report
        asked = [shot.target for shot in report.shots]
        jpeg = await asyncio.to_thread(drawn, self._subject.screen, asked)
        text = " ".join([f"{VERDICTS[report.verdict()]}.", *report.reasons()])
        event = self._log.append(
            "checkup", jpeg, phase="report", text=text, report=report.as_json()
        )
        report.picture = event.seq


def _few(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{', '.join(names[:8])}{more}" if names else "no models"


def _finished(talk: Talk, hello: Answer) -> Outcome:
    try:
        turn = talk.dialect.parse(*hello)
    except FormatError as error:
        return Outcome("finish", worked=False, words=str(error))
    did = "; ".join(describe(action, *hello.sent) for action in turn.actions)
    worked = isinstance(turn.actions[-1], Done)
    return Outcome("finish", worked, "" if worked else f"Instead: {did}.")
