"""Asks the person for approval of risky actions.

A question has a number and a digest of its action. An answer must name both, so that a late or
repeated answer, or one from an old page, approves nothing.

The rules see the line that was really typed, by the agent or the person. What was approved may not
have been typed, or only in part.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..events.log import EventLog
from ..messages import Message, sentences
from ..settings.word_list import Patterns
from ..timeouts import within
from ..types import (
    ApprovalTimeout,
    Busy,
    Click,
    Drag,
    Frame,
    InputAction,
    Keypress,
    Refusal,
    Step,
    Type,
    Wait,
)
from ..types.describe import describe, describe_briefly, shorten_label
from .rules import NOTHING, Risk, RiskRules, ScreenEvidence, chords

ANSWER_TIMEOUT_S = 120.0


class Policy(NamedTuple):
    """When to ask. `ask`, `let_pass`: the person's own patterns that need or need no approval."""

    mode: Literal["risk", "always", "never"] = "risk"
    ask: Patterns = ()
    let_pass: Patterns = ()


ReadTarget = Callable[[Frame, InputAction], Awaitable[ScreenEvidence]]
"""Reads the text on and around the target of an action."""


async def _read_nothing(_frame: Frame, _action: InputAction) -> ScreenEvidence:
    return NOTHING


@dataclass
class _Question:
    id: int
    digest: str
    words: str
    answer: asyncio.Future[tuple[bool, str]]
    asked_at: float = field(default_factory=time.monotonic)


