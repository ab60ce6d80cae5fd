"""The splitter is blind to chunk edges and bounded."""

from __future__ import annotations

import contextlib
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.screen.multipart import MAX_FRAME_BYTES, Splitter
from cua.types import ScreenError

bodies = st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=6)


def body_of(parts: list[bytes], with_length: bool, boundary: bytes = b"frame") -> bytes:
    length = (b"Content-Length: %d\r\n" % len(p) if with_length else b"" for p in parts)
    whole = b"".join(
        b"--" + boundary + b"\r\nContent-Type: image/jpeg\r\n" + n + b"\r\n" + p + b"\r\n"
        for n, p in zip(length, parts, strict=True)
    )
    return whole + b"--" + boundary + b"\r\n"


def fed(data: bytes, cuts: list[int], boundary: str = "frame") -> list[bytes]:
    splitter = Splitter(boundary)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    return [part for chunk in chunks for part in splitter.feed(chunk)]


@given(bodies, st.lists(st.integers(0, 5000)))
def test_parts_with_a_length_come_out_whole_whatever_they_hold(
    parts: list[bytes], cuts: list[int]
) -> None:
    assert fed(body_of(parts, with_length=True), cuts) == parts


@given(bodies, st.lists(st.integers(0, 5000)))
def test_parts_without_a_length_end_at_the_boundary(parts: list[bytes], cuts: list[int]) -> None:
    plain = [part.replace(b"\r", b"x").replace(b"-", b"x") for part in parts]
    assert fed(body_of(plain, with_length=False), cuts) == plain


def test_a_part_with_a_length_is_out_before_the_next_boundary_comes() -> None:
    data = body_of([b"\xff\xd8picture"], with_length=True)
    assert list(Splitter("frame").feed(data[: data.index(b"picture") + 7])) == [b"\xff\xd8picture"]


def test_a_boundary_may_be_given_with_its_dashes() -> None:
    data = body_of([b"abc"], with_length=True)
    assert list(Splitter("--frame").feed(data)) == [b"abc"]


@pytest.mark.parametrize(
    "data",
    [
        b"<html>" + b"x" * 5000,
        b"--frame\r\nContent-Length: 99999999\r\n\r\n",
        b"--frame\r\nContent-Length: -5\r\n\r\n",
        b"--frame\r\nContent-Length: 5e3\r\n\r\n",
        b"--frame\r\nX: " + b"y" * 5000,
        b"--frame\r\n\r\n" + b"z" * (MAX_FRAME_BYTES + 1),
    ],
)
def test_invalid_data_is_refused_and_not_kept(data: bytes) -> None:
    with pytest.raises(ScreenError):
        list(Splitter("frame").feed(data))


@given(st.binary(max_size=2000))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    with contextlib.suppress(ScreenError):
        list(Splitter("frame").feed(data))


@pytest.mark.parametrize("boundary", ["", "x" * 71])
def test_a_boundary_has_a_sane_length(boundary: str) -> None:
    with pytest.raises(ScreenError):
        Splitter(boundary)


def test_a_part_with_a_length_is_copied_once() -> None:
    part = bytes(1_000_000)
    data = body_of([part], with_length=True)
    chunks = [memoryview(data)[at : at + 100_000] for at in range(0, len(data), 100_000)]
    splitter = Splitter("frame")
    tracemalloc.start()
    try:
        assert [each for chunk in chunks for each in splitter.feed(chunk)] == [part]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1.5 * len(part)
