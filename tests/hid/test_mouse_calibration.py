"""The gain of a relative mouse is measured on the screen; test_commands.py does it in the demo."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from cua.hid import mouse_calibration
from cua.hid.inputs import HidInputs
from cua.hid.reports import Endpoint
from cua.types import Area, CuaError, Frame

SIZE = (1280, 720)
ARROW = [(0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12)]


class Desktop:
    """Screen and device in one: a pointer that goes so many pixels with each count."""

    leds = None

    def __init__(self, gain: float, clock: bool = False) -> None:
        self.gain, self.clock = gain, clock
        self.x = self.y = 300.0
        self.seen = 0

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        assert endpoint == "mouse"
        dx, dy = (byte - 256 if byte > 127 else byte for byte in report[1:3])
        self.x = min(SIZE[0] - 1, max(0, self.x + dx * self.gain))
        self.y = min(SIZE[1] - 1, max(0, self.y + dy * self.gain))

    def release(self) -> None:
        """Nothing is ever down."""

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        self.seen += 1
        picture = Image.new("RGB", SIZE, "#2b4a7f")
        draw = ImageDraw.Draw(picture)
        at = (int(self.x), int(self.y))
        draw.polygon([(at[0] + x, at[1] + y) for x, y in ARROW], "white", "black")
        if self.clock:
            draw.text((5, 5), f"12:{self.seen:02}", "white")
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=80)
        return Frame(file.getvalue(), *SIZE, self.seen, since + 1)

    async def zoom(self, area: Area) -> Frame:
        raise NotImplementedError


@pytest.mark.parametrize("gain", [0.8, 2.5])
async def test_the_gain_is_found(gain: float) -> None:
    desktop = Desktop(gain)
    assert await mouse_calibration.measure_gain(desktop, HidInputs(desktop)) == pytest.approx(
        gain, rel=0.006
    )


async def test_a_screen_that_moves_is_not_measured() -> None:
    desktop = Desktop(1.0, clock=True)
    with pytest.raises(CuaError, match="not found by what moves"):
        await mouse_calibration.measure_gain(desktop, HidInputs(desktop))
