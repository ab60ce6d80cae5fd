"""The event log of a session, to which every page subscribes.

The newest events stay in memory; older ones are read from the record on disk when requested. A
subscriber is a sequence number, so a slow page loses nothing. Transient events, such as half of a
reply, are sent but not recorded. The boot id tells a reconnecting page whether the process is the
same.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from ..messages import Message
from ..types import replace_surrogates


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `at` is Unix time in seconds, `mono` seconds of a monotonic clock; `data` is
    JSON whose texts may be messages; `picture` a JPEG, empty if it is no longer in memory.
    """

    seq: int
    at: float
    kind: str
    data: dict[str, Any]
    picture: bytes | None = field(default=None, repr=False)
    mono: float = field(default_factory=time.monotonic)


class Record(Protocol):
    """The log's events on disk. The methods block: call them in a thread."""

    reached: int
    """The number of the last recorded event; later ones stay in memory."""

    def since(self, after: int) -> Iterator[Event]:
        """Yield the recorded events after number `after`, in order."""

    def screenshot(self, seq: int) -> bytes | None:
        """Return the JPEG of event `seq`; None if it is gone."""


MAX_PICTURES = 20
"""Number of screenshots in memory; the record has the others."""
MAX_CHARS = 1_000_000
"""Size of the events in memory, about a hundred steps; the record has the others."""
EVENT_CHARS = 200
"""Size of an event without its texts."""
BATCH_EVENTS = 200
"""Number of recorded events that are read at a time."""
STATE_KINDS = {"session_started", "screen", "reach", "task", "status", "queue"}
"""Kinds whose newest event a page always needs, even if the events around it are lost."""


