"""What reports mean to a USB host. The encoder here shares nothing with the decoder."""

from __future__ import annotations

import string
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from cua.simulator.usbhost import (
    ABSOLUTE,
    KEYBOARD,
    RELATIVE,
    Keyboard,
    KeyDown,
    Moved,
    Pointer,
    Pressed,
)
from tests.simulator.input_devices import PLAIN, SHIFTED
from tests.support.usb_decode import decode

PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " \n\t"
CTRL, SHIFT, META = 1, 2, 8
UP = bytes(8)


def key(usage: int, mods: int = 0) -> bytes:
    return bytes([mods, 0, usage, 0, 0, 0, 0, 0])


def type_text(text: str) -> Iterator[tuple[int, bytes]]:
    """Two reports per character: down, with shift if needed, and all up."""
    for char in text:
        table, mods = (PLAIN, 0) if char in PLAIN else (SHIFTED, SHIFT)
        yield KEYBOARD, key(4 + table.index(char), mods)
        yield KEYBOARD, UP


def type_with_separate_shift(text: str) -> Iterator[tuple[int, bytes]]:
    """Shift goes down before its key and up after it, each in a report of its own."""
    for char in text:
        if char in PLAIN:
            yield from type_text(char)
            continue
        usage = 4 + SHIFTED.index(char)
        for data in (key(0, SHIFT), key(usage, SHIFT), key(0, SHIFT), UP):
            yield KEYBOARD, data


def absolute(x: int, y: int, buttons: int = 0, wheel: int = 0) -> tuple[int, bytes]:
    return ABSOLUTE, bytes([buttons, x & 255, x >> 8, y & 255, y >> 8, wheel & 255])


def relative(dx: int, dy: int, buttons: int = 0, wheel: int = 0) -> tuple[int, bytes]:
    return RELATIVE, bytes([buttons, dx & 255, dy & 255, wheel & 255])


any_report = st.one_of(
    st.tuples(st.just(KEYBOARD), st.binary(min_size=8, max_size=8)),
    st.tuples(st.just(RELATIVE), st.binary(min_size=4, max_size=4)),
    st.tuples(st.just(ABSOLUTE), st.binary(min_size=6, max_size=6)),
)
ALL_UP = [(KEYBOARD, UP), (RELATIVE, bytes(4)), (ABSOLUTE, bytes(6))]


@given(st.text(PRINTABLE, max_size=60))
def test_text_is_decoded_as_it_was_encoded(text: str) -> None:
    assert decode(type_text(text)).text == text
    assert decode(type_with_separate_shift(text)).text == text


@given(st.lists(any_report, max_size=40))
def test_empty_reports_release_everything(reports: list[tuple[int, bytes]]) -> None:
    decoded = decode([*reports, *ALL_UP])
    assert decoded.down == []
    assert len(decoded.presses) == len(decoded.releases)


@given(st.lists(any_report, max_size=40))
def test_the_pointer_stays_on_the_screen(reports: list[tuple[int, bytes]]) -> None:
    assert all(0 <= x < 640 and 0 <= y < 480 for x, y in decode(reports, size=(640, 480)).path)


