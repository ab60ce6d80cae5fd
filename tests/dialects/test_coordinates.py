from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cua.dialects import fields, loose_json
from cua.dialects.coordinates import (
    FRACTIONS,
    THOUSANDTHS,
    fit_size,
    parse_number,
    parse_numbers,
    pixel_space,
)
from cua.types import FormatError

from .table import at

PAIRS: list[object] = [
    [250, 500],
    (250.0, "500"),
    [[250, 500]],
    {"x": 250, "y": 500},
    "[250, 500]",
    "(250,500)",
    "250 500",
    "<point>250 500</point>",
    "<|box_start|>(250,500)<|box_end|>",
    "<bbox>200 400 300 600</bbox>",
    [200, 400, 300, 600],
    "（２５０，５００）",
]


@pytest.mark.parametrize("value", PAIRS, ids=repr)
def test_points_in_many_forms(value: object) -> None:
    assert THOUSANDTHS.parse_point(value) == at(0.25, 0.5)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 5, [], [5], [1, 2, 3], [1, 2, 3, 4, 5], [True, 5], [None, 5], "", "5",
        "f(1), 2",
        "nan 5", "1_0 5", [float("nan"), 5], [float("inf"), 5], [10**400, 5], ["9" * 30, 5],
        [0.5, 0.3], [500, 0.3],
        [1001, 5], [-1, 5], [-0.001, 5], [[1], 5], {"x": 1}, {"x": 1, "y": 2, "z": 3}, "1 " * 500,
    ],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_a_value_that_is_not_a_point_is_refused(value: object) -> None:
    with pytest.raises(FormatError):
        THOUSANDTHS.parse_point(value)


def test_the_edges_belong_to_the_screen() -> None:
    assert THOUSANDTHS.parse_point([0, 1000]) == at(0, 1)
    assert FRACTIONS.parse_point([1, 0]) == at(1, 0)
    assert pixel_space((1280, 720)).parse_point([1280, 720]) == at(1, 1)


def test_pixels_count_the_screenshot_that_was_sent() -> None:
    assert pixel_space((1932, 1092)).parse_point([966, 546]) == at(0.5, 0.5)
    with pytest.raises(FormatError, match="1288 x 728"):
        pixel_space((1288, 728)).parse_point([1300, 5])


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 8000), st.integers(1, 8000))
def test_a_fraction_comes_back(x: float, y: float, width: int, height: int) -> None:
    assume(not 0 < x * width < 1)
    assume(not 0 < y * height < 1)
    found = (FRACTIONS if (width, height) == (1, 1) else pixel_space((width, height))).to_point(
        x * width, y * height
    )
    assert (found.x, found.y) == pytest.approx((x, y))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value_is_numbers_or_an_error(value: object) -> None:
    for read in (
        parse_number,
        parse_numbers,
        fields.parse_notches,
        fields.parse_seconds,
        fields.parse_keys,
        fields.parse_text,
    ):
        try:
            read(value)
        except FormatError as error:
            assert len(str(error)) < 200  # noqa: PT017


SCREENS = [(640, 480), (1024, 768), (1280, 720), (1366, 768), (1440, 900), (1920, 1080)]
TWENTY_EIGHT = [(644, 476), (1036, 756), (1288, 728), (1372, 756), (1428, 896), (1932, 1092)]
THIRTY_TWO = [(640, 480), (1024, 768), (1280, 704), (1376, 768), (1440, 896), (1920, 1088)]


@pytest.mark.parametrize(
    ("factor", "expected"), [(28, TWENTY_EIGHT), (32, THIRTY_TWO)], ids=["28", "32"]
)
def test_whole_multiples(factor: int, expected: list[tuple[int, int]]) -> None:
    assert [fit_size(*size, factor) for size in SCREENS] == expected


@given(
    st.integers(64, 4096), st.integers(64, 4096), st.sampled_from([28, 32]), st.integers(16, 1200)
)
def test_a_whole_size_stays(width: int, height: int, factor: int, most: int) -> None:
    size = fit_size(width, height, factor, most)
    assert size[0] % factor == size[1] % factor == 0
    assert size[0] * size[1] <= most * factor**2 or min(size) == factor
    if min(size) > factor:
        assert fit_size(*size, factor, most) == size


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ("ctrl+s", ("CTRL", "S")),
        ("ctrl s", ("CTRL", "S")),
        ("ctrl-s", ("CTRL", "S")),
        (["ctrl", "s"], ("CTRL", "S")),
        (["ctrl+shift", "s"], ("CTRL", "SHIFT", "S")),
        (["keys=[ctrl", "c]"], ("CTRL", "C")),
        ("ctrl++", ("CTRL", "+")),
        ("ctrl + +", ("CTRL", "+")),
        ("ctrl+-", ("CTRL", "-")),
        ("-", ("-",)),
        ("+", ("+",)),
        (" ", ("SPACE",)),
        ("page-down", ("PAGE-DOWN",)),
        ("Page Down", ("PAGEDOWN",)),
        ("alt Print Screen", ("ALT", "PRINTSCREEN")),
        ([5], ("5",)),
        ('["ctrl", "s"]', ("CTRL", "S")),
        ("[ctrl, s]", ("CTRL", "S")),
        ('["ctrl", ","]', ("CTRL", ",")),
        ("[", ("[",)),
        ("]", ("]",)),
        ("'", ("'",)),
    ],
    ids=repr,
)
def test_keys(value: object, keys: tuple[str, ...]) -> None:
    assert fields.parse_keys(value) == keys


@pytest.mark.parametrize("value", ["ctrl+", "ctrl + ", "+s", "ctrl++s", ["ctrl+"], '["ctrl", "s'])
def test_half_a_chord_is_refused(value: object) -> None:
    with pytest.raises(FormatError):
        fields.parse_keys(value)


@pytest.mark.parametrize(
    ("amount", "notches"),
    [(5, 5), (-5, -5), (20, 20), (21, 1), (-500, -5), (0.4, 1), (0, 0), (1e9, 100), ("-300", -3)],
)
def test_notches(amount: object, notches: int) -> None:
    assert fields.parse_notches(amount) == notches


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2],}', {"a": [1, 2]}),
        ('{"a": 1}}}', {"a": 1}),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        (r"""{'a': 'it\'s "x"'}""", {"a": 'it\'s "x"'}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ('{"a": "},]"}', {"a": "},]"}),
    ],
)
def test_loose_json(text: str, value: object) -> None:
    assert loose_json.parse_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": {"b": "c"',
        '{"a": [1',
        '{"a": 1',
        '{"a": "x',
        "{'a",
        "[1 2]",
        '{"a": 1]',
        '{"a": f()}',
        "x",
    ],
)
def test_unclear_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        loose_json.parse_json(text)


@given(st.dictionaries(st.text(), st.text() | st.integers(-(10**9), 10**9)))
def test_json_comes_back(value: dict[str, object]) -> None:
    import json

    assert loose_json.parse_json(json.dumps(value)) == value
