from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua import events
from cua.events import EventLog
from cua.models.sent import Sent


async def take(log: EventLog, count: int, last_id: str = "") -> list[int]:
    seen: list[int] = []
    async for _, event in log.follow(last_id):
        seen.append(event.seq)
        if len(seen) == count:
            return seen
    raise AssertionError


@given(st.integers(0, 20), st.integers(1, 20))
def test_a_follower_from_anywhere_sees_each_later_event_once(start: int, more: int) -> None:
    async def scene() -> None:
        log = EventLog()
        for n in range(start + more):
            log.append("x", n=n)
        assert await take(log, more, f"{log.boot}:{start}") == list(
            range(start + 1, start + more + 1)
        )

    asyncio.run(scene())


async def test_a_follower_gets_what_comes_while_it_waits() -> None:
    log = EventLog()
    follower = asyncio.create_task(take(log, 3))
    for n in range(3):
        await asyncio.sleep(0)
        log.append("x", n=n)
    assert await follower == [1, 2, 3]


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


@pytest.mark.parametrize("mask", [None, str.upper])
def test_half_a_character_comes_to_nobody(mask: Callable[[str], str] | None) -> None:
    """A KVM's JSON may hold one; the record ended at it, and the socket of every page."""
    log = EventLog(mask)
    event = log.append("log", text="A \ud83d B", more=[{"x": "\udc00"}])
    assert event.data == {"text": "A ? B", "more": [{"x": "?"}]}
    json.dumps(event.data, ensure_ascii=False).encode()


def test_a_number_that_is_none_comes_to_nobody() -> None:
    """A page takes no event with a NaN in it, and an export with one is no JSON."""
    event = EventLog().append("reply", calls=[{"x": math.nan, "y": (-math.inf, 0.5)}])
    assert event.data == {"calls": [{"x": "nan", "y": ["-inf", 0.5]}]}
    json.dumps(event.data, allow_nan=False)


async def test_the_first_request_of_a_task_is_told_whole() -> None:
    """Its record has none of the one before, which stands in another folder or was reset."""
    log = EventLog()
    sent = Sent(log.append, log.masked, lambda: log.chapter)
    for text in ("one", "two"):
        log.append("task", text=text)
        for said in ("", "more\u2028"):
            await sent("http://host/v1", json.dumps({"prompt": "long", "said": said}).encode())
    first, second, third, fourth = (e.data for e in log.since(0) if e.kind == "request")
    assert first["same"] == third["same"] == 0
    assert third["text"] == first["text"]
    assert second["same"] == fourth["same"] == 2
    assert "long" not in second["text"]
    assert "more\u2028" in second["text"]


def test_pictures_are_kept_for_the_newest_only() -> None:
    log = EventLog()
    for n in range(events.PICTURES + 5):
        log.append("frame", bytes([n]))
        log.append("other")
    assert log.picture(1) is None
    assert log.picture(9) is None
    assert log.picture(11) == bytes([5])
    assert log.picture(12) is None
    assert log.picture(10_000) is None


def test_of_long_requests_the_newest_are_kept_and_the_record_has_all() -> None:
    recorded: list[events.Event] = []
    log = EventLog(tap=recorded.append)
    long = "x" * (events.REQUESTS // 4)
    for n in range(40):
        log.append("request", url="http://m", same=n, text=long)
        log.append("other")
    kept = [event.data["text"] for event in log.since(0) if event.kind == "request"]
    assert kept == [events.LEFT_OUT] * 36 + [long] * 4
    assert [e.data["text"] for e in recorded if e.kind == "request"] == [long] * 40
    log.clear()
    log.append("request", url="http://m", same=0, text=long)
    assert log.since(0)[-1].data["text"] == long


async def test_what_is_mentioned_is_told_at_once_and_not_kept() -> None:
    log = EventLog()
    heard: list[tuple[str, str]] = []

    async def listen(mentions: bool) -> None:
        async for number, event in log.follow(mentions=mentions):
            heard.append((number, event.kind))

    watcher = asyncio.create_task(listen(True))
    await asyncio.sleep(0)
    for kind in ("half", "whole"):
        log.mention(kind)
        await asyncio.sleep(0)
    log.append("fact")
    await asyncio.sleep(0)
    watcher.cancel()
    assert heard == [("", "half"), ("", "whole"), (f"{log.boot}:1", "fact")]
    assert await take(log, 1) == [1]


async def test_a_fact_takes_the_place_of_what_was_mentioned_before() -> None:
    log = EventLog()
    log.mention("half")
    log.append("fact")
    async for _, event in log.follow(mentions=True):
        assert event.kind == "fact"
        break
