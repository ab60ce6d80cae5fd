"""Find what a step of a procedure waits for: a line of text, or a picture.

A sign is found where it is the only one of its kind, or at its old place; else it is not found: no
action goes beside its target. A text has to be a whole line, so that "Delete" is not found in
"Delete all". A picture has to have its colours too, so that a marked row differs from a plain one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ..extras import missing_modules
from ..messages import Message
from ..screen.image import crop_jpeg
from ..screen.ocr.layout import Box, ScreenLayout
from ..screen.ocr.matching import find_field, normalize_ocr
from ..types import Area, Frame, MissingExtra, ProcedureError
from .procedure import Sign

if TYPE_CHECKING:
    from numpy import ndarray

    Pixels = ndarray[Any, Any]

MIN_CORRELATION = 0.9
"""Of two pictures that show the same."""
MAX_DIFFERENCE_LEVELS = 32.0
"""Of their colours, of 255, on average over each part of `PART_PX`: no letter is another one."""
PART_PX = (9, 9)
NEAR = 0.02
"""Of the screen's width: distance within which something is at its old place."""
MARGIN_PX = 60
"""Around the old place of a text, where it is looked for first."""
EDGE_PX = 6
"""A line this near to the edge of that part may have been cut."""


class Read(Protocol):
    """The OCR of a screenshot, or of a small part of one, which is faster."""

    async def __call__(self, frame: Frame, /, *, is_part: bool = False) -> ScreenLayout: ...


class SignFinder:
    """Finds signs that were recorded on a screen of `size` pixels. `read`: OCR of a picture."""

    def __init__(self, read: Read, size: tuple[int, int]) -> None:
        self.read, self.size = read, size
        self.shift = (0.0, 0.0)
        """How far the last sign was from its old place, in fractions: its window may have moved."""

    async def find(self, sign: Sign, frame: Frame) -> Area | None:
        """Return where it is now, in fractions of the screen; None if it is not found.

        Raises `ModelError` if the OCR does not run.
        """
        found = await self._find(sign, frame)
        if found and sign.at:
            (x, y), (old_x, old_y) = middle(found), middle(sign.at)
            self.shift = x - old_x, y - old_y
        return found

    async def _find(self, sign: Sign, frame: Frame) -> Area | None:
        if sign.picture:
            found = await asyncio.to_thread(find_picture, sign, frame, self.size[1])
            if not found or not sign.text:
                return found
            return found if await self._is_text_in(sign.text, frame, found) else None
        if sign.at and not sign.field and frame.size == self.size:
            for at in {sign.at, move_area(sign.at, *self.shift)}:
                if near := await self._find_near(sign, at, frame):
                    return near
        return find_text(sign, await self.read(frame))

    async def is_at_its_place(self, sign: Sign, frame: Frame) -> bool:
        """Return whether a text is read where it was, also if only that part is looked at."""
        return bool(sign.at and await self._find_near(sign, sign.at, frame))

    async def _find_near(self, sign: Sign, at: Area, frame: Frame) -> Area | None:
        part = _grow(at, MARGIN_PX / frame.width, MARGIN_PX / frame.height)
        look = await self._read_part(frame, part)
        whole = (line for line in look.lines if not _is_cut(line.box, look, part))
        places = (_area(line.box, look, part) for line in whole if _is_same(line.text, sign.text))
        found = [each for each in places if _is_near(each, at)]
        return found[0] if len(found) == 1 else None

    async def _is_text_in(self, text: str, frame: Frame, area: Area) -> bool:
        look = await self._read_part(frame, area)
        return any(_is_same(line.text, text) for line in look.lines)

    async def _read_part(self, frame: Frame, part: Area) -> ScreenLayout:
        jpeg, size = await asyncio.to_thread(crop_jpeg, frame.jpeg, part)
        return await self.read(Frame(jpeg, *size, frame.seq, frame.at), is_part=True)


def find_text(sign: Sign, layout: ScreenLayout) -> Area | None:
    lines = (line for line in layout.lines if _is_same(line.text, sign.text))
    boxes = (find_field(layout, line) if sign.field else line.box for line in lines)
    return _only(sign, (_fractions(box, layout.width, layout.height) for box in boxes if box))


