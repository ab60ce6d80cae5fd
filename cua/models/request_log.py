"""Log the requests to a model server as indented JSON, exactly as they are sent.

Pictures are replaced by their size; headers, with the key, are left out. A request begins like the
one before it, so only its new lines are formatted and logged: the work does not grow with the task.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from operator import eq
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PICTURE = re.compile(rb'([",])([A-Za-z0-9+/=_-]{400,})')


class _Piece(NamedTuple):
    """A part of the indented JSON: `value` between two texts, or `before` alone."""

    before: str
    value: Any = ...
    after: str = ""


class RequestLog:
    """`append` gets `url`, `same` (how many lines equal those of the previous request) and `text`
    (the lines after them); `mask` removes secrets from any JSON. The first request of a task, told
    by `task_seq`, is logged whole, as the previous one may be in another record.
    """

    def __init__(
        self,
        append: Callable[..., object],
        mask: Callable[[Any], Any],
        task_seq: Callable[[], int] = lambda: 0,
    ) -> None:
        self._append, self._mask, self._task_seq = append, mask, task_seq
        self._pieces: list[_Piece] = []
        self._texts: list[str] = []
        """These pieces, formatted."""
        self._logged_task_seq = 0

    async def __call__(self, url: str, body: bytes) -> None:
        if self._logged_task_seq != self._task_seq():
            self._logged_task_seq, self._pieces, self._texts = self._task_seq(), [], []
        same, text = await asyncio.to_thread(self._added, body)
        place = urlsplit(url)._replace(query="").geturl()
        self._append("request", url=place, same=same, text=text)

    def _added(self, body: bytes) -> tuple[int, str]:
        pieces = list(_split(body))
        kept = _count_equal(self._pieces, pieces)
        known, old = self._texts[:kept], "\n".join(self._texts[kept:]).split("\n")
        texts = [self._format(piece) for piece in pieces[kept:]]
        new = "\n".join(texts).split("\n")
        more = _count_equal(old, new)
        self._pieces, self._texts = pieces, [*known, *texts]
        return sum(text.count("\n") + 1 for text in known) + more, "\n".join(new[more:])

    def _format(self, piece: _Piece) -> str:
        if piece.value is ...:
            return str(self._mask(piece.before))
        indent = " " * (len(piece.before) - len(piece.before.lstrip()))
        text = json.dumps(self._mask(piece.value), indent=2, ensure_ascii=False)
        return piece.before + text.replace("\n", f"\n{indent}") + piece.after


def _count_equal(a: Sequence[object], b: Sequence[object]) -> int:
    """The length of the common prefix."""
    return sum(takewhile(bool, map(eq, a, b)))


def _name_picture(found: re.Match[bytes]) -> bytes:
    return found[1] + b"[picture, %d KB]" % (len(found[2]) * 3 // 4096)


def _split(body: bytes) -> Iterator[_Piece]:
    """The members of a request, and each element of those that are lists."""
    short = PICTURE.sub(_name_picture, body)
    try:
        whole = json.loads(short)
    except ValueError:
        yield from map(_Piece, short.decode("utf-8", "replace").split("\n"))
        return
    yield from _members(whole) if isinstance(whole, dict) else [_Piece("", whole)]


def _members(whole: dict[str, Any]) -> Iterator[_Piece]:
    yield _Piece("{")
    for (name, value), comma in _with_commas(list(whole.items())):
        head = f"  {json.dumps(name)}: "
        if isinstance(value, list):
            yield _Piece(f"{head}[")
            for element, after in _with_commas(value):
                yield _Piece("    ", element, after)
            yield _Piece(f"  ]{comma}")
        else:
            yield _Piece(head, value, comma)
    yield _Piece("}")


def _with_commas(values: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    return ((each, "," if n < len(values) else "") for n, each in enumerate(values, 1))
