"""Check the model server: list its models, send one picture, send a request of a long task's size.

`models.errors` turns failed requests into messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

from ...dialects.conversation import count_sent
from ...evaluation.checkup.model_under_test import Conversation, ModelUnderTest, open_conversation
from ...evaluation.checkup.targets import draw_screen
from ...models.errors import UnreachableError
from ...models.retry import RetryingModel
from ...timeouts import within
from ...types import CuaError, Frame, ModelError, ModelLimit, ParsedReply, Reply, Step, Task, Wait
from ..output import find_remedy
from .finding import Finding

LIST_TIMEOUT_S = 30.0
MIN_ROUNDS = 20
"""Rounds of the long task at least; more if the dialect sends most screenshots later."""
SEND_LESS = "Set fewer *Screenshots sent* in Settings, or a smaller screenshot width."
FEEDBACK = "Waited for a second. The screen looks as it did before. " * 4


async def examine(
    subject: ModelUnderTest, keep: int, timeout_s: float = LIST_TIMEOUT_S
) -> AsyncIterator[Finding]:
    """Check until the first fault; `keep` is the number of screenshots in a request."""
    try:
        async with open_conversation(subject, subject.settings) as conversation:
            async for finding in _check_model(conversation, subject, keep, timeout_s):
                yield finding
    except CuaError as error:
        yield Finding("model", "fault", str(error), find_remedy(error))


async def _check_model(
    conversation: Conversation, subject: ModelUnderTest, keep: int, timeout_s: float
) -> AsyncIterator[Finding]:
    if isinstance(conversation.model, RetryingModel):
        yield await _check_list(conversation.model, subject.model_name, timeout_s)
    try:
        seconds = (await conversation.ask_small()).reply.seconds
    except ModelError as error:
        yield Finding("model", "fault", str(error))
        return
    yield Finding("model", "ok", f"{subject.name} takes pictures, answers after {seconds:.1f} s")
    yield await _check_long_task(conversation, subject, keep)


async def _check_list(model: RetryingModel, name: str, timeout_s: float) -> Finding:
    try:
        async with within(timeout_s):
            offered = await model.list_models()
    except asyncio.TimeoutError:
        raise UnreachableError(
            f"The server accepted the connection but did not answer for {timeout_s:.0f} s. Check "
            "that the address is a model server's, look at its log, or restart it."
        ) from None
    except UnreachableError:
        raise
    except ModelError as error:  # some servers have no list; the next request decides
        return Finding("model server", "care", f"has no list of models: {error}")
    if not offered:
        return Finding("model server", "unknown", "its list of models is empty")
    few = f"offers {', '.join(offered[:6])}{' ...' if len(offered) > 6 else ''}"
    if name not in offered and f"models/{name}" not in offered:
        fix = f"“{name}” is not among them: choose one of these in Settings."
        return Finding("model server", "care", few, fix)
    return Finding("model server", "ok", few)


async def _check_long_task(
    conversation: Conversation, subject: ModelUnderTest, keep: int
) -> Finding:
    """Send `keep` screenshots and the text of many rounds in one request."""
    rounds = next(n for n in count(MIN_ROUNDS) if count_sent(n, keep) == keep)
    size = conversation.sent_size(*subject.screen)
    jpeg = await asyncio.to_thread(draw_screen, size, ())
    task = Task("Say that the task is done.", [_make_step(n, jpeg, size) for n in range(1, rounds)])
    task.steps.append(Step(rounds, "", Frame(jpeg, *size, rounds, 0.0)))
    asked = f"{keep} screenshots of {size[0]}x{size[1]} and {rounds} rounds"
    try:
        messages = conversation.dialect.messages(conversation.prompt, task, keep)
        reply = await conversation.model.complete(messages, conversation.dialect.schema)
    except ModelLimit as limit:
        most = limit.max_images
        fix = f"Set *Screenshots sent* to {most} in Settings." if most else SEND_LESS
        return Finding("long tasks", "fault", f"{asked}: {limit}", fix)
    except ModelError as error:
        return Finding("long tasks", "fault", f"{asked}: {error}")
    tokens = f", {reply.tokens_in} tokens" if reply.tokens_in else ""
    return Finding("long tasks", "ok", f"{asked} fit{tokens}")


def _make_step(number: int, jpeg: bytes, size: tuple[int, int]) -> Step:
    said = Reply(f"Round {number}. {FEEDBACK}")
    return Step(
        number,
        FEEDBACK,
        Frame(jpeg, *size, number, 0.0),
        said,
        ParsedReply(said.text, (Wait(seconds=1),)),
    )
