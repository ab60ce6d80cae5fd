"""The Local operator as a `types.Model`."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...events.log import EventLog
from ...messages import Message
from ...screen.ocr.client import OcrClient
from ...screen.ocr.layout import ScreenLayout
from ...types import ChatMessage, Frame, Reply, Schema, Task


class LocalOperator:
    """Its only state between two calls is its task, and the layouts of the last screenshots.

    `log` gets a message while the person waits for OCR to start, then "". `ocr`: shared with the
    procedures, as its process takes 500 MB and seconds to start.
    """

    def __init__(self, log: EventLog, ocr: OcrClient | None = None) -> None:
        self._log, self._ocr = log, ocr or OcrClient()
        self._task = Task("")

    async def begin(self, task: Task) -> None:
        self._task = task
        # slow, as it compiles many patterns
        await asyncio.to_thread(importlib.import_module, f"{__package__}.decide")

    async def complete(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002 - it reads the steps themselves
        schema: Schema = None,  # noqa: ARG002 - replies are not JSON
    ) -> Reply:
        """Decide on the next reply. Raises `ModelError` if OCR is not installed or does not run."""
        from .decide import decide
        from .task_history import find_order, read_task

        started = time.monotonic()
        history = await asyncio.to_thread(read_task, self._task)
        if order := find_order(self._task, history):
            self._log.append("said", **order)
        layout = await self._read(self._task.steps[-1].frame)
        last = history.all[-1].frame if history.all else None
        before = await self._ocr.read(last) if last else None
        reply = await asyncio.to_thread(decide, history, layout, before)
        return replace(reply, seconds=time.monotonic() - started)

    def find_meaning(self, words: str, goal: str) -> dict[str, Any]:
        """See `task_history.find_meaning`."""
        from .task_history import find_meaning

        return find_meaning(words, goal)

    async def _read(self, frame: Frame) -> ScreenLayout:
        if self._ocr.is_loaded:
            return await self._ocr.read(frame)
        self._log.send_transient("progress", text=Message("ocr.loading"))
        layout = await self._ocr.read(frame)
        self._log.send_transient("progress", text="")
        return layout

    async def aclose(self) -> None:
        """End the OCR process."""
        await self._ocr.aclose()
