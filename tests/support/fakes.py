"""Small rooms that speak the protocols of cua.types: for tests of what joins them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cua.types import Area, ChatMessage, Frame, ModelError, ModelLimit, Reply, ScreenError, Task
from tests.servers.mjpeg_server import picture

PICTURE = picture("desktop")


class StillScreen:
    """A screen that never changes; `broken` makes it fail."""

    def __init__(self) -> None:
        self.broken = False
        self.seq = 0

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        if self.broken:
            raise ScreenError("No signal.")
        self.seq += 1
        return Frame(PICTURE, 1280, 720, self.seq, time.monotonic())

    async def zoom(self, area: Area) -> Frame:
        return Frame(PICTURE, 640, 360, self.seq, time.monotonic(), area=area)


class ScriptedModel:
    """Answers with the lines of a script; "hang" never answers, "error" fails, "empty" too,
    with the tokens of a reply; "too large" and "at most 2" are what a server says that takes no
    more text, or no more images.
    `is_scripted`: of a reply, whether no model was asked for it."""

    is_scripted = False

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.requests: list[list[ChatMessage]] = []
        self.begun_for = ""
        """The goal of a task."""

    async def complete(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        self.requests.append(list(messages))
        text = self.replies.pop(0)
        if text == "hang":
            await asyncio.Event().wait()
        if text == "error":
            raise ModelError("The model server is gone.")
        if text == "empty":
            error = ModelError("The reply is empty.")
            error.tokens_in, error.tokens_out = 10, 2
            raise error
        if text == "too large":
            raise ModelLimit("The request is too large.")
        if text == "at most 3 images":
            raise ModelLimit("At most 3 images.", 3)
        if text.startswith("at most "):
            raise ModelLimit("The server takes fewer.", int(text.removeprefix("at most ")))
        return Reply(text, tokens_in=10, tokens_out=2, seconds=0.5, is_scripted=self.is_scripted)

    async def begin(self, task: Task) -> None:
        self.begun_for = task.goal

    async def aclose(self) -> None:
        pass

    def request_text(self, request: int = -1) -> str:
        """All text of the last user message of a request."""
        return "\n".join(part for part in self.requests[request][-1].parts if isinstance(part, str))
