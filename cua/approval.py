"""Asks the person before an action that the gate stops, and lets only an answer to exactly it pass.

A question has a number and a digest of what it is about; an answer has to bring both, so that a
yes that comes late, twice or from an old page allows nothing. Nobody's answer is a no.

What stands in the line that an action goes on with is what the hands have done, whoever moved
them, and not what was allowed: that may have been held back, or cut off.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .events import EventLog
from .gate import Judge, Risk, Seen
from .patterns import Patterns
from .types import Busy, Deed, Frame, Keypress, Lapsed, Refusal, Step, Wait
from .within import within
from .wording import describe

PATIENCE = 120.0
"""Seconds that a question waits for its answer."""
Mode = Literal["risk", "always", "never"]


class Policy(NamedTuple):
    """When to ask, and the person's own words to ask on and to let pass."""

    mode: Mode = "risk"
    ask: Patterns = ()
    let_pass: Patterns = ()


class Words(NamedTuple):
    """What was read around the target of an action, and on it."""

    around: str = ""
    label: str = ""


NO_WORDS = Words()
Read = Callable[[Frame, Deed], Awaitable[Words]]


async def _unread(_frame: Frame, _action: Deed) -> Words:
    return NO_WORDS


@dataclass
class _Question:
    id: int
    digest: str
    answer: asyncio.Future[tuple[bool, str]] = field(repr=False)


class Approvals:
    """`types.Gate` for a session.

    `present` False: nobody is at the page. Then `elsewhere` asks in its own way, where there is
    one: it gets the question and returns the answer, None if it reaches nobody. Else it lapses.
    """

    def __init__(
        self,
        log: EventLog,
        policy: Callable[[], Policy],
        *,
        present: bool = True,
        patience: float = PATIENCE,
        read: Read = _unread,
    ) -> None:
        """`read` gives the words on the screen that an action is about, if they are known."""
        self._log, self._policy = log, policy
        self._patience, self._read = patience, read
        self.present = present
        self.elsewhere: Callable[[str], Awaitable[bool | None]] | None = None
        self._judge = Judge()
        self._open: _Question | None = None
        self._asked = 0
        self._allowed_line = ""

    async def admit(self, step: Step, action: Deed) -> Refusal | Lapsed | None:
        risk = await self._judged(step, action)
        if risk and not self._covers(risk, action):
            words = describe(action, step.frame.width, step.frame.height)
            about = {
                "step": step.number,
                "frame": step.frame.seq,
                "action": action.model_dump(mode="json"),
            }
            stopped = await self.ask(words, risk, **about)
            if stopped is not None:
                return stopped
            step.allowed = action
        self._allowed_line = risk.line if risk else ""
        return None

    def follow(self, action: Deed, sure: bool = True) -> None:
        """See `hid.Follow`."""
        self._judge.note(action, sure=sure)

    def disturbed(self) -> None:
        """Somebody else was at the keys: what they did there nobody knows."""
        self._judge.disturb()

    def forget(self) -> None:
        """It is another computer from now on."""
        self._judge = Judge()
        self._allowed_line = ""

    async def ask(self, words: str, risk: Risk, **about: Any) -> Refusal | Lapsed | None:
        """Put one question to the person, and wait. `about` is what exactly is asked for."""
        question = self._put(words, risk, about)
        try:
            if self.present:
                return await self._answered(question)
            return await self._answered_elsewhere(question, f"{words}? {risk.why}")
        except BaseException:
            self._close(question, "withdrawn")
            raise
        finally:
            self._open = None

    def answer(self, id: int, digest: str, *, allow: bool, reason: str = "") -> None:
        """Raises `Busy` unless exactly this question is open."""
        question = self._open
        if question is None or (id, digest) != (question.id, question.digest):
            raise Busy("That question is no longer open. Look at what is asked now.")
        if not question.answer.done():
            question.answer.set_result((allow, reason.strip()))

    async def _judged(self, step: Step, action: Deed) -> Risk | None:
        """First without the words on the screen: to read them takes time."""
        seen = Seen(said=step.turn.thought, caution=step.turn.caution) if step.turn else Seen()
        risk = await asyncio.to_thread(self._risk, action, seen)
        if risk or self._policy().mode == "never":
            return risk
        words = await self._read(step.frame, action)
        if words == NO_WORDS:
            return None
        seen = seen._replace(screen=words.around, label=words.label)
        return await asyncio.to_thread(self._risk, action, seen)

    def _risk(self, action: Deed, seen: Seen) -> Risk | None:
        policy = self._policy()
        risk = self._judge.risk(action, seen, policy.ask, policy.let_pass)
        if risk and (risk.always or policy.mode != "never"):
            return risk
        if policy.mode == "always" and not isinstance(action, Wait):
            return Risk("every action", "You want to be asked about every action.")
        return None

    def _covers(self, risk: Risk, action: Deed) -> bool:
        """The Enter right after a line that was allowed, and is still that line, belongs to it."""
        return (
            isinstance(action, Keypress)
            and self._policy().mode != "always"
            and risk.commits
            and bool(risk.line)
            and risk.line == self._allowed_line
        )

    def _put(self, words: str, risk: Risk, about: dict[str, Any]) -> _Question:
        self._asked += 1
        digest = hashlib.sha256(
            json.dumps([self._log.boot, self._asked, words, about], sort_keys=True).encode()
        ).hexdigest()
        answer: asyncio.Future[tuple[bool, str]] = asyncio.get_running_loop().create_future()
        question = _Question(self._asked, digest, answer)
        seconds = self._patience if self.present else 0
        told = {"words": words, "rule": risk.rule, "why": risk.why, "seconds": seconds, **about}
        self._open = question
        self._log.append("approval", id=question.id, digest=digest, **told)
        return question

    async def _answered(self, question: _Question) -> Refusal | Lapsed | None:
        await asyncio.wait([question.answer], timeout=self._patience)
        if not question.answer.done():
            return self._lapse(question, self._too_late)
        return self._decide(question, *question.answer.result())

    async def _answered_elsewhere(self, question: _Question, words: str) -> Refusal | Lapsed | None:
        try:
            async with within(self._patience):
                allow = await self.elsewhere(words) if self.elsewhere else None
        except asyncio.TimeoutError:
            return self._lapse(question, self._too_late)
        if allow is None:
            return self._lapse(question, "Nobody is here to allow it.")
        return self._decide(question, allow, "")

    @property
    def _too_late(self) -> str:
        return f"Nobody allowed it within {self._patience:g} s."

    def _decide(self, question: _Question, allow: bool, reason: str) -> Refusal | None:
        self._close(question, "allowed" if allow else "refused", reason)
        if allow:
            return None
        return Refusal(f"The person refused it: {reason}" if reason else "The person refused it.")

    def _lapse(self, question: _Question, words: str) -> Lapsed:
        self._close(question, "lapsed")
        return Lapsed(words)

    def _close(self, question: _Question, answer: str, reason: str = "") -> None:
        self._log.append("answered", id=question.id, answer=answer, reason=reason)


class Unattended:
    """`types.Gate` where nothing can be harmed: the virtual computers of check-ups and tests."""

    async def admit(self, step: Step, action: Deed) -> None:  # noqa: ARG002
        return None