def find_picture(sign: Sign, frame: Frame, height: int = 0) -> Area | None:
    """`height`: of the screen that it was recorded on; the same may be shown enlarged now.

    Needs the packages of the extra `local`. Raises `MissingExtra`.
    """
    if missing_modules("local"):
        raise MissingExtra("local")
    screen, part = decode(frame.jpeg), decode(sign.picture)
    screens = [screen, _scale(screen, height)] if height not in (0, frame.height) else [screen]
    return _only(sign, (area for each in screens for area in find_copies(each, part)))


def _scale(screen: Pixels, height: int) -> Pixels:
    import cv2

    scale = height / screen.shape[0]
    smoothing = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return cv2.resize(screen, None, fx=scale, fy=scale, interpolation=smoothing)


def find_copies(screen: Pixels, part: Pixels) -> Iterator[Area]:
    """Yield the places of the copies of `part`; both are colours in rows, 0..255."""
    import cv2

    (height, width), (high, wide) = screen.shape[:2], part.shape[:2]
    if high > height or wide > width:
        return
    likeness = cv2.matchTemplate(screen, part, cv2.TM_CCOEFF_NORMED)
    while True:
        _, best, _, (x, y) = cv2.minMaxLoc(likeness)
        if best < MIN_CORRELATION:
            return
        differences = cv2.absdiff(screen[y : y + high, x : x + wide], part).max(axis=2)
        if cv2.blur(differences, PART_PX).max() <= MAX_DIFFERENCE_LEVELS:
            yield _fractions(Box(x, y, x + wide, y + high), width, height)
        around = (slice(max(0, y - high // 2), y + high), slice(max(0, x - wide // 2), x + wide))
        likeness[around] = 0


def decode(picture: bytes) -> Pixels:
    import cv2
    import numpy as np

    pixels = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ProcedureError(Message("procedure.bad_picture"))
    return pixels


def _only(sign: Sign, places: Iterable[Area]) -> Area | None:
    """The one at the old place, else the only one."""
    found = list(places)
    old = [each for each in found if sign.at and _is_near(each, sign.at)]
    candidates = old or found
    return candidates[0] if len(candidates) == 1 else None


def _is_same(one: str, other: str) -> bool:
    return normalize_ocr(one) == normalize_ocr(other) != ""


def _is_near(one: Area, other: Area) -> bool:
    (x, y), (other_x, other_y) = middle(one), middle(other)
    return abs(x - other_x) <= NEAR and abs(y - other_y) <= NEAR


def middle(area: Area) -> tuple[float, float]:
    return (area.left + area.right) / 2, (area.top + area.bottom) / 2


def _is_cut(box: Box, look: ScreenLayout, part: Area) -> bool:
    """Whether a line may go on outside of the part of the screen that was read."""
    return (part.left > 0 and box.left < EDGE_PX) or (
        part.right < 1 and box.right > look.width - EDGE_PX
    )


def _area(box: Box, look: ScreenLayout, part: Area) -> Area:
    """`box`: in pixels of `look`, which shows `part` of the screen."""
    inner = _fractions(box, look.width, look.height)
    wide, high = part.right - part.left, part.bottom - part.top
    right, bottom = part.left + inner.right * wide, part.top + inner.bottom * high
    return _clip(part.left + inner.left * wide, part.top + inner.top * high, right, bottom)


def _fractions(box: Box, width: int, height: int) -> Area:
    return _clip(box.left / width, box.top / height, box.right / width, box.bottom / height)


def move_area(area: Area, x: float, y: float) -> Area:
    """Return a copy that is still on the screen."""
    x = min(1 - area.right, max(-area.left, x))
    y = min(1 - area.bottom, max(-area.top, y))
    return _clip(area.left + x, area.top + y, area.right + x, area.bottom + y)


def _grow(area: Area, x: float, y: float) -> Area:
    return _clip(area.left - x, area.top - y, area.right + x, area.bottom + y)


def _clip(left: float, top: float, right: float, bottom: float) -> Area:
    """Return what of an area, in fractions of the screen, is on the screen."""
    left, top, right, bottom = (min(1.0, max(0.0, each)) for each in (left, top, right, bottom))
    return Area(left=left, top=top, right=right, bottom=bottom)
