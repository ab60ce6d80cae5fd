"""The record of a session, and at once the queue from which every page is fed.

Append-only: a follower is an index into the list, so a slow or dead page costs nothing and loses
nothing. What is true for a moment only, such as half of a reply, is mentioned and not recorded.
The boot id tells a page that came back whether it talks to the same process.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One fact. `at` is Unix time in seconds, `mono` that of a clock that is never set; `data` is
    plain JSON; `picture` a JPEG.
    """

    seq: int
    at: float
    kind: str
    data: dict[str, Any]
    picture: bytes | None = field(default=None, repr=False)
    mono: float = field(default_factory=time.monotonic)


PICTURES = 100
"""Screenshots that are kept; at a tenth of a megabyte each, more would crowd a small device."""
REQUESTS = 2_000_000
"""Characters of what models were told that are kept, some hundred steps of it; the record on the
disk has all of it."""
LEFT_OUT = "…"


class EventLog:
    """All that happened since the program started or was reset; sequence numbers start at 1.

    `mask` takes secrets out of every text before anybody sees it; `tap` is shown each event.
    """

    def __init__(
        self,
        mask: Callable[[str], str] | None = None,
        tap: Callable[[Event], None] | None = None,
    ) -> None:
        self.mask, self.tap = mask, tap
        self.boot = secrets.token_hex(4)
        self._events: list[Event] = []
        self._grown = asyncio.Event()
        self._next = 1
        self._pictured: deque[int] = deque()
        self._requests: deque[int] = deque()
        self._told = 0
        """Characters of these requests."""
        self._mentioned: Event | None = None
        self.chapter = 0
        """The number with which the task began that is under way."""

    def append(self, kind: str, /, picture: bytes | None = None, **data: Any) -> Event:
        event = Event(self._next, time.time(), kind, self.masked(data), picture)
        self._next += 1
        self._events.append(event)
        if picture is not None:
            self._pictured.append(event.seq)
            self._drop_old_picture()
        if kind == "task":
            self.chapter = event.seq
        if kind == "request":
            self._requests.append(event.seq)
            self._told += len(event.data["text"])
            self._drop_old_requests()
        self._mentioned = None
        self._wake()
        if self.tap:
            self.tap(event)
        return event

    def mention(self, kind: str, /, **data: Any) -> None:
        """For who watches this moment; the next event or mention takes its place."""
        self._mentioned = Event(0, time.time(), kind, self.masked(data))
        self._wake()

    def picture(self, seq: int) -> bytes | None:
        """The screenshot that came with event `seq`, if it is still kept."""
        found = self.since(seq - 1)[:1]
        return found[0].picture if found and found[0].seq == seq else None

    def clear(self) -> None:
        """Forget what was; numbering goes on, so that nobody misses what comes after."""
        self._events.clear()
        self._pictured.clear()
        self._requests.clear()
        self._told = 0

    async def follow(
        self, last_id: str = "", *, mentions: bool = False
    ) -> AsyncIterator[tuple[str, Event]]:
        """Every event after `last_id` ("boot:seq"), for ever; all of them after another boot.

        `mentions`: also what is not recorded, under the empty id.
        """
        told: Event | None = None
        boot, _, seq = last_id.partition(":")
        after = int(seq) if boot == self.boot and seq.isdecimal() else 0
        while True:
            grown = self._grown
            for event in self.since(after):
                after = event.seq
                yield f"{self.boot}:{event.seq}", event
            if mentions and self._mentioned is not told:
                told = self._mentioned
                if told is not None:
                    yield "", told
            await grown.wait()

    def masked(self, value: Any) -> Any:
        """Plain JSON without the secrets in its texts, and without what no record and no page can
        carry: the halves of surrogate pairs, and numbers that are none (NaN becomes "nan").
        """
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, str):
            whole = value.encode("utf-8", "replace").decode()
            return self.mask(whole) if self.mask else whole
        if isinstance(value, dict):
            return {key: self.masked(each) for key, each in value.items()}
        return [self.masked(each) for each in value] if isinstance(value, (list, tuple)) else value

    def _wake(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()

    def since(self, after: int) -> list[Event]:
        """The events with a higher number, as far as they are kept."""
        if not self._events:
            return []
        return self._events[max(0, after + 1 - self._events[0].seq) :]

    def _drop_old_picture(self) -> None:
        if len(self._pictured) > PICTURES:
            index = self._pictured.popleft() - self._events[0].seq
            self._events[index] = replace(self._events[index], picture=None)

    def _drop_old_requests(self) -> None:
        while self._told > REQUESTS and len(self._requests) > 1:
            index = self._requests.popleft() - self._events[0].seq
            old = self._events[index]
            self._told -= len(old.data["text"])
            self._events[index] = replace(old, data={**old.data, "text": LEFT_OUT})
