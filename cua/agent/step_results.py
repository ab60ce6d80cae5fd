"""The results of a step that was carried out, ended the run, was refused or not understood."""

from __future__ import annotations

from ..messages import Message, sentences
from ..types import (
    ActionError,
    ApprovalTimeout,
    Ask,
    Done,
    Fail,
    FormatError,
    InputAction,
    Inputs,
    NoAction,
    Outcome,
    ParsedReply,
    Refusal,
    Step,
    Task,
)
from .checks.check import StepResult

MAX_QUOTED_CHARS = 200
"""Characters of a reply's first line that people read in an error."""
MAX_FORMAT_ERRORS = 3
"""Replies in a row that cannot be parsed, after which the run fails."""
EXECUTED = Outcome("executed", Message("agent.executed"))
USER_SPOKE = Outcome("user_spoke", Message("agent.user_spoke"))
NOT_ASKED = Outcome("user_spoke", Message("agent.not_asked"))
ASKED = Outcome("ended", Message("agent.asked"))
_ENDED = {
    "done": Outcome("ended", Message("agent.reported_done")),
    "fail": Outcome("ended", Message("agent.reported_impossible")),
    "ask": ASKED,
}


def put_off(action: Done | Fail | Ask) -> Outcome:
    return NOT_ASKED if isinstance(action, Ask) else USER_SPOKE


def end_run(task: Task, action: Done | Fail | Ask) -> StepResult:
    """Return the result of the last action; a failure without a reason gets the thought."""
    outcome = _ENDED[action.kind]
    if isinstance(action, Fail) and not action.reason:
        words = task.steps[-1].parsed.thought
        action = Fail(reason=sentences(Message("session.impossible"), words))
    return StepResult(outcome, action)


def quote_reply(text: str) -> str:
    """Return a sentence with the first line of a reply that is only words, or ""."""
    words = text.strip().partition("\n")[0].strip().rstrip(".。")
    if len(words) > MAX_QUOTED_CHARS:
        words = f"{words[:MAX_QUOTED_CHARS]}…"
    return Message("agent.model_said", words=words) if words else ""


def reject_reply(task: Task, error: FormatError) -> StepResult:
    """Return the result of a reply that cannot be parsed; too many in a row end the run.

    Where it has only words, they are its thought: people read why the model does not act.
    """
    outcome = Outcome("not_understood", sentences(Message("agent.not_understood"), error.message))
    words = error.words if isinstance(error, NoAction) else ""
    task.steps[-1].parsed = ParsedReply(words, ())
    task.run.format_errors += 1
    if task.run.format_errors < MAX_FORMAT_ERRORS:
        return StepResult(outcome)
    reason = Message("agent.format_errors", count=MAX_FORMAT_ERRORS)
    return StepResult(
        outcome, Fail(reason=sentences(reason, quote_reply(words)), setting="dialect")
    )


def refuse_impossible(step: Step, inputs: Inputs) -> StepResult | None:
    """Return the result of a step with an action that keyboard and mouse cannot execute."""
    try:
        for action in step.parsed.actions:
            if isinstance(action, InputAction):
                inputs.check(action)
    except ActionError as error:
        message = sentences(Message("agent.not_possible"), error.message)
        return StepResult(Outcome("not_possible", message, error.setting))
    return None


def refuse_action(
    step: Step, index: int, why: Refusal | ApprovalTimeout | ActionError
) -> StepResult:
    """`index`: of the first action that was not executed. An approval timeout ends the run."""
    count = len(step.parsed.actions)
    begun = Message("agent.refused_from", number=index + 1, count=count)
    message = sentences(begun if index else Message("agent.refused"), why.message)
    reason = why.reason if isinstance(why, Refusal) else ""
    outcome = Outcome(
        "failed" if isinstance(why, ActionError) else "refused", message, reason=reason
    )
    return StepResult(outcome, why if isinstance(why, ApprovalTimeout) else None)
