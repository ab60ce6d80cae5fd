"""The operator's eyes: asks the reading process for what stands in a picture.

A picture that was read is remembered, and reading goes on if the one who waits for it is
cancelled: after a pause the same screen is there again.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...extras import command
from ...types import Frame, ModelError
from .ocr import Look

NEEDED = ("rapidocr", "onnxruntime", "numpy", "cv2")
READER = (sys.executable, "-m", f"{__package__}.reader")
_KEPT = 12
"""Pictures remembered; more are never compared."""
_LINE = 1 << 24
"""Bytes of an answer at most."""
_ROOT = Path(__file__).parents[3]
"""Where the `cua` package lies, for the process to find it."""


class Eyes:
    """Belongs to one event loop. The process starts with the first picture."""

    def __init__(self, command: Sequence[str] = READER, needed: Sequence[str] = NEEDED) -> None:
        self._command, self._needed = command, needed
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._looks: dict[bytes, asyncio.Task[Look]] = {}

    async def look(self, frame: Frame) -> Look:
        """Raises `ModelError` if pictures cannot be read on this machine."""
        task = self._looks.get(frame.jpeg)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(self._read(frame))
            self._looks[frame.jpeg] = task
            while len(self._looks) > _KEPT:
                del self._looks[next(iter(self._looks))]
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Ends the process."""
        for task in self._looks.values():
            task.cancel()
        await asyncio.gather(*self._looks.values(), return_exceptions=True)
        self._looks.clear()
        await self.rest()

    async def rest(self) -> None:
        """Ends the process until the next picture; who waits for one now gets `ModelError`."""
        process, self._process = self._process, None
        if process:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _read(self, frame: Frame) -> Look:
        async with self._lock:
            answer = await self._ask(frame.jpeg)
        if "error" in answer:
            raise ModelError(f"The screenshot cannot be read: {answer['error']}.")
        return await asyncio.to_thread(Look.of, answer, frame.width, frame.height)

    async def _ask(self, jpeg: bytes) -> dict[str, Any]:
        process = self._process or await self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        line = b""
        with suppress(ConnectionError):
            process.stdin.write(len(jpeg).to_bytes(4, "big") + jpeg)
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            self._process = None
            raise ModelError(
                f"The process that reads the screen ended (exit code {await process.wait()}). "
                "It needs 600 MB of memory. Press Send to start it again."
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        if missing := [name for name in self._needed if not find_spec(name)]:
            raise ModelError(
                f"The local operator needs {', '.join(missing)}: run  {command('local')}"
            )
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=_ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE,
            start_new_session=True,  # a Ctrl-C in the terminal is for the agent
        )
        return self._process
