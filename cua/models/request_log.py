"""Log the requests to a model server as indented JSON, exactly as they are sent.

Pictures are replaced by their size; headers, with the key, are omitted. A request begins like the
one before it, so only the lines after this beginning are logged.
"""

from __future__ import annotations

import asyncio
import json
import re
from itertools import takewhile
from operator import eq
from urllib.parse import urlsplit

from pydantic_core import to_json

from cua.events.log import EventLog

PICTURE = re.compile(rb'([",])([A-Za-z0-9+/=_-]{400,})')


class RequestLog:
    """Appends the event `request`: `url`, `same` (number of first lines equal to the previous
    request's) and `text` (the lines after them).

    The first request of a task is logged whole, as the one before may be in another record.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._lines: list[str] = []
        """The lines of the last request."""
        self._task_seq = 0

    async def __call__(self, url: str, body: bytes) -> None:
        lines = await asyncio.to_thread(self._format, body)
        if self._task_seq != self._log.task_seq:
            self._task_seq, self._lines = self._log.task_seq, []
        same = sum(takewhile(bool, map(eq, self._lines, lines)))
        self._lines = lines
        place = urlsplit(url)._replace(query="").geturl()
        self._log.append("request", url=place, same=same, text="\n".join(lines[same:]))

    def _format(self, body: bytes) -> list[str]:
        short = PICTURE.sub(_name_picture, body)
        try:
            text = to_json(self._log.mask_values(json.loads(short)), indent=2).decode()
        except ValueError:
            text = str(self._log.mask_values(short.decode("utf-8", "replace")))
        return text.split("\n")


def _name_picture(found: re.Match[bytes]) -> bytes:
    return found[1] + b"[picture, %d KB]" % (len(found[2]) * 3 // 4096)
