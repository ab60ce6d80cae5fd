"""Which texts match a label, which are preferred, and the field of a label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.screen.ocr.layout import Box, ScreenLayout
from cua.screen.ocr.matching import contains_text, count_misread, find, find_field, new_texts
from tests.models.local.screens import button, look

SAME = [
    ("Save", "save"),
    ("File name:", "File name"),
    ("Open...", "Open"),
    ("* note.txt", "note.txt"),
    ("Altemate DNS server", "Alternate DNS server"),
    ("Is Documents", "ls Documents"),
    ("EnabIe IPv6", "Enable IPv6"),
    ("Preferred DNS", "Prefered DNS"),
    ("Downloadthe datasheet", "Download the datasheet"),
]
OTHER = [
    ("Start", "Restart"),
    ("192.168.1.1", "192.168.1.2"),
    ("report_2023_05.txt", "report_2023_06.txt"),
    ("OK", "No"),
    ("Yes", "Yet"),
    ("ESP32-S3 Datasheet", "ESP32 Datasheet"),
]


@pytest.mark.parametrize(("read", "meant"), SAME)
def test_texts_that_ocr_may_confuse(read: str, meant: str) -> None:
    assert count_misread(read, meant) is not None


@pytest.mark.parametrize(("read", "meant"), OTHER)
def test_texts_that_differ(read: str, meant: str) -> None:
    assert count_misread(read, meant) is None


@given(st.text(), st.text())
def test_matching_is_symmetric(one: str, other: str) -> None:
    assert (count_misread(one, other) is None) == (count_misread(other, one) is None)


def texts(screen: ScreenLayout, *names: str) -> list[str]:
    return [seen.text for seen in find(screen, names)]


def test_a_whole_line_is_preferred_to_words_in_one() -> None:
    screen = look([("Do you want to save it?", 100, 100), ("SAVE", 100, 200)])
    assert texts(screen, "Save") == ["SAVE"]


def test_exact_capitals_are_preferred() -> None:
    screen = look([("save", 100, 100), ("Save", 100, 200)])
    assert texts(screen, "Save") == ["Save"]


def test_words_within_a_line_have_their_own_place() -> None:
    screen = look([("File Edit View", 100, 100)])
    [seen] = find(screen, ["Edit"])
    assert (seen.text, seen.box.middle[0]) == ("Edit", 100 + 9 * 7 - 1)


def test_an_earlier_name_is_preferred_to_a_better_match_of_a_later_one() -> None:
    screen = look([("preferred dns", 100, 100), ("DNS", 100, 200)])
    assert texts(screen, "Preferred DNS", "DNS") == ["preferred dns"]


def test_a_misread_name_comes_after_any_that_is_read_right() -> None:
    screen = look([("Prefered DNS", 100, 100), ("DNS", 100, 200)])
    assert texts(screen, "Preferred DNS", "DNS") == ["DNS"]


def test_a_longer_or_shorter_word_is_another_name() -> None:
    screen = look([("File", 100, 100), ("Save all", 100, 200), ("Documnts", 100, 300)])
    assert [texts(screen, name) for name in ("Files", "Save al", "Documents")] == [
        [], [], ["Documnts"],
    ]  # fmt: skip


def test_all_equal_places_are_found() -> None:
    screen = look([("OK", 100, 100), ("OK", 700, 500)])
    assert texts(screen, "OK") == ["OK", "OK"]


def test_a_wrapped_text_is_found() -> None:
    screen = look([("The quick brown fox", 100, 100), ("jumps over the dog", 100, 130)])
    assert contains_text(screen.lines, "brown fox jumps over")
    assert not contains_text(screen.lines, "brown fox sleeps over")


def test_a_short_text_is_not_found_inside_words() -> None:
    assert not contains_text(look([("Looking", 100, 100)]).lines, "OK")


def test_a_clock_is_not_a_new_text() -> None:
    before = look([("Files", 100, 100), ("Sat 21 Nov 14:59", 1100, 690), ("9:59", 900, 690)])
    now = look([("Files", 100, 100), ("Sat 21 Nov 15:00", 1100, 690), ("10:00", 900, 690)])
    assert new_texts(before, now) == []


def test_a_text_at_the_pointer_is_not_a_new_text() -> None:
    before, now = look([("Documents", 100, 100)]), look([("Doc nts", 100, 100)])
    assert new_texts(before, now)
    assert new_texts(before, now, [(130, 110)]) == []


def test_a_line_that_runs_into_a_field_is_cut_there() -> None:
    field = (190, 95, 400, 130)
    screen = look([("Primary 10.0.0.1", 120, 100)], [field])
    assert [seen.text for seen in screen.lines] == ["Primary", "10.0.0.1"]


FIELD = (300, 96, 500, 130)
FIELDS = [
    ("right of its label", [FIELD], FIELD),
    ("the nearest one", [(520, 96, 720, 130), FIELD], FIELD),
    ("below its label", [(100, 130, 400, 164)], (100, 130, 400, 164)),
    ("right rather than below", [(100, 130, 400, 164), FIELD], FIELD),
    ("not a whole window", [(300, 60, 900, 600)], None),
    ("not one further down", [(100, 300, 400, 334)], None),
]


@pytest.mark.parametrize(("_", "boxes", "field"), FIELDS)
def test_the_field_of_a_label(
    _: str, boxes: list[tuple[int, int, int, int]], field: tuple[int, int, int, int] | None
) -> None:
    screen = look([("DNS server", 100, 100)], boxes)
    assert find_field(screen, screen.lines[0]) == (Box(*field) if field else None)


def test_a_row_of_a_list_is_not_a_field() -> None:
    row = [("a.txt", 310, 100), ("Text file", 400, 100), ("4 bytes", 470, 100)]
    screen = look([("Home", 100, 100), *row], [(300, 96, 560, 130)])
    assert find_field(screen, find(screen, ["Home"])[0]) is None


def test_a_button_is_not_a_field() -> None:
    text, box = button("Edit DNS", 100, 140)
    screen = look([("DNS server", 100, 100), text], [box])
    assert find_field(screen, find(screen, ["DNS server"])[0]) is None
