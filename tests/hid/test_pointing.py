"""A relative mouse reaches what the absolute pointer reaches, if the gain is right."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.hid.action_to_reports import ButtonHold, plan_reports
from cua.hid.input_profile import InputProfile
from cua.hid.pointing import Absolute, Mouse, Pointing, Relative
from cua.hid.reports import CAREFUL, FAST, Endpoint
from cua.types import Click, Drag, Keypress, ManualAction, Move, Point, Scroll, Type
from tests.support.devices import interpret

SIZES = [(640, 480), (1024, 768), (1280, 720), (1920, 1080), (3840, 2160)]
points = st.builds(Point, x=st.floats(0, 1), y=st.floats(0, 1))


def reports(action: ManualAction, profile: InputProfile) -> list[tuple[Endpoint, bytes]]:
    plan = plan_reports(action, None, profile)
    return [(report.endpoint, report.data) for report in plan]


def pixel(at: Point, size: tuple[int, int]) -> tuple[int, int]:
    width, height = size
    return min(width - 1, int(at.x * width)), min(height - 1, int(at.y * height))


@settings(max_examples=40)
@given(points, st.sampled_from(SIZES))
def test_a_click_by_way_of_the_corner_hits_its_pixel(at: Point, size: tuple[int, int]) -> None:
    made = reports(Click(at=at, count=2), InputProfile(mouse=Mouse(*size)))
    assert {endpoint for endpoint, _ in made} == {"mouse"}
    result = interpret(made, size)
    assert [(p.x, p.y, p.clicks) for p in result.presses] == [
        (*pixel(at, size), 1),
        (*pixel(at, size), 2),
    ]
    assert result.down == []


@given(points, points, st.floats(0.3, 4))
def test_a_count_may_be_worth_less_or_more_than_a_pixel(
    start: Point, end: Point, gain: float
) -> None:
    """The host that multiplies: within half a count, which is all that counts can say."""
    made = reports(Drag(path=(start, end)), InputProfile(mouse=Mouse(1280, 720, gain)))
    x, y, places = 0.0, 719.0, list[tuple[float, float]]()
    for (_, before), (_, report) in pairwise(made):
        dx, dy = (byte - 256 if byte > 127 else byte for byte in report[1:3])
        x, y = min(1279.0, max(0.0, x + dx * gain)), min(719.0, max(0.0, y + dy * gain))
        if before[0] != report[0]:
            places.append((x, y))
    for (x, y), asked in zip(places, (start, end), strict=True):
        wanted = pixel(asked, (1280, 720))
        assert abs(x - wanted[0]) <= gain + 1
        assert abs(y - wanted[1]) <= gain + 1


def test_corners_that_open_something_are_avoided() -> None:
    path = interpret(
        reports(Move(at=Point(x=0.5, y=0.5)), InputProfile(mouse=Mouse(1280, 720)))
    ).path
    assert (0, 719) in path
    assert not {(0, 0), (1279, 0), (1279, 719)} & set(path)


def test_a_drag_holds_the_button_all_the_way_and_the_wheel_counts() -> None:
    profile = InputProfile(mouse=Mouse(1280, 720))
    a, b, c = Point(x=0.1, y=0.1), Point(x=0.5, y=0.1), Point(x=0.5, y=0.6)
    result = interpret(reports(Drag(path=(a, b, c)), profile))
    (down,), (up,) = result.presses, result.releases
    assert [(down.x, down.y), (up.x, up.y)] == [(128, 72), (640, 432)]
    assert interpret(reports(Scroll(at=a, dy=5), profile)).wheel == -5


@pytest.mark.parametrize("by", [Absolute(FAST), Relative(FAST, Mouse(1280, 720))])
def test_a_button_held_in_its_place_is_repeated_without_a_pause(by: Pointing) -> None:
    at = Point(x=0.5, y=0.5)
    (again,) = ButtonHold(1, by).move(at, at, 1)
    assert (again.data[0], again.pause_s) == (1, 0)


CAREFULLY = InputProfile(careful=True)
LONG: list[ManualAction] = [
    Type(text="Ab"),
    Keypress(keys=("ctrl", "s"), count=2),
    Click(at=Point(x=0.2, y=0.2), count=2),
    Scroll(at=Point(x=0.2, y=0.2), dy=2),
]


@pytest.mark.parametrize("action", LONG, ids=lambda action: action.kind)
def test_careful_sends_the_same_reports_and_holds_each_longer(action: ManualAction) -> None:
    assert reports(action, CAREFULLY) == reports(action, InputProfile())
    for fast, careful in zip(
        plan_reports(action, None), plan_reports(action, None, CAREFULLY), strict=True
    ):
        assert careful.pause_s >= fast.pause_s
    if isinstance(action, Type):
        assert min(report.pause_s for report in plan_reports(action, None, CAREFULLY)) >= 0.016


@pytest.mark.parametrize(
    ("action", "fast_s", "careful_s"),
    [
        (Type(text="Hello, World"), 0, 0.7),
        (Keypress(keys=("ctrl", "s")), 0.035, 0.09),
        (Keypress(keys=("DOWN",), count=20), 0.6, 1.7),
        (Click(at=Point(x=0.2, y=0.3)), 0.07, 0.148),
        (Click(at=Point(x=0.2, y=0.3), count=2), 0.155, 0.328),
        (Drag(path=(Point(x=0.2, y=0.3), Point(x=0.3, y=0.4))), 0.229, 0.456),
        (Scroll(at=Point(x=0.2, y=0.3), dy=5), 0.083, 0.376),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_how_long_an_action_takes(action: ManualAction, fast_s: float, careful_s: float) -> None:
    for profile, wanted_s in ((InputProfile(), fast_s), (CAREFULLY, careful_s)):
        taken_s = sum(report.pause_s for report in plan_reports(action, None, profile))
        assert taken_s == pytest.approx(wanted_s)


@pytest.mark.parametrize("pace", [FAST, CAREFUL])
def test_a_double_click_is_one_on_every_system(pace: object) -> None:
    profile = InputProfile(careful=pace is CAREFUL)
    plan = list(plan_reports(Click(at=Point(x=0.5, y=0.5), count=2), None, profile))
    first, *_, last = [n for n, report in enumerate(plan) if report.data[0]]
    assert sum(report.pause_s for report in plan[first:last]) < 0.25