class Approvals:
    """`types.ApprovalGate` for a session.

    `look` takes the screenshot that a question shows: actions of the step may have changed the
    screen since its own. `has_page` False: there is no page. Then `ask_externally`, if set, asks
    and returns the answer, or None if it reaches no person. Without it the question expires.
    """

    def __init__(
        self,
        log: EventLog,
        policy: Callable[[], Policy],
        *,
        timeout_s: float = ANSWER_TIMEOUT_S,
        read: ReadTarget = _read_nothing,
        look: Callable[[], Awaitable[Frame]] | None = None,
    ) -> None:
        self._log, self._policy = log, policy
        self._timeout_s, self._read, self._look = timeout_s, read, look
        self.has_page = True
        self.ask_externally: Callable[[str], Awaitable[bool | None]] | None = None
        self._rules = RiskRules()
        self._open: _Question | None = None
        self._asked = 0
        self._waited_s = 0.0
        """Of the questions before the open one."""
        self._allowed_line = ""
        self._target: tuple[InputAction | None, str] = None, ""
        """The action that was admitted last, and the text on its target."""
        self._clicked = ""
        """The text on the target of the last click; "" once keys may go elsewhere."""

    @property
    def waited_s(self) -> float:
        open_s = time.monotonic() - self._open.asked_at if self._open else 0.0
        return self._waited_s + open_s

    async def admit(self, step: Step, action: InputAction) -> Refusal | ApprovalTimeout | None:
        risk = await self._find_risk(step, action)
        if risk and not self._is_approved(risk, action):
            if stopped := await self._ask(step, action, risk):
                return stopped
            step.allowed = action
        if not isinstance(action, Wait):
            self._allowed_line = risk.line if risk else ""
        self._target = action, step.label
        return None

    def _describe_place(self, action: InputAction) -> str:
        """Say where keys go; "" if unknown."""
        if not self._clicked or not isinstance(action, (Type, Keypress)):
            return ""
        return Message("approval.after_click", label=shorten_label(self._clicked))

    async def find_manual_risk(self, action: InputAction) -> str:
        """Return why the rules ask about a manual action, or ""."""
        risk = await asyncio.to_thread(self._judge_by_rules, action, NOTHING)
        return risk.why if risk else ""

    def note_performed(self, action: InputAction, sure: bool) -> None:
        """See `hid.inputs.OnPerformed`."""
        self._rules.note(action, sure=sure)
        if isinstance(action, Click):
            admitted, label = self._target
            self._clicked = label if action is admitted else ""
        elif not _stays_in_field(action):
            self._clicked = ""

    def forget_click(self) -> None:
        """Forget what was clicked before a run: another window may be in front."""
        self._clicked = ""

    def leave_line(self) -> None:
        """Mark the typed line as unknown, after keyboard input that is not ours."""
        self._rules.leave_line()
        self._allowed_line = self._clicked = ""

    def forget(self) -> None:
        """Forget what was typed: another computer is connected."""
        self._rules = RiskRules()
        self._allowed_line = self._clicked = ""

    async def _ask(
        self, step: Step, action: InputAction, risk: Risk
    ) -> Refusal | ApprovalTimeout | None:
        question = await self._open_question(step, action, risk)
        answer, reason, lapsed = "withdrawn", "", Message("approval.unattended")
        try:
            async with within(self._timeout_s):
                answer, reason = await self._wait(question)
        except asyncio.TimeoutError:
            answer, lapsed = "lapsed", Message("approval.timeout", seconds=f"{self._timeout_s:g}")
        finally:
            self._waited_s, self._open = self.waited_s, None
            self._log.append("answered", id=question.id, answer=answer, reason=reason)
        if answer == "lapsed":
            return ApprovalTimeout(lapsed)
        if answer == "allowed":
            return None
        why = Message("approval.refused_why", reason=reason.rstrip(".。")) if reason else ""
        return Refusal(why or Message("approval.refused"), reason)

    def answer(self, id: int, digest: str, *, allow: bool, reason: str = "") -> None:
        """Answer a question. Raises `Busy` unless exactly this one is open."""
        question = self._open
        if (
            question is None
            or question.answer.done()
            or (id, digest) != (question.id, question.digest)
        ):
            raise Busy(Message("approval.not_open"))
        question.answer.set_result((allow, reason.strip()))

    async def _find_risk(self, step: Step, action: InputAction) -> Risk | None:
        """Judge an action; read the screen, which is slow, only for clicks or without a risk."""
        step.label = step.parsed.label if isinstance(action, (Click, Keypress)) else ""
        reply = step.parsed
        seen = ScreenEvidence(thought=reply.thought, caution=reply.caution, label=step.label)
        risk = await asyncio.to_thread(self._judge_action, action, seen)
        if self._policy().mode == "never" or (risk and not isinstance(action, (Click, Drag))):
            return risk
        found = await self._read(step.frame, action)
        step.label = step.label or found.label  # of a field its content would be read
        if risk or found == NOTHING:
            return risk
        seen = seen._replace(screen=found.screen, label=step.label)
        return await asyncio.to_thread(self._judge_action, action, seen)

    def _judge_action(self, action: InputAction, seen: ScreenEvidence) -> Risk | None:
        risk = self._judge_by_rules(action, seen)
        if not risk and self._policy().mode == "always" and not isinstance(action, Wait):
            return Risk("every action", Message("approval.every_action"))
        return risk

    def _judge_by_rules(self, action: InputAction, seen: ScreenEvidence) -> Risk | None:
        policy = self._policy()
        risk = self._rules.find_risk(action, seen, policy.ask, policy.let_pass)
        return risk if risk and (risk.always or policy.mode != "never") else None

    def _is_approved(self, risk: Risk, action: InputAction) -> bool:
        """Whether the action only enters an allowed line that has not changed since."""
        return (
            isinstance(action, Keypress)
            and self._policy().mode != "always"
            and risk.commits
            and bool(risk.line)
            and risk.line == self._allowed_line
        )

    async def _open_question(self, step: Step, action: InputAction, risk: Risk) -> _Question:
        words = describe(action, *step.frame.size)
        frame = await self._look() if self._look else step.frame
        self._asked += 1
        data = {
            "id": self._asked,
            "words": words,
            "rule": risk.rule,
            "why": risk.why,
            "seconds": self._timeout_s if self.has_page else 0,
            "step": step.number,
            "frame": frame.seq,
            "width": frame.width,
            "height": frame.height,
            "label": step.label,
            "brief": describe_briefly(action, step.label),
            "after": sentences(self._describe_place(action), _describe_rest(step, action)),
            "action": action.model_dump(mode="json"),
        }
        shown = json.dumps([self._log.boot, data], sort_keys=True)
        digest = hashlib.sha256(shown.encode()).hexdigest()
        answer: asyncio.Future[tuple[bool, str]] = asyncio.get_running_loop().create_future()
        self._open = _Question(self._asked, digest, f"{words}? {risk.why}", answer)
        self._log.append("approval", frame.jpeg, digest=digest, **data)
        return self._open

    async def _wait(self, question: _Question) -> tuple[str, str]:
        """Return the answer ("lapsed" if no person can be asked) and the reason."""
        allow, reason = None, ""
        if self.has_page:
            allow, reason = await question.answer
        elif self.ask_externally:
            allow = await self.ask_externally(question.words)
        return {True: "allowed", False: "refused", None: "lapsed"}[allow], reason


def _describe_rest(step: Step, action: InputAction) -> str:
    """Say what else the step will do, as the model's words may be about that."""
    rest = [*itertools.dropwhile(lambda each: each is not action, step.parsed.actions)][1:]
    return Message("approval.then", actions=[*map(describe_briefly, rest)]) if rest else ""


def _stays_in_field(action: InputAction) -> bool:
    """Whether the next keys go to the same field as those of this action."""
    if isinstance(action, Keypress):
        return chords.get_name(action) in ("CTRL+A", "BACKSPACE", "DELETE")
    return isinstance(action, Type) and not {"\n", "\t"} & set(action.text)


class AllowAll:
    """`types.ApprovalGate` that allows everything, for simulated computers."""

    waited_s = 0.0

    async def admit(self, step: Step, action: InputAction) -> None:  # noqa: ARG002
        return None
