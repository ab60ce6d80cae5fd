"""The model and its server: the usual faults, one request for each, in the order they stand in.

What a fault is called and what cures it is known in `models.faults`; here is what brings it out: a
list of models, one picture, and a request as large as a long task's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from ..checkup.subject import Subject, Talk, talking
from ..checkup.targets import drawn
from ..models.faults import UnreachableError
from ..types import CuaError, Frame, ModelError, ModelLimit, Reply, Step, Task, Turn, Wait
from ..within import within
from .finding import Finding

PATIENCE = 30.0
"""Seconds for the list of models, which no server has to think about."""
SMALL = (320, 180)
ROUNDS = 20
"""Of a long task, whose whole text has to fit."""
FEWER = "Set fewer images to keep in Settings, or a smaller screenshot width."
TOLD = "It was waited for a second, and the screen looks as it did before. " * 4


@runtime_checkable
class Lists(Protocol):
    async def list_models(self) -> list[str]: ...


async def look(subject: Subject, keep: int, patience: float = PATIENCE) -> AsyncIterator[Finding]:
    """`keep`: how many screenshots a request may carry, as set. Ends at the first fault."""
    try:
        async with talking(subject, subject.manner) as talk:
            async for finding in _asked(talk, subject, keep, patience):
                yield finding
    except CuaError as error:  # who cannot even be reached is not asked again and again
        yield Finding("model", "fault", str(error))


async def _asked(
    talk: Talk, subject: Subject, keep: int, patience: float
) -> AsyncIterator[Finding]:
    if isinstance(talk.model, Lists):
        yield await _listed(talk.model, subject.model_name, patience)
    goal = "Nothing is to be done here: just report that the task is done."
    try:
        answer = await talk.ask(goal, await asyncio.to_thread(drawn, SMALL, ()), SMALL)
    except ModelError as error:
        yield Finding("model", "fault", str(error))
        return
    seconds = answer.reply.seconds
    yield Finding("model", "ok", f"{subject.name} takes pictures, answers after {seconds:.1f} s")
    yield await _long(talk, subject, keep)


async def _listed(model: Lists, name: str, patience: float) -> Finding:
    try:
        async with within(patience):
            offered = await model.list_models()
    except asyncio.TimeoutError:
        raise UnreachableError(
            f"The server takes the connection and says nothing for {patience:.0f} s. Is the "
            "address that of a model server? If it is, look at its log, or start it anew."
        ) from None
    except UnreachableError:
        raise
    except ModelError as error:  # some have no list; the request itself decides
        return Finding("model server", "care", f"gives no list of models: {error}")
    if not offered:
        return Finding("model server", "unknown", "does not tell which models it has")
    few = f"offers {', '.join(offered[:6])}{' ...' if len(offered) > 6 else ''}"
    if name not in offered and f"models/{name}" not in offered:
        cure = f"“{name}” is not among them: choose one of these in Settings."
        return Finding("model server", "care", few, cure)
    return Finding("model server", "ok", few)


async def _long(talk: Talk, subject: Subject, keep: int) -> Finding:
    """Whether `keep` screenshots and the text of many rounds fit into one request."""
    size = talk.fit(*subject.screen)
    jpeg = await asyncio.to_thread(drawn, size, ())
    task = Task("Say that the task is done.", [_step(n, jpeg, size) for n in range(1, ROUNDS)])
    task.steps.append(Step(ROUNDS, "", Frame(jpeg, *size, ROUNDS, 0.0)))
    asked = f"{keep} screenshots of {size[0]}x{size[1]} and {ROUNDS} rounds"
    try:
        messages = talk.dialect.messages(talk.prompt, task, keep)
        reply = await talk.model.complete(messages, talk.dialect.schema)
    except ModelLimit as limit:
        most = limit.max_images
        cure = f"Set the images to keep to {most}." if most else FEWER
        return Finding("long tasks", "fault", f"{asked}: {limit}", cure)
    except ModelError as error:
        return Finding("long tasks", "fault", f"{asked}: {error}")
    tokens = f", {reply.tokens_in} tokens" if reply.tokens_in else ""
    return Finding("long tasks", "ok", f"{asked} fit{tokens}")


def _step(number: int, jpeg: bytes, size: tuple[int, int]) -> Step:
    said = Reply(f"Round {number}. {TOLD}")
    return Step(
        number, TOLD, Frame(jpeg, *size, number, 0.0), said, Turn(said.text, (Wait(seconds=1),))
    )
