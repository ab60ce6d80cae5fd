"""Client of the OCR process: reads the text and the boxes of a screenshot.

Results are cached, and recognition continues if its caller is cancelled: after a pause the screen
is often the same.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from ...extras import ROOT, missing_modules
from ...messages import Message
from ...types import Area, Frame, MissingExtra, ModelError
from .layout import Box, ScreenLayout
from .matching import shows_part_of

READER = (sys.executable, "-m", f"{__package__}.process")
GRID_PX = 4
"""Grid of a part's corners: the process caches texts, which must be cropped at the same place."""
_CACHED_PICTURES = 12
_MAX_ANSWER_BYTES = 1 << 24


class Read(Protocol):
    """The OCR of a screenshot or a part of one; its layout is in pixels of the screenshot."""

    async def __call__(self, frame: Frame, part: Area | None = None, /) -> ScreenLayout: ...


def read_without(read: Read, texts: Sequence[str]) -> Read:
    """Return an OCR that omits lines with a part of one of these texts."""

    async def read_others(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        layout = await read(frame, part)
        lines = (line for line in layout.lines if not shows_part_of(line.text, texts))
        return replace(layout, lines=tuple(lines))

    return read_others


class OcrClient:
    """The client for one event loop. The process starts with the first picture."""

    def __init__(self, command: Sequence[str] = READER) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self.is_loaded = False
        """Whether the process has read a picture; the first one takes seconds longer."""
        self._lock = asyncio.Lock()
        self._layouts: dict[tuple[bytes, Area | None], asyncio.Task[ScreenLayout]] = {}

    async def read(self, frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        """Read a screenshot, or a small part of one, which is five times as fast.

        Raises `ModelError` if that is not possible on this machine.
        """
        key = frame.jpeg, part
        task = self._layouts.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(self._recognise(frame, part))
            self._layouts[key] = task
            while len(self._layouts) > _CACHED_PICTURES:
                del self._layouts[next(iter(self._layouts))]
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        for task in self._layouts.values():
            task.cancel()
        await asyncio.gather(*self._layouts.values(), return_exceptions=True)
        self._layouts.clear()
        await self.stop()

    async def stop(self) -> None:
        """Stop the process until the next picture; waiting callers get `ModelError`."""
        process, self._process, self.is_loaded = self._process, None, False
        if process:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _recognise(self, frame: Frame, part: Area | None) -> ScreenLayout:
        box = Box.of(part, *frame.size).on_grid(GRID_PX) if part else Box(0, 0, 0, 0)
        async with self._lock:
            answer = await self._ask(frame.jpeg, box)
        if "error" in answer:
            raise ModelError(Message("ocr.unreadable", reason=answer["error"]))
        return await asyncio.to_thread(ScreenLayout.of, answer, *frame.size, box.left, box.top)

    async def _ask(self, jpeg: bytes, part: Box) -> dict[str, Any]:
        process = self._process or await self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        line = b""
        with suppress(ConnectionError):
            process.stdin.write(struct.pack(">I4H", len(jpeg), *part) + jpeg)
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            self._process, self.is_loaded = None, False
            raise ModelError(Message("ocr.ended", code=await process.wait()))
        self.is_loaded = True
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        if missing_modules("local"):
            raise MissingExtra("local", setting="api_type")
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_MAX_ANSWER_BYTES,
            start_new_session=True,  # a Ctrl-C in the terminal is for the agent
        )
        return self._process
