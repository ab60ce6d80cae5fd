"""JSON with pictures in it."""

from __future__ import annotations

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from cua.models.encoding import Picture, encode
from tests.models import json_of


@given(json_of("a", "ü", '"', ""))
def test_without_pictures_it_is_json(value: object) -> None:
    assert json.loads(encode(value)) == value


@given(st.binary(), st.lists(json_of("a")))
def test_a_picture_is_base64_after_its_prefix(data: bytes, around: list[object]) -> None:
    said = json.loads(encode([*around, {"url": Picture(data, b"data:image/jpeg;base64,")}]))
    assert said[:-1] == around
    prefix, coded = said[-1]["url"].split(",")
    assert prefix == "data:image/jpeg;base64"
    assert base64.b64decode(coded) == data
