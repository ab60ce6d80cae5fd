"""The model under test, and conversations with it as in a real task."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ...dialects import prompting, registry
from ...screen.image import resize_jpeg
from ...types import Dialect, Frame, Model, Reply, SentSize, Step, Task

if TYPE_CHECKING:
    from ..testbed import Size

SMALL_SIZE = (320, 180)


class RequestSettings(NamedTuple):
    """The settings on which requests depend; an empty prompt is the dialect's own."""

    dialect: str
    screenshot_width: int = 0
    initial_prompt: str = ""


@dataclass(frozen=True)
class ModelUnderTest:
    """`name`: for people; `settings`: the current ones; `screen`: its size in pixels.

    `connect` returns the model for a dialect and may raise `ModelError`; `make_sent_size`
    takes a dialect and a screenshot width. `key`: of all settings on which the result depends.
    """

    name: str
    model_name: str
    settings: RequestSettings
    screen: Size
    connect: Callable[[Dialect], Model]
    make_sent_size: Callable[[Dialect, int], SentSize]
    key: Hashable = None

    def sent(self, settings: RequestSettings) -> Size:
        """Return the size of screenshots with these settings."""
        dialect = registry.create(settings.dialect)
        return self.make_sent_size(dialect, settings.screenshot_width)(*self.screen)


class Answer(NamedTuple):
    """A reply, and the size in pixels of the screenshot that it answers."""

    reply: Reply
    sent: Size


@dataclass(frozen=True)
class Conversation:
    """A model with one dialect, prompt and size of screenshots."""

    model: Model
    dialect: Dialect
    prompt: str
    sent_size: SentSize
    screen: Size

    async def ask(self, goal: str, jpeg: bytes, size: Size) -> Answer:
        """Send one request about one picture, without history. Raises `ModelError`."""
        sent = self.sent_size(*size)
        if sent != size:
            jpeg = await asyncio.to_thread(resize_jpeg, jpeg, *sent)
        task = Task(goal, [Step(1, "", Frame(jpeg, *sent, 1, time.monotonic()))])
        messages = self.dialect.messages(self.prompt, task, 1)
        await self.model.begin(task)
        return Answer(await self.model.complete(messages, self.dialect.schema), sent)

    async def ask_small(self) -> Answer:
        """Send one small picture without a task. Raises `ModelError`."""
        from .targets import draw_screen

        jpeg = await asyncio.to_thread(draw_screen, SMALL_SIZE, ())
        goal = "There is nothing to do: just report that the task is done."
        return await self.ask(goal, jpeg, SMALL_SIZE)


@asynccontextmanager
async def open_conversation(
    subject: ModelUnderTest, settings: RequestSettings
) -> AsyncIterator[Conversation]:
    """Connect the model. Raises `CuaError` for an unknown dialect, `ModelError` if that fails."""
    dialect = registry.create(settings.dialect)
    prompt = settings.initial_prompt or prompting.default_prompt(settings.dialect)
    sent_size = subject.make_sent_size(dialect, settings.screenshot_width)
    model = subject.connect(dialect)
    try:
        yield Conversation(model, dialect, prompt, sent_size, subject.screen)
    finally:
        await model.aclose()


async def ask_once(subject: ModelUnderTest) -> float:
    """Test the connection with one small request; return the seconds. Raises `ModelError`."""
    async with open_conversation(subject, subject.settings) as conversation:
        return (await conversation.ask_small()).reply.seconds
