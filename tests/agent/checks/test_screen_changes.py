"""What a step changed, from pictures drawn as screens look."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import ImageDraw

from cua.agent.checks import image_diff
from cua.agent.checks.options import CheckOptions
from cua.agent.checks.screen_changes import find_change
from cua.screen.regions import Cells
from cua.types import (
    Action,
    Area,
    Click,
    Drag,
    Frame,
    Keypress,
    Move,
    ParsedReply,
    Point,
    Reply,
    ScreenChange,
    Step,
    Task,
    Type,
)
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import (
    SIZE,
    Draw,
    clock,
    letter,
    page,
    page_with_noise_at_edges,
    pointer,
    program,
    screen,
    thin_letter,
    tick,
    window,
)

CLICK = "mouse 0.5 0.5 1"
HERE, TIP = Point(x=0.5, y=0.5), Point(x=320 / 1280, y=540 / 720)


def box(left: int, top: int, right: int, bottom: int) -> Draw:
    """Around `TIP`, in pixels of a sketch, each of 5 x 5 pixels."""
    edges = (320 + 5 * left, 540 + 5 * top, 319 + 5 * right, 539 + 5 * bottom)
    return lambda draw: draw.rectangle(edges, fill=0)


def after(
    *drawn: Draw,
    before: Frame | None = None,
    seen: Frame | None = None,
    noise: float = 0.0,
    at: Point = HERE,
    kind: type[Click | Move] = Click,
) -> ScreenChange:
    """Of a click; `seen`: what the model saw, `before`: the screen at the click."""
    seen = seen or screen(noise=noise)
    step = Step(
        1,
        "",
        seen,
        Reply("x"),
        ParsedReply("", (kind(at=at),)),
        actions_started=1,
        before=before,
    )
    return find_change(Task("", [step]), screen(*drawn, noise=noise))


@pytest.mark.parametrize("noise", [0.0, 6.0])
def test_nothing_is_nothing_also_on_a_noisy_stream(noise: float) -> None:
    assert after(noise=noise) == ScreenChange("unchanged", (), "Nothing visible changed.")


def test_noise_at_the_edges_of_text_is_no_change_but_a_letter_is() -> None:
    noisy = screen(page_with_noise_at_edges)
    assert not image_diff.find_changes(screen(page), noisy)
    assert image_diff.find_changes(screen(page), screen(page_with_noise_at_edges, letter))


@pytest.mark.parametrize(("drawn", "noise"), [(letter, 0.0), (letter, 6.0), (thin_letter, 9.0)])
def test_one_letter_is_something_and_one_knows_where(drawn: Draw, noise: float) -> None:
    found = after(drawn, noise=noise)
    assert found.is_response
    (area,) = found.areas
    assert area.left <= 420 / 1280 <= area.right
    assert found.words == "Less than 1% of the screen changed, most at the left."


def test_a_tick_in_a_box_is_something() -> None:
    assert after(tick).is_response


def test_the_clock_alone_is_no_answer() -> None:
    found = after(clock)
    assert not found.is_response
    assert found.words == ("Only a small spot at the bottom right changed, probably a clock.")
    assert after(clock, letter).is_response
    assert after(box(180, -107, 186, -104)).kind == "clock"  # at the upper edge
    assert after(box(-60, 31, 20, 36)).is_response  # as long as a name in a task bar


def test_the_pointer_alone_is_told_as_such() -> None:
    found = after(pointer)
    assert not found.is_response
    assert "Only the pointer" in found.words
    assert after(box(-1, -1, 4, 6), at=TIP).kind == "pointer"
    assert found.is_without_effect
    moved = after(pointer, kind=Move)
    assert moved.words == "The pointer moved."
    assert not moved.is_response
    assert not moved.is_without_effect


def test_a_spot_that_is_marked_under_the_pointer_is_no_clock() -> None:
    start, marked = Point(x=320 / 1280, y=700 / 720), box(-6, 30, 10, 35)
    assert after(marked).kind == "clock"
    assert after(marked, at=start).kind == "pointer"
    assert after(marked, at=start, kind=Move).words == "The pointer moved."


async def test_what_already_moved_while_the_model_thought_moves_by_itself() -> None:
    found = after(letter, window, before=screen(window))
    assert found.is_response
    found = after(window, before=screen())
    assert found.is_response

    def later(draw: ImageDraw.ImageDraw) -> None:
        draw.rectangle((30, 30, 250, 170), fill=200)

    found = after(later, seen=screen(), before=screen(window))
    assert not found.is_response
    assert "moves by itself" in found.words
    options = CheckOptions(stale_screen=False, completion=False)
    agent = AgentRun([screen(), screen(window)], CLICK, "Done", options=options)
    await agent.run()
    assert "Nothing visible changed." in agent.model.request_text()


def test_a_video_is_no_answer() -> None:
    whole = Area(left=0.0, top=0.0, right=0.25, bottom=0.3)
    frame = screen()
    seen = Frame(frame.jpeg, *SIZE, 1, 0.0, moving_areas=(whole,))
    assert not after(window, seen=seen).is_response
    assert after(window, letter, seen=seen).is_response


def test_a_program_that_opens_is_most_of_the_screen() -> None:
    assert after(program).words == "Most of the screen changed."
    assert after(window).words == "6% of the screen changed, most at the top left."
    few = after(box(0, 0, 24, 24))
    assert few.words == "2% of the screen changed, most at the bottom left."


def test_another_resolution_is_told() -> None:
    small = screen(size=(1024, 768))
    found = after(seen=small)
    assert found.is_response
    assert found.areas == (Area(left=0, top=0, right=1, bottom=1),)
    assert found.words == "The screen has another size than before."


@pytest.mark.parametrize("pointed", [Click(at=HERE), Drag(path=(Point(x=0.1, y=0.1), HERE))])
def test_typing_leaves_the_pointer_where_it_was(pointed: Action) -> None:
    def step(frame: Frame, action: Action) -> Step:
        return Step(1, "", frame, Reply("x"), ParsedReply("", (action,)), actions_started=1)

    steps = [step(screen(), pointed), step(screen(pointer), Type(text="a"))]
    assert "Only the pointer" in find_change(Task("", steps), screen()).words
    told = Task("", steps[1:], pointers=(HERE,))
    assert "Only the pointer" in find_change(told, screen()).words  # in the task before
    steps[1:1] = [step(screen(), Click(at=Point(x=x, y=0.9))) for x in (0.1, 0.2)]
    assert find_change(Task("", steps), screen()).is_response  # it is elsewhere since


def test_what_is_typed_under_the_pointer_is_a_change() -> None:
    """Of a click there, it may be the pointer."""
    click, keys, typed = Click(at=TIP), Keypress(keys=("CTRL", "A")), Type(text="8.8.8.8")
    cases: list[tuple[tuple[Action, ...], str]] = [
        ((click, keys, typed), "changed"),
        ((keys,), "changed"),
        ((click,), "pointer"),
    ]
    for actions, kind in cases:
        parsed = ParsedReply("", actions)
        step = Step(1, "", screen(), Reply("x"), parsed, actions_started=len(actions))
        told = Task("", [step], pointers=(TIP,))
        assert find_change(told, screen(box(-6, 0, 7, 3))).kind == kind
        assert find_change(told, screen(box(0, 0, 3, 5))).kind == "pointer"


@pytest.mark.parametrize("report", [True, False])
async def test_the_model_is_told_only_of_actions_that_changed_nothing(report: bool) -> None:
    """The second click changes something, the third is held back."""
    frames = [screen()] * 4 + [screen(program), screen()]
    options = CheckOptions(screen_changes=report, completion=False)
    agent = AgentRun(frames, *[CLICK] * 3, "Done", options=options)
    await agent.run()
    events = [event.data for event in agent.log.in_memory_since(0) if event.kind == "effect"]
    assert [(event["step"], event["words"], event["none"]) for event in events] == [
        (1, "Nothing visible changed.", True),
        (2, "Most of the screen changed.", False),
    ]
    feedback = [agent.model.request_text(n) for n in range(4)]
    assert ["Nothing visible" in each for each in feedback] == [False, report, False, False]
    assert "Most of the screen" not in feedback[2]


async def test_an_interrupted_action_is_not_judged_by_the_screen() -> None:
    agent = AgentRun([screen()], CLICK, "Done")
    agent.device.cancel_at = 2
    with pytest.raises(asyncio.CancelledError):
        await agent.run()
    await agent.run()
    assert "You were interrupted at action 1" in agent.model.request_text()
    assert "Nothing visible" not in agent.model.request_text()


@pytest.mark.parametrize("beside", [(-2, 0, -1, 5), (4, 0, 5, 5), (0, -2, 4, -1), (0, 6, 4, 7)])
async def test_only_what_the_pointer_covers_is_overlooked(beside: tuple[int, ...]) -> None:
    covered = screen(box(-1, -1, 4, 6))
    assert not await image_diff.find_plain_changes(screen(), covered, [TIP])
    assert await image_diff.find_plain_changes(screen(), screen(box(*beside)), [TIP])


fractions = st.floats(0, 1)


@given(fractions, fractions)
def test_every_place_has_its_cells(x: float, y: float) -> None:
    at = Point(x=x, y=y)
    near = image_diff.cells_around(at)
    assert len(near) in (4, 6, 9)
    (box,) = image_diff.boxes(near)
    assert box.left <= x <= box.right
    assert box.top <= y <= box.bottom
    assert near <= image_diff.moving_cells(moving(box))
    assert all(
        0 <= cell < image_diff.COLUMNS * image_diff.ROWS
        for cell in image_diff.cells_under_pointer(at)
    )


def moving(area: Area) -> Frame:
    return Frame(b"", *SIZE, 1, 0.0, moving_areas=(area,))


def cells(left: float, top: float, right: float, bottom: float) -> Cells:
    """The cells that lie in a rectangle, at least in part; in pixels of a sketch."""
    return frozenset(
        row * image_diff.COLUMNS + column
        for row in range(image_diff.ROWS)
        for column in range(image_diff.COLUMNS)
        if left < 8 * (column + 1)
        and right > 8 * column
        and top < 8 * (row + 1)
        and bottom > 8 * row
    )


columns, rows = st.integers(0, 255), st.integers(0, 143)


@given(columns, rows)
def test_the_cells_within_half_a_cell(column: int, row: int) -> None:
    x, y = column + 0.5, row + 0.5
    near = image_diff.cells_under(Point(x=x / 256, y=y / 144))
    assert near == cells(x - 4, y - 4, x + 4, y + 4)


@given(columns, rows, columns, rows)
@example(0, 60, 255, 70)
def test_the_cells_of_an_area_and_around_it(a: int, b: int, c: int, d: int) -> None:
    left, right, top, bottom = min(a, c) + 0.5, max(a, c) + 0.5, min(b, d) + 0.5, max(b, d) + 0.5
    area = Area(left=left / 256, top=top / 144, right=right / 256, bottom=bottom / 144)
    assert image_diff.moving_cells(moving(area)) == cells(left - 8, top - 8, right + 8, bottom + 8)
