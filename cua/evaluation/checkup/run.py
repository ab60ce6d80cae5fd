"""The whole check-up, one request after the other; the results go into a report.

In a wrong coordinate system everything else fails. Then a fix is tried instead, and the skills are
left for the next check-up.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice

from ...events.log import EventLog
from ...kvms.simulated_computer import SimulatedComputer
from ...messages import Message, sentences, sentences_of
from ...types import CuaError, Done, FormatError, ModelError
from ...types.describe import describe
from ..testbed import Boot, open_computer
from .clicks import RawClicks, ask_click, count_hits, median_distance_px, read_clicks
from .coordinate_systems import Fit, find_fit, is_better
from .fixes import SuggestedFix, find_changes, suggest_fixes
from .model_under_test import (
    Answer,
    Conversation,
    ModelUnderTest,
    RequestSettings,
    open_conversation,
)
from .report import Report, dialect_label
from .skills import SKILLS, SkillResult, build_scenario, try_skill
from .speed import measure_speed
from .targets import Target, draw_screen, place_targets

MAX_FIXES, TARGETS_PER_FIX = 2, 3
"""Number of fixes to try, and of targets for each."""
MIN_REQUESTS = 1 + 12 + 1 + len(SKILLS)
"""Number of requests without fixes, for the progress."""


class Checkup:
    """`seed` chooses places and order of the targets; progress is logged as `checkup`.

    Raises `CuaError` for an unknown dialect.
    """

    def __init__(
        self, subject: ModelUnderTest, log: EventLog, seed: int, boot: Boot = SimulatedComputer
    ) -> None:
        self._subject, self._log, self._boot = subject, log, boot
        self._report = Report(subject, seed, subject.sent(subject.settings))
        self._done = 0

    async def run(self) -> Report:
        """Do the check-up; errors of the model and its server go into the report."""
        self._log_progress("started", Message("checkup.started", model=self._subject.name))
        try:
            await self._examine()
        except CuaError as error:
            self._report.trouble = error.message
        await self._log_report()
        return self._report

    async def _examine(self) -> None:
        async with open_conversation(self._subject, self._subject.settings) as conversation:
            hello = await conversation.ask_small()
            self._advance(Message("checkup.answered", seconds=f"{hello.reply.seconds:.1f}"))
            for target in place_targets(self._report.seed, self._subject.screen):
                await self._ask_click(conversation, target)
            await self._measure(conversation, hello)
            replies = [click.reply for click in self._report.clicks]
            found = await asyncio.to_thread(read_clicks, replies, self._subject.settings.dialect)
            fit = self._report.fit = await asyncio.to_thread(self._find_other_system, found)
            if fit:
                self._report.clicks = [
                    replace(click, meant=raw and fit.system.to_pixels(raw, self._subject.screen))
                    for click, raw in zip(self._report.clicks, found.raw, strict=True)
                ]
                await self._suggest_fix(fit, found)
            elif not self._report.is_mostly_unreadable:
                await self._try_skills(conversation, hello)

    # --- does it point where it means? ----------------------------------------------------------

    async def _ask_click(self, conversation: Conversation, target: Target) -> None:
        click = await ask_click(conversation, target)
        self._report.clicks.append(click)
        word, _, _, w, h = target
        text = Message("checkup.target", word=word, width=w, height=h, result=click.description)
        self._advance(text)

    def _find_other_system(self, found: RawClicks) -> Fit | None:
        """Return the fit of another system, if it is clearly better than the current one."""
        subject, asked = self._subject, [click.target for click in self._report.clicks]
        best = find_fit(found.raw, asked, subject.screen, self._report.sent)
        now = count_hits(self._report.clicks), median_distance_px(self._report.clicks)
        return best if best and is_better(best, *now) else None

    async def _suggest_fix(self, best: Fit, found: RawClicks) -> None:
        likely = suggest_fixes(best.system, self._subject, found.understood)
        for settings in await asyncio.to_thread(lambda: list(islice(likely, MAX_FIXES))):
            tried = await self._try_settings(settings)
            if self._report.fix is None or tried.is_proven:
                self._report.fix = tried
            if tried.is_proven:
                return

    async def _try_settings(self, settings: RequestSettings) -> SuggestedFix:
        asked = [click.target for click in self._report.clicks]
        name, tried = dialect_label(settings.dialect), []
        async with open_conversation(self._subject, settings) as conversation:
            for target in sorted(asked, key=lambda each: -each.w)[:TARGETS_PER_FIX]:
                click = await ask_click(conversation, target)
                tried.append(click)
                word, result = target.word, click.description
                self._advance(Message("checkup.tried", dialect=name, word=word, result=result))
        return SuggestedFix(settings, find_changes(self._subject.settings, settings), tried)

    # --- what else can it do? -------------------------------------------------------------------

    async def _try_skills(self, conversation: Conversation, hello: Answer) -> None:
        screen = self._subject.screen
        self._report.skills.append(_check_finish(conversation, hello))
        try:
            async with open_computer(
                self._boot, screen, build_scenario(screen), conversation.sent_size
            ) as there:
                for skill in SKILLS:
                    outcome = await try_skill(skill, conversation, there)
                    self._report.skills.append(outcome)
                    self._advance(outcome.text)
        except ModelError:
            raise
        except CuaError as error:  # from the simulated computer, not from the model
            self._report.skills_error = error.message

    # --- how fast is it? ------------------------------------------------------------------------

    async def _measure(self, conversation: Conversation, hello: Answer) -> None:
        clicks = self._report.clicks
        again = await ask_click(conversation, clicks[-1].target)
        full = [Answer(click.reply, click.sent) for click in clicks]
        self._report.speed = measure_speed(hello, full, again.reply)
        self._advance(Message("checkup.repeated"))

    # --- progress -------------------------------------------------------------------------------

    def _advance(self, text: str) -> None:
        self._done += 1
        self._log_progress("progress", text)

    def _log_progress(self, phase: str, text: str) -> None:
        of = max(MIN_REQUESTS, self._done)
        self._log.append("checkup", phase=phase, text=text, done=self._done, of=of)

    async def _log_report(self) -> None:
        report = self._report
        asked = [click.target for click in report.clicks]
        jpeg = await asyncio.to_thread(draw_screen, self._subject.screen, asked)
        text = sentences(*report.reasons())
        event = self._log.append(
            "checkup", jpeg, phase="report", text=text, report=report.as_json()
        )
        report.picture = event.seq


def _check_finish(conversation: Conversation, hello: Answer) -> SkillResult:
    name = Message("checkup.skill_finish")
    try:
        parsed = conversation.dialect.parse(*hello)
    except FormatError as error:
        return SkillResult(name, worked=False, trouble=sentences_of(error.message)[0])
    if isinstance(parsed.actions[-1], Done):
        return SkillResult(name, worked=True)
    did = [describe(action, *hello.sent) for action in parsed.actions]
    return SkillResult(name, worked=False, trouble=Message("checkup.instead", actions=did))
