"""The words around the target of an action, for the gate, and on the final screen, for a Done.

A model may say "I click OK" over a button that reads "Delete". Recognising text takes a process of
500 MB, so this works only where the packages of the Local operator are installed and Settings
want it; elsewhere the gate has the model's own words. It is bounded in time: an answer that comes
late is no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from .approval import NO_WORDS, Words
from .gate import answers, as_click
from .screen.picture import cut
from .types import Area, Click, Deed, Frame, Keypress, ModelError, Point, Power
from .within import within

if TYPE_CHECKING:
    from .models.local.eyes import Eyes
    from .models.local.ocr import Look

LIMIT = 2.0
"""Seconds that reading may take."""
PATIENT = 6
"""Times that for a whole screen, which is read once a task."""
WIDE, HIGH = 0.44, 0.44
"""Shares of the screen that are read: a dialog is rarely larger."""
QUARTERS = tuple(
    Area(left=left, top=top, right=left + 0.55, bottom=top + 0.55)
    for top in (0.0, 0.45)
    for left in (0.0, 0.45)
)
"""Of a whole screen, a little more than that each: few words are cut."""
MIDDLE = Point(x=0.5, y=0.5)
"""Where dialogs come up, which keys answer."""
_BUTTON = (460, 90)
"""Pixels; a larger rectangle is no button."""


class Nearby:
    """Reads for one gate. `wanted`: whether it is to be done at all, now."""

    def __init__(self, wanted: Callable[[], bool], limit: float = LIMIT) -> None:
        self._wanted, self._limit = wanted, limit
        self._eyes: Eyes | None = None
        self._waking: asyncio.Task[Words] | None = None

    def wake(self) -> None:
        """Begin to load what the first click will need."""
        if self._wanted() and self._eyes is None and _installed():
            self._waking = asyncio.ensure_future(self._read(_nothing(), MIDDLE))

    async def read(self, frame: Frame, action: Deed) -> Words:
        """Nothing where nothing can be read."""
        at = _place(action)
        if at is None or not self._wanted() or not _installed():
            return NO_WORDS
        try:
            async with within(self._limit):
                return await self._read(frame, at)
        except asyncio.TimeoutError:
            return NO_WORDS

    async def whole(self, frame: Frame) -> str | None:
        """All words of a picture; None where it is not to be read, or cannot be, in time."""
        if not self._wanted() or not _installed():
            return None
        try:
            async with within(self._limit * PATIENT):
                looks = [await self._part(frame, area) for area in QUARTERS]
        except (asyncio.TimeoutError, ModelError, OSError):
            return None
        return "\n".join(word for look in looks for word in look.words())

    async def rest(self) -> None:
        """Ends the process where nothing is to be read any more; it takes half a gigabyte."""
        if self._eyes is not None and not self._wanted():
            await self._eyes.rest()

    async def aclose(self) -> None:
        """Ends the process."""
        if self._waking is not None:
            self._waking.cancel()
        if self._eyes is not None:
            await self._eyes.aclose()
            self._eyes = None

    async def _read(self, frame: Frame, at: Point) -> Words:
        area = _around(at)
        try:
            look = await self._part(frame, area)
        except (ModelError, OSError):
            return NO_WORDS
        x = (at.x - area.left) / (area.right - area.left)
        y = (at.y - area.top) / (area.bottom - area.top)
        return Words(" ".join(look.words()), label(look, look.pixel((x, y))))

    async def _part(self, frame: Frame, area: Area) -> Look:
        from .models.local.eyes import READER, Eyes

        self._eyes = self._eyes or Eyes((*READER, "--parts"))
        jpeg, size = await asyncio.to_thread(cut, frame.jpeg, area)
        return await self._eyes.look(Frame(jpeg, *size, frame.seq, frame.at))


def label(look: Look, place: tuple[int, int]) -> str:
    """What stands on the button, or is the line, that is at this place."""
    widest, highest = _BUTTON
    for box in look.boxes:
        if box.holds(place) and box.width <= widest and box.height <= highest:
            words = " ".join(seen.text for seen in look.inside(box))
            if words:
                return words
    x, y = place
    near = (
        seen
        for seen in look.lines
        if abs(y - seen.box.middle[1]) <= seen.box.height
        and seen.box.left - seen.box.height <= x <= seen.box.right + seen.box.height
    )
    return next((seen.text for seen in near), "")


def _place(action: Deed) -> Point | None:
    if isinstance(action, Power):
        return None
    action = as_click(action)
    if isinstance(action, Click):
        return action.at if answers(action) else None
    single = isinstance(action, Keypress) and len(action.keys) == 1
    return MIDDLE if single or answers(action) else None


def _around(at: Point) -> Area:
    left = min(max(0.0, at.x - WIDE / 2), 1 - WIDE)
    top = min(max(0.0, at.y - HIGH * 0.65), 1 - HIGH)  # a question stands above its buttons
    return Area(left=left, top=top, right=left + WIDE, bottom=top + HIGH)


def _installed() -> bool:
    from importlib.util import find_spec

    from .models.local.eyes import NEEDED

    return all(find_spec(name) for name in NEEDED)


def _nothing() -> Frame:
    """A picture without a word, to begin with."""
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (160, 90), "white").save(file, "JPEG")
    return Frame(file.getvalue(), 160, 90, 0, 0.0)
