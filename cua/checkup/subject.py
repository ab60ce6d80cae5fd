"""The model that is checked, and how it is spoken to: what a real task would do with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from .. import dialects
from ..rig import Rule, Size
from ..screen.picture import shrunk
from ..types import Dialect, Frame, Model, Reply, Step, Task


class Manner(NamedTuple):
    """A way to speak to a model: `width` as the setting, `prompt` "" for the dialect's own."""

    dialect: str
    width: int = 0
    prompt: str = ""


@dataclass(frozen=True)
class Subject:
    """`name` is what people call it, `manner` the one in force, `screen` pixels to draw on.

    `connect` makes a model that goes with a dialect, and may raise `ModelError`; `sizing` says of a
    dialect and a screenshot width in which size a screenshot is sent.
    """

    name: str
    model_name: str
    manner: Manner
    screen: Size
    connect: Callable[[Dialect], Model]
    sizing: Callable[[Dialect, int], Rule]

    def sent(self, manner: Manner) -> Size:
        """The size of the screenshots that are sent in this manner."""
        return self.sizing(dialects.create(manner.dialect), manner.width)(*self.screen)


class Answer(NamedTuple):
    """A reply, and the size in pixels of the screenshot that it answers."""

    reply: Reply
    sent: Size


@dataclass(frozen=True)
class Talk:
    """The model, spoken to in one manner."""

    model: Model
    dialect: Dialect
    prompt: str
    fit: Rule
    screen: Size

    async def ask(self, goal: str, jpeg: bytes, size: Size) -> Answer:
        """One request about one picture, a conversation of its own. Raises `ModelError`."""
        sent = self.fit(*size)
        if sent != size:
            jpeg = await asyncio.to_thread(shrunk, jpeg, *sent)
        task = Task(goal, [Step(1, "", Frame(jpeg, *sent, 1, time.monotonic()))])
        messages = self.dialect.messages(self.prompt, task, 1)
        return Answer(await self.model.complete(messages, self.dialect.schema), sent)


@runtime_checkable
class Closes(Protocol):
    """A model that keeps connections."""

    async def aclose(self) -> None: ...


@asynccontextmanager
async def talking(subject: Subject, manner: Manner) -> AsyncIterator[Talk]:
    """Raises `CuaError` for an unknown dialect, `ModelError` for a model that cannot be made."""
    dialect = dialects.create(manner.dialect)
    prompt = manner.prompt or dialects.default_prompt(manner.dialect)
    model = subject.connect(dialect)
    try:
        yield Talk(model, dialect, prompt, subject.sizing(dialect, manner.width), subject.screen)
    finally:
        if isinstance(model, Closes):
            await model.aclose()
