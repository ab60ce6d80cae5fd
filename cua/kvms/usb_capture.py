"""The newest whole picture of a capture device."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ..screen.receiver import IDLE_TIMEOUT_S, Stalled
from ..timeouts import within
from .v4l2 import Capture

DROPPED_PICTURES = 3
"""The first ones of a device may be of another size or half."""


class NewestPicture:
    """Reads all pictures of a source when they come, and keeps the newest."""

    def __init__(self, source: Capture) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._to_drop = DROPPED_PICTURES
        self._newest = b""
        self._error: OSError | None = None
        self._changed = asyncio.Event()
        self._loop.add_reader(source.fileno(), self._read)

    async def pictures(self) -> AsyncIterator[bytes]:
        """Raises `Stalled` if none comes for a while, and `OSError`."""
        while True:
            try:
                async with within(IDLE_TIMEOUT_S):
                    await self._changed.wait()
            except asyncio.TimeoutError:
                raise Stalled from None
            self._changed.clear()
            if self._error:
                raise self._error
            yield self._newest

    def close(self) -> None:
        self._loop.remove_reader(self._source.fileno())
        self._source.close()

    def _read(self) -> None:
        try:
            for picture in self._source.read():
                self._keep_newest(picture)
        except OSError as error:
            self._error = error
            self._loop.remove_reader(self._source.fileno())
            self._changed.set()

    def _keep_newest(self, picture: bytes) -> None:
        if self._to_drop:
            self._to_drop -= 1
        elif picture[:2] == b"\xff\xd8" and picture.rfind(b"\xff\xd9", -64) > 0:
            self._newest = picture
            self._changed.set()
