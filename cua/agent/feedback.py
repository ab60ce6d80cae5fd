"""The text beside the next screenshot: the outcome of the last reply, then the person's words.

It never changes once written: the history only grows, so a server's prefix cache keeps working.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ..events.log import EventLog
from ..messages import Message, sentences
from ..types import PERSON_PREFIX, Dialect, Model, ModelLimit, Reply, Step, Task
from ..types.describe import describe
from .step_results import ASKED


def add_feedback(task: Task, step: Step, notes: Sequence[str] = ()) -> None:
    """Set the feedback of `step`, which is not in the history yet, and empty the inbox.

    If the last step got no reply, it is removed from the history and its feedback is repeated.
    """
    texts: list[str] = []
    said = list(task.inbox)
    references = task.inbox_references
    step.by_hand = bool(task.by_hand)
    last = task.steps[-1] if task.steps else None
    if last and last.reply is None:
        task.steps.pop()
        texts += [last.feedback, "You were interrupted before you answered."]
        said = [*last.user_words, *said]
        references = [*last.references, *references]
        step.by_hand |= last.by_hand
        task.run.first_step = min(task.run.first_step, len(task.steps))
    elif last:
        texts += _describe_end(task, last)
    texts += [*notes, task.by_hand, *(PERSON_PREFIX + text for text in task.inbox)]
    step.interrupted = last is not None and _was_interrupted(task, last)
    if task.inbox:
        task.run.first_step = len(task.steps)
    task.by_hand = ""
    task.inbox.clear()
    task.inbox_references = []
    step.feedback, step.user_words = "\n".join(filter(None, texts)), tuple(said)
    step.references = tuple(references)


def _describe_end(task: Task, last: Step) -> list[str]:
    if not last.outcome:
        return [_describe_interruption(last)]
    if last.outcome is ASKED and not (task.inbox or task.by_hand):
        return [last.outcome.message, "The person went on without an answer."]
    return [last.outcome.message]


def _was_interrupted(task: Task, last: Step) -> bool:
    """Whether the run stopped in the last step, or the person stopped it after that.

    After a limit or an end by the model, they interrupt nothing.
    """
    begins_run = task.run.first_step == len(task.steps)
    follows_limit = task.used.is_renewed and not task.used.rounds
    return not last.outcome or (begins_run and last.outcome.kind != "ended" and not follows_limit)


def _describe_interruption(step: Step) -> str:
    if not step.started_actions:
        return "You were interrupted before anything of it was done."
    words = describe(step.started_actions[-1], *step.frame.size)
    return f"You were interrupted at action {step.actions_started} ({words}): {step.progress}."


async def request_reply(
    model: Model, dialect: Dialect, prompt: str, task: Task, keep: int, log: EventLog
) -> Reply:
    """Send a request, then smaller ones while the server rejects it as too large.

    The reply's `seconds` include them, and the waits before retries.
    """
    started = time.monotonic()
    while True:
        screenshots = max(1, min(keep, task.max_images - len(task.all_references)))
        try:
            messages = dialect.messages(prompt, task, screenshots)
            reply = await model.complete(messages, dialect.schema)
            return replace(reply, seconds=time.monotonic() - started)
        except ModelLimit as limit:
            _shorten(task, screenshots, limit, log)


def _shorten(task: Task, keep: int, limit: ModelLimit, log: EventLog) -> None:
    """Make later requests smaller: omit screenshots, then the older half of the steps.

    Raises `ModelLimit` if neither is possible.
    """
    more = (len(task.steps) - task.omitted_steps) // 2
    others = len(task.all_references)
    if limit.max_images and others >= limit.max_images:
        raise ModelLimit(Message("agent.too_many_files", most=limit.max_images - 1, count=others))
    if keep > 1:
        most = limit.max_images - others if limit.max_images else keep // 2
        task.max_images = others + min(most, keep - 1)
        how = Message("agent.fewer_images", count=task.max_images)
    elif more and not limit.max_images:
        task.omitted_steps += more
        how = Message("agent.fewer_steps", count=task.dropped.steps + task.omitted_steps)
    elif limit.max_images:
        raise ModelLimit(sentences(limit.message, Message("agent.image_limit")))
    else:
        raise limit
    log.note("warning", sentences(limit.message, how))
