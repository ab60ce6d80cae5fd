"""Logs the events of a step: its screenshot, its reply and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from ..events.log import EventLog
from ..messages import Message
from ..types import Action, Step
from ..types.describe import describe, describe_briefly, describe_movement
from .budget import Budget

ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def log_screenshot(log: EventLog, step: Step, waited_s: float) -> None:
    frame, zoomed = step.frame, step.zoomed
    if zoomed:
        log.append("closer", zoomed.jpeg, step=step.number)
    log.append(
        "frame",
        frame.jpeg,
        step=step.number,
        waited=round(waited_s, 3),
        why=describe_movement(frame),
        width=frame.width,
        height=frame.height,
    )


def log_reply(log: EventLog, step: Step, budget: Budget) -> None:
    reply, parsed, frame = step.reply, step.parsed, step.frame
    assert reply is not None
    log.append(
        "reply",
        step=step.number,
        text=reply.text,
        reasoning=reply.reasoning,
        calls=[{"name": call.name, "arguments": call.arguments} for call in reply.calls],
        finish=reply.finish_reason,
        thought=parsed.thought,
        actions=[action_to_event(each, frame.size) for each in parsed.actions],
        seconds=round(reply.seconds, 3),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_cached=reply.tokens_cached,
        scripted=reply.is_scripted,
        awaits=parsed.awaits,
        cost=round(budget.cost(reply.tokens_in, reply.tokens_out), 6),
    )


def action_to_event(action: Action, size: tuple[int, int]) -> dict[str, Any]:
    """Return the action as data, and in words with its place (`words`) and without (`brief`)."""
    words, brief = describe(action, *size), describe_briefly(action)
    return {**action.model_dump(mode="json"), "words": words, "brief": brief}


def event_to_action(event: Mapping[str, Any]) -> Action:
    """Return the action of `action_to_event`. Raises `ValidationError`."""
    return ACTION.validate_python({key: event[key] for key in event.keys() - {"words", "brief"}})


def log_progress(log: EventLog, step: Step, progress: str) -> None:
    """Keep how far an action has got; if the typing of a text was interrupted, log it."""
    step.progress = progress
    if isinstance(progress, Message) and progress.key == "progress.typed":
        text = Message("agent.typed", **progress.values)
        log.append("typed", step=step.number, count=progress.values["typed"], text=text)


def log_outcome(log: EventLog, step: Step, took_s: float) -> None:
    outcome = step.outcome
    assert outcome is not None
    log.append(
        "step",
        step=step.number,
        ok=outcome.ok,
        outcome_kind=outcome.kind,
        outcome=outcome.message,
        seconds=round(took_s, 3),
    )
