"""Replace screenshots by a grey picture while a secret may be visible.

That is from typing a secret that the model must not see until Enter submits it. Recordings get the
grey picture too; the user still sees the live video.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from ..screen.image import encode_jpeg
from ..types import Area, Frame, Screen

TEXT_LINES = (
    "The screen is withheld: a secret that was typed may be on it.",
    "Press ENTER to send it off; then you will see the screen again.",
)


class RedactedScreen:
    """`types.Screen` whose screenshots are blank while `withheld()` is true."""

    def __init__(self, screen: Screen, withheld: Callable[[], bool]) -> None:
        self._screen, self._withheld = screen, withheld

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        return await self._redact(await self._screen.take_screenshot(since, stable_s, timeout_s))

    async def zoom(self, area: Area) -> Frame:
        return await self._redact(await self._screen.zoom(area))

    async def _redact(self, frame: Frame) -> Frame:
        if not self._withheld():
            return frame
        jpeg = await asyncio.to_thread(_blank, frame.width, frame.height)
        return replace(frame, jpeg=jpeg, moving_areas=())


@lru_cache(maxsize=4)
def _blank(width: int, height: int) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (width, height), "#3c3f45")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(12, width // 45))
    for number, line in enumerate(TEXT_LINES):
        at = (width / 2, height / 2 + (number - 0.5) * width / 25)
        draw.text(at, line, font=font, fill="white", anchor="mm")
    return encode_jpeg(picture, 80)
