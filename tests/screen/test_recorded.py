"""Rest and effects on clips of a real desktop as a real encoder sent them (see record.py)."""

from __future__ import annotations

import time

import pytest

from cua.agent.checks import image_diff
from cua.agent.checks.screen_changes import find_change
from cua.agent.step_results import EXECUTED
from cua.screen.stability import COLUMNS, ROWS, SMALL_TILES, SMALL_TIMEOUT_S, StabilityDetector
from cua.types import Click, Frame, ParsedReply, Point, Reply, Step, Task
from tests.screen.record import COUNT, FPS, SIZE, frames
from tests.screen.test_video_screen import reading
from tests.servers.mjpeg_server import Stream


def clip(name: str) -> list[Frame]:
    return [Frame(jpeg, *SIZE, n, n / FPS) for n, jpeg in enumerate(frames(name))]


async def moves(name: str, detector: StabilityDetector) -> frozenset[int]:
    """The tiles in which any four frames in a row differ."""
    seen, found = clip(name), frozenset[int]()
    assert len(seen) == COUNT
    for n in range(3, COUNT):
        found |= await detector.changed(seen[n - 3 : n + 1])
    return found


@pytest.mark.parametrize("name", ["still", "noisy"])
async def test_an_unchanged_desktop_is_stable(name: str) -> None:
    assert await moves(name, StabilityDetector()) == frozenset()


def test_the_noise_is_real() -> None:
    assert len(set(frames("noisy"))) == COUNT


@pytest.mark.parametrize("name", ["clock", "cursor"])
async def test_small_movement_is_waited_for_briefly(name: str) -> None:
    detector = StabilityDetector()
    moving = await moves(name, detector)
    assert len(moving) <= SMALL_TILES
    assert detector.is_stable(moving, SMALL_TIMEOUT_S)


async def test_a_video_is_movement_until_it_was_accepted_once() -> None:
    detector = StabilityDetector()
    moving = await moves("video", detector)
    assert SMALL_TILES < len(moving) < COLUMNS * ROWS / 2
    assert not detector.is_stable(moving, 100.0)
    detector.accept(moving)
    assert detector.is_stable(moving, 0.0)


@pytest.mark.parametrize("name", ["still", "noisy", "cursor", "clock", "video"])
async def test_every_recording_is_accepted_at_last(name: str) -> None:
    """Played as it was recorded; the noise and the clock are stable, the video says where not."""
    async with reading(Stream(frames(name), fps=FPS)) as screen:
        frame = await screen.take_screenshot(time.monotonic(), 0.2, 2.5)
        assert bool(frame.moving_areas) == (name == "video") or name in ("cursor", "clock")
        assert sum(area.proportion for area in frame.moving_areas) < 0.5


@pytest.mark.parametrize(
    ("name", "none"), [("still", True), ("noisy", True), ("clock", True), ("video", False)]
)
def test_noise_and_a_clock_are_no_response(name: str, none: bool) -> None:
    first, *_, last = clip(name)
    turn = ParsedReply("", (Click(at=Point(x=0.8, y=0.3)),))
    step = Step(1, "", first, reply=Reply(""), parsed=turn, actions_started=1, outcome=EXECUTED)
    assert find_change(Task("", [step]), last).is_response != none


async def test_noise_does_not_make_a_target_stale() -> None:
    first, *_, last = clip("noisy")
    assert await image_diff.find_plain_changes(first, last) == frozenset()
