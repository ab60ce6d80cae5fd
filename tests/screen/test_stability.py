"""When a screen counts as stable: frames as they come from a KVM, played in their own time.

The streams are drawn from a seed: a caret that blinks, a clock, a spinner, a video, capture noise.
"""

from __future__ import annotations

import io
import math
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from cua.screen.regions import areas, expand
from cua.screen.stability import (
    COLUMNS,
    NOISE_GREY,
    ROWS,
    STABLE_AFTER_LARGE_CHANGE_S,
    StabilityDetector,
)
from cua.types import Frame
from tests.screen.test_video_screen import reading
from tests.servers.mjpeg_server import Stream, picture

SIZE = (1280, 720)
Draw = Callable[[ImageDraw.ImageDraw, int], None]


def recorded(draw_on: Draw, count: int = 30, noise: float = 0.0, seed: int = 1) -> list[bytes]:
    """A second of a screen with some text on it; `noise` is its standard deviation."""
    found = []
    for n in range(count):
        image = Image.new("L", SIZE, 225)
        draw = ImageDraw.Draw(image)
        for line in range(12):
            draw.text((80, 60 + 50 * line), "Settings  Network  Display  Sound", fill=30)
        draw_on(draw, n)
        if noise:
            grain = Image.effect_noise(SIZE, noise)
            image = ImageChops.add(image, grain, scale=1, offset=-128)
        out = io.BytesIO()
        image.save(out, "JPEG", quality=80)
        found.append(out.getvalue())
    return found


def nothing(_: ImageDraw.ImageDraw, __: int) -> None:
    pass


def caret(draw: ImageDraw.ImageDraw, n: int) -> None:
    if n % 30 < 15:
        draw.rectangle((400, 300, 401, 318), fill=0)


def clock(draw: ImageDraw.ImageDraw, n: int) -> None:
    draw.text((1200, 700), f"12:0{n // 30}:{n % 30:02d}", fill=0)


def spinner(draw: ImageDraw.ImageDraw, n: int) -> None:
    angle = n * math.pi / 6
    x, y = 640 + 14 * math.cos(angle), 360 + 14 * math.sin(angle)
    draw.ellipse((x - 9, y - 9, x + 9, y + 9), fill=20)


def video(draw: ImageDraw.ImageDraw, n: int) -> None:
    noise = random.Random(n)
    for x in range(300, 900, 60):
        for y in range(200, 560, 60):
            draw.rectangle((x, y, x + 59, y + 59), fill=noise.randrange(256))


async def moves(
    draw_on: Draw, noise: float = 0.0, detector: StabilityDetector | None = None
) -> set[int]:
    """The tiles in which the frames of a second differ."""
    detector = detector or StabilityDetector()
    frames = [Frame(j, *SIZE, n, n / 30) for n, j in enumerate(recorded(draw_on, 12, noise))]
    found: set[int] = set()
    for n in range(3, len(frames)):
        found |= await detector.changed(frames[n - 3 : n + 1])
    return found


@pytest.mark.parametrize("noise", [0.0, 3.0, 8.0, 14.0])
async def test_capture_noise_is_no_movement(noise: float) -> None:
    assert await moves(nothing, noise) == set()
    assert await moves(caret, noise) == set()


async def test_noise_that_would_be_movement_on_a_clean_stream() -> None:
    class Fixed(StabilityDetector):
        def _thresholds(self) -> tuple[float, float]:
            return NOISE_GREY, NOISE_GREY

    assert await moves(nothing, 20.0, Fixed())
    assert not await moves(nothing, 20.0)


@pytest.mark.parametrize("noise", [0.0, 8.0])
async def test_a_word_that_appears_is_movement_on_a_noisy_stream_too(noise: float) -> None:
    def word(draw: ImageDraw.ImageDraw, n: int) -> None:
        if n > 5:
            draw.text((700, 300), "Save changes?", fill=0, font_size=28)

    assert await moves(word, noise)


async def test_a_spinner_is_waited_for_briefly_and_a_video_until_the_timeout() -> None:
    detector = StabilityDetector()
    small = frozenset(await moves(spinner, detector=detector))
    assert small
    assert not detector.is_stable(small, 0.3)
    assert detector.is_stable(small, 1.0)
    large = frozenset(await moves(video))
    assert not detector.is_stable(large, 100.0)


async def test_known_movement_is_not_waited_for_again_but_new_movement_is() -> None:
    detector, large = StabilityDetector(), frozenset(await moves(video))
    (where, *_) = detector.accept(large)
    assert where.left < 0.25 < where.right
    assert detector.is_stable(large, 0.0)
    assert not detector.is_stable(large | {COLUMNS * ROWS - 1}, 0.0)
    detector.accept(frozenset())
    assert not detector.is_stable(large, 0.0)


async def test_a_broken_frame_is_not_stable() -> None:
    detector, whole = StabilityDetector(), picture("whole")
    frames = [Frame(jpeg, *SIZE, 1, 0.0) for jpeg in (whole, whole[:40])]
    assert len(await detector.changed(frames)) == COLUMNS * ROWS


async def test_the_second_screenshot_of_a_video_is_quick_and_has_its_moving_areas() -> None:
    async with reading(Stream(recorded(video))) as screen:
        first = await screen.take_screenshot(time.monotonic(), 0.2, 1.5)
        assert first.moving_areas
        since = time.monotonic()
        second = await screen.take_screenshot(since, 0.2, 60.0)
        assert second.at - since < 30
        (where, *_) = second.moving_areas
        assert where.proportion > 0.1


async def test_a_screen_with_a_caret_and_a_clock_is_stable() -> None:
    for draw_on in (caret, clock):
        async with reading(Stream(recorded(draw_on))) as screen:
            frame = await screen.take_screenshot(time.monotonic(), 0.2, 60.0)
            assert sum(area.proportion for area in frame.moving_areas) < 0.1


async def test_after_a_large_change_the_screen_is_watched_longer() -> None:
    stream = Stream([picture("before")])
    async with reading(stream) as screen:
        await screen.take_screenshot(0.0, 0.2, 3.0)
        since = time.monotonic()
        stream.frames = [picture("another page", grey=250)]
        while screen.newest is None or screen.newest.jpeg != stream.frames[0]:
            await screen.after(screen.newest.seq if screen.newest else 0)
        frame = await screen.take_screenshot(since, 0.05, 60.0)
        assert frame.at - since > STABLE_AFTER_LARGE_CHANGE_S


cells = st.frozensets(st.integers(0, COLUMNS * ROWS - 1), max_size=40)


@given(cells)
@settings(max_examples=100)
def test_areas_hold_all_cells_and_cells_that_touch_are_one(found: frozenset[int]) -> None:
    boxes = areas(found, COLUMNS, ROWS)
    for cell in found:
        x, y = (cell % COLUMNS + 0.5) / COLUMNS, (cell // COLUMNS + 0.5) / ROWS
        assert any(b.left < x < b.right and b.top < y < b.bottom for b in boxes)
    assert len(boxes) <= len(found)
    assert len(areas(expand(found, COLUMNS, ROWS), COLUMNS, ROWS)) <= len(boxes)
    assert found <= expand(found, COLUMNS, ROWS)
    assert [box.proportion for box in boxes] == sorted(
        (box.proportion for box in boxes), reverse=True
    )
