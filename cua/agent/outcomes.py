"""The outcomes that the loop itself gives to a step."""

from __future__ import annotations

from ..messages import Message, sentences
from ..types import (
    ActionError,
    ApprovalTimeout,
    Ask,
    Done,
    Fail,
    FormatError,
    Outcome,
    OutcomeKind,
    Refusal,
    RunState,
    Step,
)
from .checks.check import Stop

MAX_FORMAT_ERRORS = 3
"""Replies in a row that cannot be parsed, after which the run fails."""
EXECUTED = Outcome("executed", Message("agent.executed"))
ENDED = {
    "done": Outcome("ended", Message("agent.reported_done")),
    "fail": Outcome("ended", Message("agent.reported_impossible")),
    "ask": Outcome("ended", Message("agent.asked")),
}
USER_SPOKE = Outcome("user_spoke", Message("agent.user_spoke"))


def reject_reply(run: RunState, error: FormatError) -> Stop:
    """A reply that cannot be parsed; too many in a row end the run."""
    outcome = Outcome("not_understood", sentences(Message("agent.not_understood"), error.message))
    run.format_errors += 1
    if run.format_errors < MAX_FORMAT_ERRORS:
        return Stop(outcome)
    run.format_errors = 0
    reason = Message("agent.format_errors", count=MAX_FORMAT_ERRORS)
    return Stop(outcome, Fail(reason=reason, setting="model_name"))


def reject_actions(error: ActionError) -> Stop:
    return Stop(Outcome("not_possible", sentences(Message("agent.not_possible"), error.message)))


def refuse_action(step: Step, index: int, why: Refusal | ApprovalTimeout | ActionError) -> Stop:
    """Action `index` is the first that was not executed; without an answer the run ends."""
    count = len(step.parsed.actions)
    message = (
        Message("agent.refused_from", number=index + 1, count=count)
        if index
        else Message("agent.refused")
    )
    kind: OutcomeKind = "failed" if isinstance(why, ActionError) else "refused"
    outcome = Outcome(kind, sentences(message, why.message))
    return Stop(outcome, why if isinstance(why, ApprovalTimeout) else None)


def end_run(action: Done | Fail | Ask, objection: Outcome | None) -> Stop:
    return Stop(objection) if objection else Stop(ENDED[action.kind], action)
