"""What goes to a model's server, as text for whoever has to know exactly what the model was told.

It is taken where it leaves, so it is what was sent and not what somebody meant to send. Pictures
are too large to be read and are named only; the key stands in a header, which is not looked at. A
request begins as the one before it did, so only its new lines are told: a long task stays small.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

PICTURE = re.compile(rb"[A-Za-z0-9+/=_-]{400,}")


class Sent:
    """`tell` gets `url`, `same` (how many lines are those of the request before) and `text` (the
    lines after them); `mask` takes secrets out of any JSON. A `chapter` is told whole by itself:
    the request before it may stand in another record.
    """

    def __init__(
        self,
        tell: Callable[..., object],
        mask: Callable[[Any], Any],
        chapter: Callable[[], int] = lambda: 0,
    ) -> None:
        self._tell, self._mask, self._chapter = tell, mask, chapter
        self._before: list[str] = []
        self._told_in = 0

    async def __call__(self, url: str, body: bytes) -> None:
        lines = await asyncio.to_thread(_lines, body, self._mask)
        if self._told_in != self._chapter():
            self._told_in, self._before = self._chapter(), []
        pairs = enumerate(zip(self._before, lines, strict=False))
        same = next(
            (n for n, (old, new) in pairs if old != new), min(len(self._before), len(lines))
        )
        self._before = lines
        place = urlsplit(url)._replace(query="").geturl()
        self._tell("request", url=place, same=same, text="\n".join(lines[same:]))


def _lines(body: bytes, mask: Callable[[Any], Any]) -> list[str]:
    short = PICTURE.sub(lambda found: b"[picture, %d KB]" % (len(found[0]) * 3 // 4096), body)
    try:
        whole = mask(json.loads(short))
    except ValueError:
        return [mask(line) for line in short.decode("utf-8", "replace").split("\n")]
    return json.dumps(whole, indent=2, ensure_ascii=False).split("\n")