class EventLog:
    """The events since the program started or was reset; sequence numbers start at 1.

    `mask` removes secrets from every text. Without a `record`, events beyond `kept` characters are
    lost, and subscribers get their number.
    """

    def __init__(self, mask: Callable[[str], str] = str, kept: float = MAX_CHARS) -> None:
        self.mask = mask
        self.listeners: list[Callable[[Event], None]] = []
        """Functions that are called with each event."""
        self.record: Record | None = None
        self.boot = secrets.token_hex(4)
        self._kept = kept
        self._events: list[Event] = []
        self._chars = 0
        self._state: dict[str, Event] = {}
        """The newest event of each of `STATE_KINDS`."""
        self._grown = asyncio.Event()
        self._next = 1
        self._cleared = 0
        """The number of the last event before the log was cleared."""
        self._pictured: deque[int] = deque()
        self._transient: Event | None = None
        self.task_seq = 0
        """The number of the current task's first event."""

    def append(self, kind: str, /, picture: bytes | None = None, **data: Any) -> Event:
        event = Event(self._next, time.time(), kind, self.mask_values(data), picture)
        self._next += 1
        self._events.append(event)
        self._chars += _size(event.data)
        if picture is not None:
            self._pictured.append(event.seq)
            self._drop_old_picture()
        if kind == "task":
            self.task_seq = event.seq
        if kind in STATE_KINDS:
            self._state[kind] = event
        self._drop_old_events()
        self._transient = None
        self._wake()
        for handle in self.listeners:
            handle(event)
        return event

    def note(self, level: str, text: str, **more: Any) -> None:
        """Append a remark; `aloud=True`: show it in the chat too."""
        self.append("log", level=level, text=text, **more)

    def send_transient(self, kind: str, /, **data: Any) -> None:
        """Send to current subscribers only; the next event of any kind replaces it."""
        self._transient = Event(0, time.time(), kind, self.mask_values(data))
        self._wake()

    async def picture(self, seq: int) -> bytes | None:
        """Return the screenshot of event `seq` from memory or disk; None if it is gone."""
        held = next(
            (each.picture for each in self.in_memory_since(seq - 1)[:1] if each.seq == seq), b""
        )
        if held or held is None or self.record is None or seq <= self._cleared:
            return held or None
        return await asyncio.to_thread(self.record.screenshot, seq)

    def clear(self) -> None:
        """Drop all events; numbering continues, so that subscribers miss nothing later."""
        self._events.clear()
        self._state.clear()
        self._pictured.clear()
        self._chars = 0
        self._cleared = self._next - 1

    async def subscribe(
        self, last_id: str = "", *, transient: bool = False
    ) -> AsyncIterator[tuple[str, Event]]:
        """Yield (id, event) after `last_id` ("boot:seq") without end; of another boot, all events.

        `transient`: also transient events and the number of lost events, under the empty id.
        """
        last_transient: Event | None = None
        boot, _, seq = last_id.partition(":")
        after = int(seq) if boot == self.boot and seq.isdecimal() else 0
        while True:
            grown = self._grown
            after = max(after, self._cleared)
            async for event in self._events_after(after):
                missing, after = event.seq - after - 1, event.seq
                if missing and transient:
                    yield "", _missing_note(missing, event)
                yield f"{self.boot}:{event.seq}", event
            if transient and self._transient is not last_transient:
                last_transient = self._transient
                if last_transient is not None:
                    yield "", last_transient
            await grown.wait()

    @asynccontextmanager
    async def followed_by(self, on_event: Callable[[Event], None]) -> AsyncIterator[None]:
        """Call `on_event` with each event until the block of code ends.

        An error of `on_event` cancels the block and is raised.
        """
        block, inside = asyncio.current_task(), True
        assert block is not None

        def stop_block(_: object) -> None:
            if inside:
                block.cancel()

        async def follow() -> None:
            async for _, event in self.subscribe():
                on_event(event)

        follower = asyncio.create_task(follow())
        follower.add_done_callback(stop_block)
        try:
            yield
        finally:
            await asyncio.sleep(0)  # let the follower start
            inside = False
            if follower.done():
                follower.result()
            follower.cancel()

    async def _events_after(self, after: int) -> AsyncIterator[Event]:
        """Yield the events with a higher number: recorded ones, then those in memory."""
        has_more = True
        while has_more and after + 1 < self._first_in_memory:
            has_more = False
            async for event in self._recorded_after(after):
                has_more, after = True, event.seq
                yield event
        for event in sorted(self._state.values(), key=lambda each: each.seq):
            if after < event.seq < self._first_in_memory:
                after = event.seq
                yield event
        for event in self.in_memory_since(after):
            yield event

    async def _recorded_after(self, after: int) -> AsyncIterator[Event]:
        """Yield the events on disk that are no longer in memory."""
        if self.record is None:
            return
        events = self.record.since(after)
        while batch := await asyncio.to_thread(lambda: list(islice(events, BATCH_EVENTS))):
            for event in batch:
                if event.seq >= self._first_in_memory:
                    return
                yield event

    @property
    def _first_in_memory(self) -> int:
        """The number of the oldest event in memory."""
        return self._events[0].seq if self._events else self._next

    def mask_values(self, value: Any) -> Any:
        """Return JSON and messages with secrets masked, and without values that UTF-8 or JSON
        cannot encode: lone surrogates are replaced, NaN becomes "nan".
        """
        if isinstance(value, Message):
            return Message(value.key, **self.mask_values(value.values))
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, str):
            return self.mask(replace_surrogates(value))
        if isinstance(value, dict):
            return {key: self.mask_values(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask_values(each) for each in value]
        return value

    def _wake(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()

    def in_memory_since(self, after: int) -> list[Event]:
        return self._events[max(0, after + 1 - self._first_in_memory) :]

    def _drop_old_picture(self) -> None:
        if len(self._pictured) > MAX_PICTURES:
            index = self._pictured.popleft() - self._first_in_memory
            if index >= 0:
                self._events[index] = replace(self._events[index], picture=b"")

    def _drop_old_events(self) -> None:
        """Drop a quarter at a time, as each drop copies the list; keep the newest event."""
        if self._chars <= self._kept:
            return
        gone, last = 0, self._next - 2
        if self.record:
            last = min(last, self.record.reached)
        while self._chars > self._kept * 3 / 4 and self._events[gone].seq <= last:
            self._chars -= _size(self._events[gone].data)
            gone += 1
        del self._events[:gone]


def _missing_note(count: int, event: Event) -> Event:
    """Return a message for the chat: `count` events before `event` are missing."""
    data = {"level": "warning", "text": Message("events.lost", count=count), "aloud": True}
    return Event(event.seq - 1, event.at, "log", data, mono=event.mono)


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return EVENT_CHARS + sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 0
