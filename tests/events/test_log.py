from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.events import log as events
from cua.events.log import EventLog
from cua.messages import Message
from cua.models.request_log import RequestLog


async def take(log: EventLog, count: int, last_id: str = "") -> list[int]:
    seen: list[int] = []
    async for _, event in log.subscribe(last_id):
        seen.append(event.seq)
        if len(seen) == count:
            return seen
    raise AssertionError


@given(st.integers(0, 20), st.integers(1, 20))
def test_a_subscriber_from_anywhere_sees_each_later_event_once(start: int, more: int) -> None:
    async def scene() -> None:
        log = EventLog()
        for n in range(start + more):
            log.append("x", n=n)
        assert await take(log, more, f"{log.boot}:{start}") == list(
            range(start + 1, start + more + 1)
        )

    asyncio.run(scene())


async def test_a_subscriber_gets_what_comes_while_it_waits() -> None:
    log = EventLog()
    subscriber = asyncio.create_task(take(log, 3))
    for n in range(3):
        await asyncio.sleep(0)
        log.append("x", n=n)
    assert await subscriber == [1, 2, 3]


async def test_another_boot_starts_over() -> None:
    log = EventLog()
    log.append("x")
    assert await take(log, 1, "deadbeef:7") == [1]
    assert await take(log, 1, "nonsense") == [1]


async def test_after_a_clear_numbers_go_on() -> None:
    log = EventLog()
    log.append("x")
    log.clear()
    log.append("y")
    assert await take(log, 1, f"{log.boot}:1") == [2]
    assert await take(log, 1) == [2]


@pytest.mark.parametrize("mask", [str, str.upper])
def test_a_lone_surrogate_is_replaced(mask: Callable[[str], str]) -> None:
    """A KVM's JSON may hold one; the record ended at it, and the socket of every page."""
    log = EventLog(mask)
    event = log.append("log", text="A \ud83d B", more=[{"x": "\udc00"}])
    assert event.data == {"text": "A ? B", "more": [{"x": "?"}]}
    json.dumps(event.data, ensure_ascii=False).encode()


def test_nan_becomes_text() -> None:
    """A page takes no event with a NaN in it, and an export with one is no JSON."""
    event = EventLog().append("reply", calls=[{"x": math.nan, "y": (-math.inf, 0.5)}])
    assert event.data == {"calls": [{"x": "nan", "y": ["-inf", 0.5]}]}
    json.dumps(event.data, allow_nan=False)


async def test_the_first_request_of_a_task_is_told_whole() -> None:
    """Its record has none of the one before, which stands in another folder or was reset."""
    log = EventLog()
    sent = RequestLog(log)
    for text in ("one", "two"):
        log.append("task", text=text)
        for said in ("", "more\u2028"):
            await sent("http://host/v1", json.dumps({"prompt": "long", "said": said}).encode())
    first, second, third, fourth = (e.data for e in log.in_memory_since(0) if e.kind == "request")
    assert first["same"] == third["same"] == 0
    assert third["text"] == first["text"]
    assert second["same"] == fourth["same"] == 2
    assert "long" not in second["text"]
    assert "more\u2028" in second["text"]


async def test_pictures_are_kept_for_the_newest_only() -> None:
    log = EventLog()
    for n in range(events.MAX_PICTURES + 5):
        log.append("frame", bytes([n]))
        log.append("other")
    assert await log.picture(1) is None
    assert await log.picture(9) is None
    assert await log.picture(11) == bytes([5])
    assert await log.picture(12) is None
    assert await log.picture(10_000) is None


async def test_without_a_record_a_subscriber_is_told_how_many_old_events_are_lost() -> None:
    """It still gets what a page needs to know of the present state."""
    got: list[events.Event] = []
    log = EventLog(kept=20_000)
    log.listeners.append(got.append)
    for kind in ("session_started", "task"):
        log.append(kind)
    for n in range(100):
        log.append("request", text="x" * 1000, n=n)
    assert len(got) == 102
    held = len(log.in_memory_since(0))
    assert held < 20
    told: list[events.Event] = []
    async for _, event in log.subscribe(transient=True):
        told.append(event)
        if event.seq == 102:
            break
    assert [event.kind for event in told[:3]] == ["session_started", "task", "log"]
    assert told[2].data["text"] == Message("events.lost", count=100 - held)
    assert [event.data["n"] for event in told[3:]] == list(range(100 - held, 100))
    log.clear()
    log.append("reset")
    assert await take(log, 1) == [103]


async def test_a_transient_event_is_sent_at_once_and_not_kept() -> None:
    log = EventLog()
    heard: list[tuple[str, str]] = []

    async def listen(transient: bool) -> None:
        async for number, event in log.subscribe(transient=transient):
            heard.append((number, event.kind))

    watcher = asyncio.create_task(listen(True))
    await asyncio.sleep(0)
    for kind in ("half", "whole"):
        log.send_transient(kind)
        await asyncio.sleep(0)
    log.append("fact")
    await asyncio.sleep(0)
    watcher.cancel()
    assert heard == [("", "half"), ("", "whole"), (f"{log.boot}:1", "fact")]
    assert await take(log, 1) == [1]


async def test_an_event_replaces_the_transient_one_before_it() -> None:
    log = EventLog()
    log.send_transient("half")
    log.append("fact")
    async for _, event in log.subscribe(transient=True):
        assert event.kind == "fact"
        break
