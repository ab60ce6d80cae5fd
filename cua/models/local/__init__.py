"""The local operator: a model that is OCR and rules, no AI, and needs no server.

It reads the screenshot, follows plain instructions and answers in the KVM line dialect.

    reader.py        JPEG -> lines of text and rectangles, as a process;  eyes.py: its client
    ocr.py           what stands on a screen;  matching.py, locate.py: finding what is meant
    instructions.py  what can be told, as data
    language.py      the person's words -> instructions, by phrases.py and goals.py
    story.py         the chat -> where the work stands;  scene.py: what is decided upon
    follow.py        the next move for an instruction: moves.py begins, outcomes.py checks
    recipes.py       the next move for a goal, by rules.py;  operator.py: all of it -> a reply
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...types import Message, Reply
from .eyes import Eyes


class LocalOperator:
    """A `types.Model`. Remembers nothing between two calls but the pictures it read last."""

    def __init__(self) -> None:
        self._eyes = Eyes()

    async def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - it writes no JSON
    ) -> Reply:
        """Raises `ModelError` if the OCR is not installed or does not run."""
        started = time.monotonic()
        decide, read = await asyncio.to_thread(_rules)
        story = await asyncio.to_thread(read, messages)
        look = await self._eyes.look(story.frame)
        last = story.all[-1].frame if story.all else None
        before = await self._eyes.look(last) if last else None
        text = await asyncio.to_thread(decide, story, look, before)
        return Reply(text, seconds=time.monotonic() - started)

    async def aclose(self) -> None:
        """Ends the process that reads."""
        await self._eyes.aclose()


def _rules() -> tuple[Any, Any]:
    """Imported in a thread: the patterns of the language take a while to compile."""
    from .operator import decide
    from .story import read

    return decide, read
