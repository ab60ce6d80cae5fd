"""The Local operator as a `types.Model`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...screen.ocr.client import OcrClient
from ...types import ChatMessage, Reply


class LocalOperator:
    """Has no state between two calls but a cache of the screenshots it read last."""

    def __init__(self) -> None:
        self._eyes = OcrClient()

    async def prepare(self) -> None:
        await asyncio.to_thread(_rules)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - replies are not JSON
    ) -> Reply:
        """Raise `ModelError` if the OCR is not installed or does not run."""
        started = time.monotonic()
        decide, read = await asyncio.to_thread(_rules)
        progress = await asyncio.to_thread(read, messages)
        look = await self._eyes.look(progress.frame)
        last = progress.all[-1].frame if progress.all else None
        before = await self._eyes.look(last) if last else None
        text = await asyncio.to_thread(decide, progress, look, before)
        return Reply(text, seconds=time.monotonic() - started)

    async def aclose(self) -> None:
        """End the OCR process."""
        await self._eyes.aclose()


def _rules() -> tuple[Any, Any]:
    """Import the rules; slow, as they compile many patterns: run it in a thread."""
    from .operator import decide
    from .progress import read

    return decide, read
