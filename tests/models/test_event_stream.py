"""Event streams as servers write them, cut anywhere."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.models.http_client import parse_events

VALUES = st.lists(st.dictionaries(st.text(), st.text() | st.integers(), max_size=3))
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


async def sent(chunks: Sequence[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def read(data: bytes, cuts: Sequence[int] = ()) -> list[object]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    headers = {"content-type": "text/event-stream"}
    request = httpx2.Request("POST", "http://server/")

    async def collect() -> list[object]:
        response = httpx2.Response(200, headers=headers, content=sent(chunks), request=request)
        return [event async for event in parse_events(response)]

    return asyncio.run(collect())


@given(VALUES, ENDS, st.sampled_from(["data: ", "data:"]), st.lists(st.integers(0, 5000)))
def test_events_are_read_wherever_they_are_cut(
    values: list[dict[str, object]], end: str, name: str, cuts: list[int]
) -> None:
    noise = f": ping{end}event: message{end}"
    text = "".join(f"{noise}{name}{json.dumps(value)}{end}{end}" for value in values)
    assert read(f"{text}data: [DONE]{end}{end}".encode(), cuts) == values


def test_data_over_several_lines_is_one_value() -> None:
    assert read(b'data: {"a":\ndata: 1}\n\n') == [{"a": 1}]


def test_what_follows_the_end_is_not_read() -> None:
    assert read(b'data: [DONE]\n\ndata: {"a": 1}\n\n') == []


def test_an_event_that_is_cut_off_is_none() -> None:
    assert read(b'data: {"a": 1}\n\ndata: {"b"') == [{"a": 1}]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300)))
def test_only_what_is_not_json_is_an_error(data: bytes, cuts: list[int]) -> None:
    with contextlib.suppress(ValueError, RecursionError):
        read(data, cuts)


def test_what_is_not_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        read(b"data: {nonsense\n\n")
