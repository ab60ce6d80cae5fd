"""Log the requests to a model server as indented JSON, exactly as they are sent.

Pictures are replaced by their size; headers, with the key, are omitted. A request begins like the
one before it, so only the lines after this beginning are logged.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from itertools import takewhile
from operator import eq
from typing import Any
from urllib.parse import urlsplit

PICTURE = re.compile(rb'([",])([A-Za-z0-9+/=_-]{400,})')


class RequestLog:
    """`append` gets `url`, `same` (number of first lines equal to the previous request's) and
    `text` (the lines after them); `mask` removes secrets from any JSON. If `task_seq` changes, the
    request is logged whole, as the previous one may be in another record.
    """

    def __init__(
        self,
        append: Callable[..., object],
        mask: Callable[[Any], Any],
        task_seq: Callable[[], int] = lambda: 0,
    ) -> None:
        self._append, self._mask, self._task_seq = append, mask, task_seq
        self._lines: list[str] = []
        """The lines of the last request."""
        self._logged_task_seq = 0

    async def __call__(self, url: str, body: bytes) -> None:
        lines = await asyncio.to_thread(self._format, body)
        if self._logged_task_seq != self._task_seq():
            self._logged_task_seq, self._lines = self._task_seq(), []
        same = sum(takewhile(bool, map(eq, self._lines, lines)))
        self._lines = lines
        place = urlsplit(url)._replace(query="").geturl()
        self._append("request", url=place, same=same, text="\n".join(lines[same:]))

    def _format(self, body: bytes) -> list[str]:
        short = PICTURE.sub(_name_picture, body)
        try:
            text = json.dumps(self._mask(json.loads(short)), indent=2, ensure_ascii=False)
        except ValueError:
            text = str(self._mask(short.decode("utf-8", "replace")))
        return text.split("\n")


def _name_picture(found: re.Match[bytes]) -> bytes:
    return found[1] + b"[picture, %d KB]" % (len(found[2]) * 3 // 4096)