@given(st.integers(0, 1279), st.integers(0, 719))
def test_every_pixel_can_be_hit(x: int, y: int) -> None:
    place = absolute((x * 0x8000 + 0x4000) // 1280, (y * 0x8000 + 0x4000) // 720)
    pointer = Pointer(1280, 720)
    pointer.absolute(place[1], 0.0)
    assert (pointer.x, pointer.y) == (x, y)


def test_caps_lock_changes_letters_only() -> None:
    caps = [(KEYBOARD, key(0x39)), (KEYBOARD, UP)]
    assert decode([*caps, *type_text("aB1!"), *caps, *type_text("aB")]).text == "Ab1!aB"


def test_roll_over_is_no_change() -> None:
    too_many = bytes([0, 0, 1, 1, 1, 1, 1, 1])
    decoded = decode([(KEYBOARD, key(4)), (KEYBOARD, too_many), (KEYBOARD, key(4)), (KEYBOARD, UP)])
    assert decoded.text == "a"
    assert decode([(KEYBOARD, key(4)), (KEYBOARD, too_many)]).down == ["a"]


def test_keys_held_together_are_typed_once_each() -> None:
    both = bytes([0, 0, 4, 5, 0, 0, 0, 0])
    only_b = bytes([0, 0, 5, 0, 0, 0, 0, 0])
    assert decode([(KEYBOARD, r) for r in (key(4), both, only_b, UP)]).text == "ab"


def test_chords_have_no_text() -> None:
    chord = [key(0, CTRL), key(0, CTRL | SHIFT), key(0x16, CTRL | SHIFT), key(0, CTRL), UP]
    decoded = decode((KEYBOARD, data) for data in [*chord, key(0, META), UP, key(0, META)])
    assert decoded.text == ""
    assert decoded.chords == ["ctrl+shift+s", "meta"]
    assert decoded.down == ["meta"]


def test_a_held_key_repeats_until_its_release() -> None:
    keyboard = Keyboard()
    assert len(keyboard.report(key(4), 10.0)) == 1
    assert keyboard.tick(10.49) == []
    repeats = keyboard.tick(11.0)
    assert len(repeats) == 13
    assert all(isinstance(e, KeyDown) and e.char == "a" and e.repeat for e in repeats)
    keyboard.report(UP, 11.01)
    assert keyboard.tick(20.0) == []


def test_an_unchanged_absolute_position_moves_nothing() -> None:
    there, away = absolute(16384, 16384), relative(10, -7)
    assert decode([absolute(100, 100), there, away, there]).path[1:] == [(640, 360), (650, 353)]
    nudged = [absolute(100, 100), there, away, absolute(16385, 16384)]
    assert decode(nudged).path[-1] == (640, 360)


def test_positions_beyond_the_descriptor_are_clamped() -> None:
    assert decode([absolute(0x8000, 0xFFFF)]).path == [(1279, 719)]


def presses(*times_and_places: tuple[float, int, int]) -> list[int]:
    pointer, counts = Pointer(1280, 720), []
    for at, x, y in times_and_places:
        for buttons in (1, 0):
            report = absolute((x * 0x8000 + 0x4000) // 1280, (y * 0x8000 + 0x4000) // 720, buttons)
            for event in pointer.absolute(report[1], at):
                counts += [event.clicks] if isinstance(event, Pressed) else []
    return counts


def test_clicks_are_counted_where_they_are_near_and_quick() -> None:
    assert presses((0.0, 9, 9), (0.4, 12, 9), (0.8, 9, 9), (1.2, 9, 9)) == [1, 2, 3, 1]
    assert presses((0.0, 9, 9), (0.6, 9, 9)) == [1, 1]
    assert presses((0.0, 9, 9), (0.1, 15, 9)) == [1, 1]


def test_a_drag_is_a_press_a_path_and_a_release() -> None:
    path = [absolute(x, 8192, 1) for x in range(8192, 24577, 4096)]
    decoded = decode([*path, absolute(24576, 8192, 0)])
    assert [(p.x, p.y) for p in decoded.presses] == [(320, 180)]
    assert decoded.path == [(320, 180), (480, 180), (640, 180), (800, 180), (960, 180)]
    assert [(r.x, r.y) for r in decoded.releases] == [(960, 180)]


def test_both_pointers_share_the_buttons_and_the_wheel() -> None:
    decoded = decode([relative(0, 0, 2, -3), absolute(0, 0, 0, 1), relative(0, 0)])
    assert [p.button for p in decoded.presses] == ["right"]
    assert decoded.wheel == -2


def test_moving_and_pressing_in_one_report_presses_there() -> None:
    pointer = Pointer(1280, 720)
    moved, pressed = pointer.absolute(absolute(0, 16384, 4)[1], 0.0)
    assert moved == Moved(0, 360)
    assert pressed == Pressed("middle", 0, 360, 1)
