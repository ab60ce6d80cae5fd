"""Response heads and chunked bodies, cut anywhere and from hostile peers."""

from __future__ import annotations

import contextlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.screen.http_body import ChunkedBody, HttpError, parse_head


def cut(data: bytes, cuts: list[int]) -> list[memoryview]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [memoryview(data)[a:b] for a, b in pairwise(edges)]


def decoded(data: bytes, cuts: list[int]) -> bytes:
    body = ChunkedBody()
    return b"".join(bytes(piece) for chunk in cut(data, cuts) for piece in body.feed(chunk))


@given(st.lists(st.binary(min_size=1, max_size=300)), st.lists(st.integers(0, 5000)))
def test_a_chunked_body_is_decoded_wherever_it_is_cut(chunks: list[bytes], cuts: list[int]) -> None:
    coded = b"".join(b"%X;a=b\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    assert decoded(coded + b"0\r\n\r\n", cuts) == b"".join(chunks)


@pytest.mark.parametrize(
    "data", [b"\r\n\r\n", b"-5\r\n", b"xyz\r\n", b"123456789\r\n", b"1" * 5000]
)
def test_a_chunk_without_a_valid_size_is_an_error(data: bytes) -> None:
    with pytest.raises(HttpError, match="no valid size"):
        decoded(data, [])


@given(st.binary(max_size=500), st.lists(st.integers(0, 500)))
def test_chunked_bodies_raise_nothing_else(data: bytes, cuts: list[int]) -> None:
    with contextlib.suppress(HttpError):
        decoded(data, cuts)


@given(st.binary(max_size=500))
def test_heads_raise_nothing_else(data: bytes) -> None:
    for head in (data, b"HTTP/1.1 200 OK\r\n" + data):
        with contextlib.suppress(HttpError):
            parse_head(head)


def test_headers_are_found_by_lower_case_names() -> None:
    head = parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nX-A:b")
    assert (head.status, head.headers["x-a"], head.chunked) == (200, "b", True)
