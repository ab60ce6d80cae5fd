"""Find the sign that a step of a procedure waits for: a line of text, or a picture.

A sign is found only if it is the only one of its kind or at its old place, so that no action misses
its target; a text without an old place that is only waited for may be there more than once. A text
has to be a whole line, so that "Delete" is not found in "Delete all". A picture needs the same
colours, so that a marked row differs from a plain one. The picture of a text is looked for first,
as OCR takes up to a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ..messages import Message
from ..screen.image import png_title
from ..screen.ocr.client import Read
from ..screen.ocr.layout import ScreenLayout, TextLine
from ..screen.ocr.matching import find_field, normalize_ocr
from ..screen.picture_search import find_copies
from ..types import Area, Frame, ProcedureError
from .procedure import Sign

NEAR = 0.02
"""Distance within which a sign is at its old place, in fractions of the screen's width."""
MARGIN = 0.05
"""Margin of the part around the old place of a text that is searched first: a line that this part
cuts is too far away to be taken for it."""
LABEL_MARGIN = 0.2
"""The margin at the left and the right of a field."""


class SignFinder:
    """Finds signs that were recorded on a screen of `size` pixels. `read`: OCR of a picture."""

    def __init__(self, read: Read, size: tuple[int, int]) -> None:
        self.read, self.size = read, size
        self.shift = (0.0, 0.0)
        """Offset of the last sign from its old place, in fractions of the screen."""

    async def find(
        self, sign: Sign, frame: Frame, *, acts: bool = True, everywhere: bool = True
    ) -> Area | None:
        """Return where a sign is now, in fractions of the screen; None if it is not found.

        `acts`: whether something will be done there. `everywhere`: also by reading the whole
        screen, which is slow. Raises `ModelError` if OCR does not run.
        """
        found = await self._find(sign, frame, acts, everywhere)
        if found and sign.at:
            self.shift = found.offset(sign.at)
        return found

    async def _find(self, sign: Sign, frame: Frame, acts: bool, everywhere: bool) -> Area | None:
        if not sign.text:
            return await asyncio.to_thread(find_picture, sign, frame, self.size[1])
        if sign.at and frame.size == self.size:
            shows_text = sign.picture and png_title(sign.picture) == sign.text
            if shows_text and (found := await asyncio.to_thread(find_picture, sign, frame)):
                return sign.at.moved(*found.offset(sign.at))
            for at in dict.fromkeys((sign.at.moved(*self.shift), sign.at)):
                if near := await self.find_near(sign, at, frame):
                    return near
            if not everywhere:
                return None
        return find_text(sign, await self.read(frame), acts=acts)

    async def find_near(self, sign: Sign, at: Area, frame: Frame) -> Area | None:
        """Return where OCR finds a text at this place, in a picture of only this part."""
        part = at.grown(LABEL_MARGIN if sign.field else MARGIN, MARGIN)
        here = sign.model_copy(update={"at": at, "button": False})
        found = find_text(here, await self.read(frame, part))
        return found if found and _is_near(found, at) else None


def find_text(sign: Sign, layout: ScreenLayout, *, acts: bool = True) -> Area | None:
    lines = find_lines(sign, layout)
    boxes = (find_field(layout, line) if sign.field else line.box for line in lines)
    places = [box.fractions(layout.width, layout.height) for box in boxes if box]
    return _only(sign, places if acts or sign.at else places[:1])


def find_lines(sign: Sign, layout: ScreenLayout) -> list[TextLine]:
    wanted = normalize_ocr(sign.text)
    found = [line for line in layout.lines if normalize_ocr(line.text) == wanted != ""]
    return [line for line in found if layout.frame_of(line)] if sign.button else found


def find_longer_line(text: str, layout: ScreenLayout) -> str:
    """Return the first line that contains a text; "" if there is none, or the text is a line."""
    lines = {normalize_ocr(line.text): line.text for line in layout.lines}
    longer = (line for each, line in lines.items() if normalize_ocr(text) in each)
    return "" if normalize_ocr(text) in ("", *lines) else next(longer, "")


def find_picture(sign: Sign, frame: Frame, height: int = 0) -> Area | None:
    """Find a picture. `height`: of the recorded screen; the picture may be enlarged now.

    Raises `MissingExtra`, and `ProcedureError` if the sign's picture is invalid.
    """
    try:
        return _only(sign, find_copies(frame, sign.picture, height))
    except ValueError:
        raise ProcedureError(Message("procedure.bad_picture")) from None


def _only(sign: Sign, places: Iterable[Area]) -> Area | None:
    """Return the one at the old place, else the only one."""
    found = list(places)
    candidates = [each for each in found if sign.at and _is_near(each, sign.at)] or found
    return candidates[0] if len(candidates) == 1 else None


def _is_near(one: Area, other: Area) -> bool:
    return max(map(abs, one.offset(other))) <= NEAR
