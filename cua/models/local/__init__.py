"""The local operator: a model that is OCR and rules, no AI, and needs no server.

It reads the screenshot, follows plain instructions and answers in the KVM line dialect.

    reader.py         JPEG -> lines of text and rectangles, in a process of its own;  eyes.py: its client
    ocr.py            what stands on a screen;  matching.py, locate.py: finding what is meant
    instructions.py   what can be told, as data;  language.py: words -> instructions
    story.py          the chat -> where the work stands
    scene.py          what is decided upon, and the moves;  follow.py: the move for an instruction
    rules.py          goals as rules;  recipes.py: the goals;  operator.py: all of it -> a reply
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from ...types import Message, Reply


class LocalOperator:
    """A `types.Model`. Remembers nothing between two calls but what it read."""

    def __init__(self) -> None:
        from .eyes import Eyes

        self._eyes = Eyes()

    async def complete(self, messages: Sequence[Message]) -> Reply:
        """Raises `ModelError` if the OCR is not installed or does not run."""
        from .operator import decide
        from .story import read

        started = time.monotonic()
        story = await asyncio.to_thread(read, messages)
        look = await self._eyes.look(story.frame)
        last = story.all[-1].frame if story.all else None
        before = await self._eyes.look(last) if last else None
        text = await asyncio.to_thread(decide, story, look, before)
        return Reply(text, seconds=time.monotonic() - started)

    async def aclose(self) -> None:
        """Ends the process that reads."""
        await self._eyes.aclose()
