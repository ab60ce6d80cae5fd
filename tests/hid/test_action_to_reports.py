"""Actions come out at a USB host as what they say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cua.hid import keymap
from cua.hid.action_to_reports import plan_reports
from cua.hid.reports import (
    CROSSING_S,
    FAST,
    FULL_SCALE,
    LENGTHS,
    Endpoint,
    TimedReport,
    make_pointer_report,
)
from cua.hid.writer.packets import LEASE_S
from cua.types import (
    ActionError,
    Click,
    Drag,
    Keypress,
    ManualAction,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)
from tests.support.devices import interpret

CENTRE = Point(x=0.5, y=0.5)
PRINTABLE = "".join(map(chr, range(32, 127))) + "\n\t"
names = st.sampled_from(["A", "CTRL", "F1", "UP"])
points = st.builds(Point, x=st.floats(0, 1), y=st.floats(0, 1))


def played(action: ManualAction, pointer: Point | None = None) -> list[TimedReport]:
    return list(plan_reports(action, pointer))


def reports(action: ManualAction, pointer: Point | None = None) -> list[tuple[Endpoint, bytes]]:
    return [(report.endpoint, report.data) for report in played(action, pointer)]


def test_no_press_is_as_long_as_the_writer_waits_for_the_next_request() -> None:
    with pytest.raises(ValueError, match="repeat the report"):
        TimedReport("keyboard", bytes(8), LEASE_S)


@given(st.text(PRINTABLE, min_size=1, max_size=80))
def test_text_arrives_as_it_was_given(text: str) -> None:
    result = interpret(reports(Type(text=text)))
    assert result.text == text
    assert result.down == []


def test_text_that_cannot_be_typed_is_refused_before_the_first_report() -> None:
    with pytest.raises(ActionError, match=r"'é' \(U\+00E9\)"):
        plan_reports(Type(text="caf\u00e9"), None)


@pytest.mark.parametrize("size", [(640, 480), (1280, 720), (1366, 768), (1920, 1080), (3840, 2160)])
def test_every_pixel_is_reached_exactly(size: tuple[int, int]) -> None:
    width, height = size
    for x in range(width):
        report = make_pointer_report(Point(x=x / width, y=0))
        assert int.from_bytes(report[1:3], "little") * width // 0x8000 == x
    for y in range(height):
        report = make_pointer_report(Point(x=1, y=y / height))
        assert int.from_bytes(report[3:5], "little") * height // 0x8000 == y
    assert (
        int.from_bytes(make_pointer_report(Point(x=1, y=1))[1:3], "little") * width // 0x8000
        == width - 1
    )


def position(report: bytes) -> Point:
    """The place of a pointer report."""
    x, y = int.from_bytes(report[1:3], "little"), int.from_bytes(report[3:5], "little")
    return Point(x=x / (FULL_SCALE + 1), y=y / (FULL_SCALE + 1))


@given(points)
def test_a_position_read_back_from_a_report_gives_the_same_report(at: Point) -> None:
    assert make_pointer_report(position(make_pointer_report(at))) == make_pointer_report(at)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("button", ["left", "right", "middle"])
def test_clicks(count: int, button: str) -> None:
    action = Click(at=Point(x=0.25, y=0.75), button=button, count=count)
    result = interpret(reports(action))
    assert [(p.button, p.clicks, p.x, p.y) for p in result.presses] == [
        (button, n + 1, 320, 540) for n in range(count)
    ]
    assert result.down == []
    assert result.wheel == 0


def test_a_button_is_up_for_a_while_between_the_clicks_of_a_double_click() -> None:
    clicks = played(Click(at=CENTRE, count=3))[-6:]
    up = [report.pause_s for report in clicks if not report.data[0]]
    assert up == [FAST.between_clicks, FAST.between_clicks, CROSSING_S]


def test_a_click_without_a_place_happens_where_the_pointer_is() -> None:
    at = [(p.x, p.y) for p in interpret(reports(Click(), Point(x=0.1, y=0.1))).presses]
    assert at == [(128, 72)]
    unknown = reports(Click(), None)
    assert {endpoint for endpoint, _ in unknown} == {"mouse"}
    assert len(interpret(unknown).presses) == 1
    assert interpret(unknown).path == []


def test_a_click_at_the_last_place_moves_even_if_the_person_moved_the_mouse() -> None:
    before: list[tuple[Endpoint, bytes]] = [
        ("pointer", make_pointer_report(CENTRE)),
        ("mouse", bytes([0, 50, 50, 0])),
    ]
    result = interpret([*before, *reports(Click(at=CENTRE), CENTRE)])
    assert (result.presses[0].x, result.presses[0].y) == (640, 360)


def test_modifiers_are_held_around_a_click() -> None:
    result = interpret(reports(Click(at=CENTRE, keys=("ctrl", "shift"))))
    assert result.chords == ["ctrl", "shift"] or set(result.chords) >= {"ctrl+shift"}
    assert len(result.presses) == 1
    assert result.down == []


CTRL, CTRL_SHIFT = 1, 3


@pytest.mark.parametrize(
    ("action", "held"),
    [
        (Move(at=CENTRE, keys=("CTRL",)), {CTRL}),
        (Drag(path=(CENTRE, Point(x=1, y=1)), keys=("CTRL",)), {CTRL}),
        (Scroll(dy=2, keys=("CTRL",)), {CTRL}),
        (Scroll(dx=2, dy=2, keys=("CTRL",)), {CTRL, CTRL_SHIFT}),
    ],
)
def test_modifiers_are_held_during_every_mouse_action(action: ManualAction, held: set[int]) -> None:
    modifiers, during = 0, set()
    for endpoint, report in reports(action, CENTRE):
        if endpoint == "keyboard":
            modifiers = report[0]
        else:
            during.add(modifiers)
    assert during == held
    assert modifiers == 0


@given(points, points, st.none() | points)
def test_drags_begin_and_end_where_they_say(
    start: Point, end: Point, pointer: Point | None
) -> None:
    before = reports(Move(at=pointer)) if pointer else []
    result = interpret([*before, *reports(Drag(path=(start, end)), pointer)])
    assert len(result.presses) == len(result.releases) == 1
    assert result.wheel == 0
    down, up = result.presses[0], result.releases[0]
    for at, asked in ((down, start), (up, end)):
        assert abs(at.x - asked.x * 1280) <= 1
        assert abs(at.y - asked.y * 720) <= 1


def test_a_drag_to_one_place_begins_where_the_pointer_is() -> None:
    result = interpret(reports(Drag(path=(CENTRE,)), Point(x=0.25, y=0.25)))
    (down,), (up,) = result.presses, result.releases
    assert [(down.x, down.y), (up.x, up.y)] == [(320, 180), (640, 360)]


def test_a_move_ends_in_its_place_wherever_the_pointer_was() -> None:
    there = Point(x=0.25, y=0.75)
    for pointer in (None, CENTRE, there):
        assert interpret(reports(Move(at=there), pointer)).path[-1] == (320, 540)


def test_a_drag_goes_straight() -> None:
    start, end = Point(x=0.2, y=0.8), Point(x=0.6, y=0.4)
    held = [s for s in played(Drag(path=(start, end))) if s.data[0]]
    places = [position(report.data) for report in held]
    assert all(before.x <= after.x <= before.x + 0.021 for before, after in pairwise(places))
    assert all(at.x - start.x == pytest.approx(start.y - at.y, abs=0.001) for at in places)


def test_a_drag_moves_in_small_steps_with_the_button_down() -> None:
    held = [s for s in played(Drag(path=(Point(x=0, y=0), Point(x=1, y=0.5)))) if s.data[0]]
    places = [position(s.data) for s in held]
    assert all(b.x - a.x <= 0.021 for a, b in pairwise(places))


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_notches_are_counted_and_down_is_negative(dx: int, dy: int) -> None:
    result = interpret(reports(Scroll(at=CENTRE, dx=dx, dy=dy)))
    assert result.wheel == -dx - dy
    assert result.down == []


def test_only_what_goes_sideways_is_scrolled_with_shift() -> None:
    held, turned = False, []
    for endpoint, report in reports(Scroll(at=CENTRE, dx=2, dy=3)):
        if endpoint == "keyboard":
            held = bool(report[0])
        elif report[-1]:
            turned.append(held)
    assert turned == [True] * 2 + [False] * 3


@pytest.mark.parametrize(
    ("keys", "chord"),
    [
        (("CTRL", "C"), "ctrl+c"),
        (("ctrl", "alt", "Delete"), "ctrl+alt+delete"),
        (("Page_Down",), "pagedown"),
        (("Escape",), "esc"),
        (("F12",), "f12"),
        (("cmd", "shift", "4"), "shift+meta+4"),
        (("PrtSc",), "printscreen"),
    ],
)
def test_chords(keys: tuple[str, ...], chord: str) -> None:
    result = interpret(reports(Keypress(keys=keys)))
    assert result.chords[-1] == chord
    assert result.down == []


def test_the_keys_of_a_chord_go_down_one_after_the_other() -> None:
    a, b = 4, 5
    down = [sorted(set(report[2:]) - {0}) for _, report in reports(Keypress(keys=("B", "A")))]
    assert down == [[b], [a, b], []]


def test_a_modifier_alone_is_a_key() -> None:
    result = interpret(reports(Keypress(keys=("WIN",))))
    assert result.chords == ["meta"]
    assert result.down == []


def test_a_key_can_be_pressed_many_times() -> None:
    assert interpret(reports(Keypress(keys=("BACKSPACE",), count=7))).chords == ["backspace"] * 7


def test_a_click_holds_modifiers_by_any_name_and_nothing_else() -> None:
    assert Click(keys=("Control_L", "left shift", "cmd")).keys == ("CTRL", "SHIFT", "WIN")
    for name in ("R", "SPACE", "ENTER", "F4", "DELETE", "CAPSLOCK", ""):
        with pytest.raises(ValidationError, match="none of them"):
            Click(keys=("ALT", name))


@pytest.mark.parametrize("name", ["VOLUME_UP", "HOMER", "", "CTRL+C", "\u00e9"])
def test_unknown_keys_are_refused_before_the_first_report(name: str) -> None:
    with pytest.raises(ActionError):
        plan_reports(Keypress(keys=("CTRL", name)), None)


def test_media_keys_say_why_not() -> None:
    with pytest.raises(ActionError, match="consumer-control endpoint"):
        keymap.key("VOLUME_UP")


HID_USAGES = {
    0x28: "ENTER ESC BACKSPACE TAB SPACE",
    0x39: "CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 PRINTSCREEN SCROLLLOCK PAUSE INSERT"
    " HOME PAGEUP DELETE END PAGEDOWN RIGHT LEFT DOWN UP NUMLOCK KP/ KP* KP- KP+ KPENTER"
    " KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9 KP0 KP. NONUS\\ MENU",
    0x67: "KP= F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24",
}
"""Keys in the order of their usages on page 7 of the HID tables, from the number on."""


def test_named_keys_have_the_usages_of_the_hid_tables() -> None:
    found = {
        name: usage
        for first, names in HID_USAGES.items()
        for usage, name in enumerate(names.split(), first)
    }
    assert found == keymap.NAMED
    assert all(keymap.key(name) == (usage, 0) for name, usage in found.items())
    modifiers = ["CTRL", "SHIFT", "ALT", "WIN", "RCTRL", "RSHIFT", "RALT", "RWIN"]
    assert [keymap.key(name) for name in modifiers] == [(0, 1 << bit) for bit in range(8)]


def test_every_alias_leads_to_a_key() -> None:
    for alias in keymap.ALIASES:
        assert keymap.key(alias)


@given(
    st.one_of(
        st.builds(Move, at=points),
        st.builds(Click, at=st.none() | points, count=st.integers(1, 3)),
        st.builds(Drag, path=st.lists(points, min_size=1, max_size=4).map(tuple)),
        st.builds(Scroll, at=st.none() | points, dy=st.integers(-9, 9)),
        st.builds(Type, text=st.text(PRINTABLE, min_size=1, max_size=20)),
        st.builds(Keypress, keys=st.lists(names, min_size=1, max_size=4).map(tuple)),
        st.builds(Wait, seconds=st.floats(0, 60)),
    ),
    st.none() | points,
)
def test_reports_are_of_their_endpoints_length_and_leave_nothing_down(
    action: ManualAction, pointer: Point | None
) -> None:
    plan = played(action, pointer)
    assert all(len(report.data) == LENGTHS[report.endpoint] for report in plan)
    assert interpret([(report.endpoint, report.data) for report in plan]).down == []


def test_a_firmware_that_looks_at_its_keyboard_every_5_ms_sees_each_press() -> None:
    assert looked_at(played(Keypress(keys=("DOWN",), count=20)), every=0.005) == 20


def looked_at(played: list[TimedReport], every: float) -> int:
    """How often a key is seen to go down by who looks at it now and then."""
    now = look = 0.0
    seen = [False]
    for report in played:
        now += report.pause_s
        while look <= now - 1e-9:
            seen.append(any(report.data))
            look += every
    return sum(down and not before for before, down in pairwise(seen))
