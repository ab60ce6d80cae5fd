"""Rest and effects on clips of a real desktop as a real encoder sent them (see record.py)."""

from __future__ import annotations

import time

import pytest

from cua.craft import cells
from cua.craft.effect import effect
from cua.screen.areas import size
from cua.screen.rest import COLUMNS, PATIENCE_WITH_SMALL, ROWS, SMALL, Rest
from cua.types import Click, Frame, Point, Reply, Step, Turn
from tests.screen.record import COUNT, FPS, SIZE, frames
from tests.screen.test_screen import reading
from tests.servers.mjpeg_server import Stream


def clip(name: str) -> list[Frame]:
    return [Frame(jpeg, *SIZE, n, n / FPS) for n, jpeg in enumerate(frames(name))]


async def moves(name: str, rest: Rest) -> frozenset[int]:
    """The tiles in which any four frames in a row differ."""
    seen, found = clip(name), frozenset[int]()
    assert len(seen) == COUNT
    for n in range(3, COUNT):
        found |= await rest.changed(seen[n - 3 : n + 1])
    return found


@pytest.mark.parametrize("name", ["still", "noisy"])
async def test_a_desktop_at_rest_rests(name: str) -> None:
    assert await moves(name, Rest()) == frozenset()


def test_the_noise_is_real() -> None:
    assert len(set(frames("noisy"))) == COUNT


@pytest.mark.parametrize("name", ["clock", "cursor"])
async def test_what_is_small_is_waited_for_a_moment(name: str) -> None:
    rest = Rest()
    moving = await moves(name, rest)
    assert len(moving) <= SMALL
    assert rest.suffices(moving, PATIENCE_WITH_SMALL)


async def test_a_video_is_movement_until_it_is_known() -> None:
    rest = Rest()
    moving = await moves("video", rest)
    assert SMALL < len(moving) < COLUMNS * ROWS / 2
    assert not rest.suffices(moving, 100.0)
    rest.taken(moving)
    assert rest.suffices(moving, 0.0)


@pytest.mark.parametrize("name", ["still", "noisy", "cursor", "clock", "video"])
async def test_every_one_is_taken_at_last(name: str) -> None:
    """Played as it was recorded; the noise and the clock are at rest, the video says where not."""
    async with reading(Stream(frames(name), fps=FPS)) as screen:
        frame = await screen.still(time.monotonic(), 0.2, 2.5)
        assert bool(frame.restless) == (name == "video") or name in ("cursor", "clock")
        assert sum(map(size, frame.restless)) < 0.5


@pytest.mark.parametrize(
    ("name", "none"), [("still", True), ("noisy", True), ("clock", True), ("video", False)]
)
async def test_noise_and_a_clock_are_no_answer_of_the_computer(name: str, none: bool) -> None:
    first, *_, last = clip(name)
    turn = Turn("", (Click(at=Point(x=0.8, y=0.3)),))
    step = Step(1, "", first, reply=Reply(""), turn=turn, begun=1, outcome="Carried out.")
    assert (await effect([step], last)).none == none


async def test_noise_does_not_hold_a_click_back() -> None:
    first, *_, last = clip("noisy")
    assert await cells.plainly_changed(first, last) == frozenset()
