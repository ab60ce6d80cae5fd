"""How far a count of a relative mouse moves the pointer, measured on the screen.

The pointer is driven to two places from the corner; what differs between the two pictures is the
pointer here and the pointer there. First with small steps, then, when it is known how far they
carry, across most of the screen.
"""

from __future__ import annotations

import asyncio
import io
from typing import NamedTuple, Protocol

from .hid import Hands
from .hid.pointing import Mouse
from .hid.target import Target
from .types import CuaError, Frame, Move, Point

QUIET = 0.3
PATIENCE = 3.0
NEAR = ((0.10, 0.08), (0.16, 0.16))
FAR = ((0.70, 0.40), (0.85, 0.80))
"""Places right of and above the lower left corner, in fractions of the screen."""
DIFFERENT = 60
"""Of 255: more than what JPEG does to a picture at rest."""
AGREE = 0.06
"""How far the two directions may lie apart, which is how a clock or a caret is told from it."""

_NOT_FOUND = (
    "The pointer was not found by what moves on the screen. Let the screen stand still (an empty "
    "desktop, or the setup of a BIOS), switch pointer acceleration off, and try again."
)


class Eyes(Protocol):
    async def still(self, since: float, quiet: float, patience: float) -> Frame:
        """See `types.Screen`."""


class Box(NamedTuple):
    """What differs, in pixels: its left and upper edge, its right and lower one."""

    left: int
    top: int
    right: int
    bottom: int


async def gain(screen: Eyes, hands: Hands) -> float:
    """Pixels per count. Raises `CuaError` if the screen does not tell."""
    first = await _measured(screen, hands, NEAR, 1.0)
    return round(await _measured(screen, hands, FAR, first), 3)


async def _measured(
    screen: Eyes, hands: Hands, places: tuple[tuple[float, float], ...], guess: float
) -> float:
    """The gain, by places that are so far away if the guess is right."""
    pictures = [await _at(screen, hands, place, guess) for place in places]
    width, height = pictures[0].width, pictures[0].height
    box = await asyncio.to_thread(difference, *pictures)
    (near, _), (_, high) = places
    across = box.left / (round(int(near * width) / guess) or 1)
    up = (height - 1 - box.top) / (round(int(high * height) / guess) or 1)
    if not up or abs(across / up - 1) > AGREE + 4 / height:
        raise CuaError(_NOT_FOUND)
    return (across + up) / 2


async def _at(screen: Eyes, hands: Hands, place: tuple[float, float], guess: float) -> Frame:
    frame = await screen.still(hands.touched, QUIET, PATIENCE)
    hands.target = Target(mouse=Mouse(frame.width, frame.height, guess))
    right, up = place
    await hands.perform(Move(at=Point(x=right, y=1 - up)))
    return await screen.still(hands.touched, QUIET, PATIENCE)


def difference(before: Frame, after: Frame) -> Box:
    """Raises `CuaError` if nothing differs."""
    from PIL import Image, ImageChops

    pictures = [Image.open(io.BytesIO(frame.jpeg)).convert("L") for frame in (before, after)]
    found = ImageChops.difference(*pictures).point(lambda value: 255 * (value > DIFFERENT))
    box = found.getbbox()
    if box is None:
        raise CuaError(_NOT_FOUND)
    return Box(*box)
