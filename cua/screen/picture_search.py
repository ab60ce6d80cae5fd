"""Find a small picture or a new dialog on a screen, and the differences of two screens.

Needs the packages of the extra `local`. Pictures are colours in rows, 0..255.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..extras import missing_modules
from ..types import Area, Frame, MissingExtra
from .ocr.client import GRID_PX, Read
from .ocr.layout import Box, ScreenLayout

if TYPE_CHECKING:
    from numpy import ndarray

    Pixels = ndarray[Any, Any]

MIN_CORRELATION = 0.9
"""Least correlation of two equal pictures."""
MAX_DIFFERENCE, MAX_SCALED_DIFFERENCE = 0.33, 0.45
"""Largest mean colour difference in each part of `PART_PX`, as a proportion of the picture's range
of brightness: JPEG and scaling make less, another letter more."""
PART_PX = (2, 2)
MIN_DISTANCE_PX = 8
"""Distance of two copies at least; those of a repeated row may overlap."""
MAX_CANDIDATES = 50
"""Places that are compared at most, the likeliest first."""
CHANGED_LEVELS = 40
"""Least difference of a changed colour, of 255; noise is lower."""
MIN_NEW_COLUMNS = 0.5
"""Least proportion of the columns of a new text in which a pixel has changed."""
WINDOW_MARGIN_PX = 60
"""Margin around all changes: a window's border may look like the screen before it."""
MARGIN_PX = 12
"""Margin around a changed part of the screen."""


def find_copies(frame: Frame, picture: bytes, height: int = 0) -> list[Area]:
    """Return the places of a PNG. `height`: of its screen; if it differs, in that scale too.

    Raises `MissingExtra`, and `ValueError` if it is not a picture.
    """
    if missing_modules("local"):
        raise MissingExtra("local")
    screen, part = _decode(frame.jpeg), _decode(picture)
    places = [*_match(screen, part, MAX_DIFFERENCE)]
    if height not in (0, frame.height):
        places += _match(_scale_to(screen, height), part, MAX_SCALED_DIFFERENCE)
    return places


def _decode(picture: bytes) -> Pixels:
    import cv2
    import numpy as np

    pixels = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ValueError("not a picture")
    return pixels


def _scale_to(screen: Pixels, height: int) -> Pixels:
    import cv2

    scale = height / screen.shape[0]
    smoothing = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return cv2.resize(screen, None, fx=scale, fy=scale, interpolation=smoothing)


def _match(screen: Pixels, part: Pixels, allowed: float) -> Iterator[Area]:
    """Yield the places of the copies of `part`, searched without colours, which takes less time."""
    import cv2
    import numpy as np

    (height, width), (high, wide) = screen.shape[:2], part.shape[:2]
    if high > height or wide > width:
        return
    grey_screen, grey_part = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in (screen, part))
    likeness = cv2.matchTemplate(grey_screen, grey_part, cv2.TM_CCOEFF_NORMED)
    most = np.ptp(grey_part) * allowed
    for _ in range(MAX_CANDIDATES):
        _, best, _, (x, y) = cv2.minMaxLoc(likeness)
        if best < MIN_CORRELATION:
            return
        differences = cv2.absdiff(screen[y : y + high, x : x + wide], part).max(axis=2)
        if cv2.blur(differences, PART_PX).max() <= most:
            yield Box(x, y, x + wide, y + high).fractions(width, height)
        around = (slice(max(0, at - MIN_DISTANCE_PX), at + MIN_DISTANCE_PX + 1) for at in (y, x))
        likeness[tuple(around)] = 0


async def has_new_dialog(read: Read, before: Frame, after: Frame, place: Area) -> bool:
    """Whether a small window with a new button has come, and is not around the middle of `place`.

    Raises `ModelError` if OCR does not run.
    """
    for window in await asyncio.to_thread(_find_new_dialogs, before, after, place):
        layout = await read(after, window.fractions(*after.size))  # slow, so only the new ones
        framed = [line for line in layout.lines if layout.frame_of(line)]
        buttons = [line.box for line in framed if len(line.text) > 1]  # else maybe an icon
        if await asyncio.to_thread(_has_new_part, before, after, buttons):
            return True
    return False


def _find_new_dialogs(before: Frame, after: Frame, place: Area) -> list[Box]:
    import cv2

    left, top, width, height = cv2.boundingRect(_changed_mask(before, after))
    if not width:
        return []
    part = Box(left, top, left + width, top + height).grown(WINDOW_MARGIN_PX).fractions(*after.size)
    old, now = (_read_boxes(each, part) for each in (before, after))
    known, at = {*old.windows()}, now.pixel(place.middle)
    new = dict.fromkeys(each for each in now.windows() if each not in known)
    dialogs = [each for each in new if now.is_dialog(each, at)]
    return [each for each in dialogs if not any(map(each.is_inside, dialogs))]


def find_changed_boxes(before: Frame, after: Frame, left_out: Iterable[Box] = ()) -> list[Box]:
    """Return the parts that differ, each with a margin, the largest first."""
    import cv2
    import numpy as np

    if before.size != after.size:
        return []
    near = cv2.dilate(_changed_mask(before, after), np.ones((MARGIN_PX, MARGIN_PX), np.uint8))
    for left, top, right, bottom in left_out:
        near[top:bottom, left:right] = 0
    count, _, parts, _ = cv2.connectedComponentsWithStats(near)
    found = [Box(x, y, x + wide, y + high) for x, y, wide, high, _ in parts[1:count].tolist()]
    return sorted(found, key=lambda box: -box.area)


def _has_new_part(before: Frame, after: Frame, parts: Sequence[Box]) -> bool:
    """Whether one of these parts has changed in most of its width: it is not just covered there."""
    changed = _changed_mask(before, after)
    columns = (changed[top:bottom, left:right].any(axis=0) for left, top, right, bottom in parts)
    return any(each.mean() > MIN_NEW_COLUMNS for each in columns)


def _changed_mask(before: Frame, after: Frame) -> Pixels:
    """Return a mask that is not 0 where a colour has changed: everywhere if the size has."""
    import cv2
    import numpy as np

    if before.size != after.size:
        return np.full((after.height, after.width), 255, np.uint8)
    difference = cv2.absdiff(_decode(before.jpeg), _decode(after.jpeg))
    return cv2.bitwise_not(cv2.inRange(difference, (0, 0, 0), (CHANGED_LEVELS,) * 3))


def _read_boxes(frame: Frame, part: Area) -> ScreenLayout:
    """Return the boxes of a part of a screenshot without its texts, which is fast."""
    from .ocr.boxes import find_boxes

    box = Box.of(part, *frame.size).on_grid(GRID_PX)
    found = find_boxes(_decode(frame.jpeg)[box.top : box.bottom, box.left : box.right])
    return ScreenLayout.of({"lines": [], "boxes": found, "icons": []}, *frame.size, *box[:2])
