"""Measures on the screen how far a count of a relative mouse moves the pointer.

The pointer moves from the corner to two places; the two pictures differ at its position. The first
measurement covers a short distance; its estimate is used for one across most of the screen.
"""

from __future__ import annotations

import asyncio
import io

from ..messages import Message
from ..types import CuaError, Frame, Move, Point, Screen
from .input_profile import InputProfile
from .inputs import HidInputs
from .pointing import Mouse

STABLE_S = 0.3
SCREEN_TIMEOUT_S = 3.0
NEAR_PLACES = ((0.10, 0.08), (0.16, 0.16))
FAR_PLACES = ((0.70, 0.40), (0.85, 0.80))
"""Places right of and above the lower left corner, in fractions of the screen."""
MIN_DIFFERENCE = 60
"""Least difference of a pixel that the pointer changed, of 255: more than JPEG noise."""
MAX_DEVIATION = 0.06
"""Largest relative difference of both directions' gains; a clock or a caret differs more."""


async def measure_gain(screen: Screen, inputs: HidInputs) -> float:
    """Return the gain in pixels per count. Raises `CuaError` if the pointer cannot be found."""
    first = await _measure(screen, inputs, NEAR_PLACES, 1.0)
    return round(await _measure(screen, inputs, FAR_PLACES, first), 3)


async def _measure(
    screen: Screen, inputs: HidInputs, places: tuple[tuple[float, float], ...], guess: float
) -> float:
    """Measure at two places, which the pointer reaches if `guess` is right."""
    pictures = [await _picture_at(screen, inputs, place, guess) for place in places]
    width, height = pictures[0].width, pictures[0].height
    left, top = await asyncio.to_thread(_find_difference, *pictures)
    (near, _), (_, high) = places
    across = left / (round(int(near * width) / guess) or 1)
    up = (height - 1 - top) / (round(int(high * height) / guess) or 1)
    if not up or abs(across / up - 1) > MAX_DEVIATION + 4 / height:
        raise CuaError(Message("hid.pointer_not_found"))
    return (across + up) / 2


async def _picture_at(
    screen: Screen, inputs: HidInputs, place: tuple[float, float], guess: float
) -> Frame:
    frame = await screen.take_screenshot(inputs.last_report_at, STABLE_S, SCREEN_TIMEOUT_S)
    inputs.profile = InputProfile(mouse=Mouse(frame.width, frame.height, guess))
    right, up = place
    await inputs.perform(Move(at=Point(x=right, y=1 - up)))
    return await screen.take_screenshot(inputs.last_report_at, STABLE_S, SCREEN_TIMEOUT_S)


def _find_difference(before: Frame, after: Frame) -> tuple[int, int]:
    """Return the left and upper edge of the difference in pixels. Raises `CuaError` for none."""
    from PIL import Image, ImageChops

    pictures = [Image.open(io.BytesIO(frame.jpeg)).convert("L") for frame in (before, after)]
    delta = ImageChops.difference(*pictures).point(lambda value: 255 * (value > MIN_DIFFERENCE))
    box = delta.getbbox()
    if box is None:
        raise CuaError(Message("hid.pointer_not_found"))
    return box[:2]
