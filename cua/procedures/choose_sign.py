"""Choose the signs of a recorded step: a text that is unique on its screen, else a picture."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Container, Iterable, Sequence
from itertools import islice

from ..messages import Message
from ..screen.image import open_jpeg
from ..screen.ocr import labels
from ..screen.ocr.client import Read
from ..screen.ocr.layout import MAX_TITLE_PX, Box, ScreenLayout
from ..screen.ocr.matching import new_texts, shows_part_of
from ..screen.picture_search import CHANGED_LEVELS, decode, find_changed_boxes
from ..types import Area, Frame, Point, ProcedureError
from .procedure import Sign
from .signs import SignFinder, find_picture, find_text

PICTURE_PX = ((64, 32), (120, 48), (220, 72), (400, 120))
"""Width and height of pictures around a target; the first unique one is used."""
POINTER_PX = (48, 64)
"""Width and height of the area around a pointer's tip that it may cover or mark."""
MAX_CHANGES = 4
"""Changed areas that are tried at most."""
MIN_CHARS = 2
MAX_CHARS = 60
"""Characters of a text at most; longer ones are content rather than labels."""


async def shows_part(sign: Sign, frame: Frame, read: Read, secrets: Sequence[str]) -> bool:
    """Whether OCR finds a part of a secret in the picture of a sign on this frame."""
    layout, at = await read(frame), sign.picture and sign.at
    box = at and layout.box_of(at)
    near = (line.text for line in layout.lines if box and line.box.meets(box))
    return any(shows_part_of(text, secrets) for text in near)


async def choose_target_sign(
    frame: Frame, at: Point, read: Read, pointers: Sequence[Point] = ()
) -> Sign | None:
    """Return the sign before an action at this place: a text or a picture there, else the nearest
    text of its window, which is preferred to a picture with one of the `pointers`. None if nothing
    is unique, or only a pointer.

    The place distinguishes the name of an icon or a window from the same text elsewhere: its
    picture would differ once the icon is selected or the window is in front.
    """
    layout = await read(frame)
    place = layout.pixel((at.x, at.y))
    field = labels.field_at(layout, place)
    signs = [_text_sign(layout, field.text, field=True) if field else None]
    others = (labels.text_at(layout, place), labels.text_below(layout, place))
    lines = [each for each in others if each]
    signs += [_text_sign(layout, each.text, button=bool(layout.frame_of(each))) for each in lines]
    named = (e for e in lines if labels.is_icon(layout, e) or layout.is_title(e))
    signs += [_text_sign(layout, each.text, at=each.box) for each in named]
    if text := next(filter(None, signs), None):
        return text
    tips = (layout.pixel((each.x, each.y)) for each in pointers)
    covered = [_box_around(*tip, *POINTER_PX, frame) for tip in tips]
    near = _nearest(layout, place)
    if near and any(box.holds(place) for box in covered):
        return near
    return await asyncio.to_thread(_picture_around, frame, place, covered) or near


async def choose_sign_in(finder: SignFinder, frame: Frame, part: Area) -> Sign:
    """Return the only line of text in a part of the screen, else its picture, as a sign.

    `at`: its place if the last sign of `finder` were at its old one. Raises `ProcedureError`.
    """
    layout = await finder.read(frame)
    box = layout.box_of(part)
    texts = [line.text for line in layout.lines if box.holds(line.box.middle)]
    sign = _text_sign(layout, texts[0]) if len(texts) == 1 else None
    sign = sign or await asyncio.to_thread(_picture_sign, frame, box)
    if frame.size != finder.size or sign is None or sign.at is None:
        raise ProcedureError(Message("procedure.not_unique", size="x".join(map(str, finder.size))))
    x, y = finder.shift
    return sign.model_copy(update={"at": sign.at.moved(-x, -y)})


async def choose_screen_sign(frame: Frame, read: Read) -> Sign | None:
    """Return the sign of a screen: its first unique text without a number."""
    layout = await read(frame)
    texts = _prefer_words(line.text for line in layout.lines)
    return next(filter(None, (_text_sign(layout, text) for text in texts)), None)


async def choose_change_sign(
    before: Frame,
    after: Frame,
    at: Point | None,
    read: Read,
    seen: Container[str] = (),
    typed: Sequence[str] = (),
    pointers: Sequence[Point] = (),
    typed_over: Sequence[Point] = (),
) -> Sign | None:
    """Return a sign that an action at this place brought to the screen.

    Of several new texts the first in reading order: titles come before content, and both before
    texts `seen` earlier. Each is read twice, as OCR sometimes misreads a screen. If the action
    typed the texts `typed`, a caret blinks, which OCR may read as a letter: then no picture is
    used, and of these texts only one that OCR read exactly. The contents of the fields at
    `typed_over`, into which the next steps type, are not used: they differ each time.
    """
    old, new = await read(before), await read(after)
    hidden = [new.pixel((each.x, each.y)) for each in pointers]
    texts = _prefer_words(new_texts(old, new, hidden), seen)
    exact = (text for text in texts if all(each not in text or each == text for each in typed))
    finder = SignFinder(read, after.size)
    for sign in filter(None, (_text_sign(new, text) for text in exact)):
        is_new = find_text(sign, old) is None and not _is_part_of_line(sign, old)
        if is_new and sign.at and await finder.find_near(sign, sign.at, after):
            return sign
    if typed:
        return None
    words = new.words()
    clocks = [line.box for line in new.lines if line.text not in words]
    fields = [_box_around(*new.pixel((each.x, each.y)), 2, 2, after) for each in typed_over]
    covered = [_box_around(x, y, *POINTER_PX, after) for x, y in hidden]
    unsteady = [*clocks, *fields]
    return await asyncio.to_thread(_changed_picture, before, after, at, unsteady, covered)


def _is_part_of_line(sign: Sign, old: ScreenLayout) -> bool:
    """Whether the old screen had a longer line there, which another window covers in part now."""
    box = sign.at and old.box_of(sign.at)
    return any(box and line.box.meets(box) and sign.text in line.text for line in old.lines)


def _prefer_words(texts: Iterable[str], seen: Container[str] = ()) -> list[str]:
    """Sort texts: first those without digits, as counters and clocks differ, then not `seen`."""
    return sorted(texts, key=lambda text: (any(map(str.isdigit, text)), text in seen))


def _text_sign(
    layout: ScreenLayout,
    text: str,
    *,
    field: bool = False,
    button: bool = False,
    at: Box | None = None,
) -> Sign | None:
    """Return the sign if it is the only one of its kind, or the only one near `at`; None for a
    cursor in a field.
    """
    old = at and at.fractions(layout.width, layout.height)
    sign = Sign(text=text.strip("|") or "|", field=field, button=button, at=old)
    place = find_text(sign, layout) if MIN_CHARS <= len(sign.text) <= MAX_CHARS else None
    return sign.model_copy(update={"at": place}) if place else None


def _nearest(layout: ScreenLayout, place: tuple[int, int]) -> Sign | None:
    """Return a text in the window of a place, or in its title; None outside of a window."""
    window = layout.window_at(place)
    titled = window._replace(top=window.top - MAX_TITLE_PX)
    inside = window.area < layout.width * layout.height
    lines = [line for line in layout.lines if inside and titled.holds(line.box.middle)]
    lines.sort(key=lambda line: line.box.distance(place))
    return next(filter(None, (_text_sign(layout, line.text) for line in lines)), None)


def _picture_around(frame: Frame, place: tuple[int, int], covered: Sequence[Box]) -> Sign | None:
    boxes = (_box_around(*place, *size, frame) for size in PICTURE_PX)
    return next(filter(None, (_picture_sign(frame, box, covered) for box in boxes)), None)


def _changed_picture(
    before: Frame,
    after: Frame,
    at: Point | None,
    unsteady: Sequence[Box],
    covered: Sequence[Box],
) -> Sign | None:
    """Return a changed area that can be a sign: in the row of `at`, else the largest.

    Changes that touch an `unsteady` area do not count; of others the part that is not `covered`.
    """
    changed = find_changed_boxes(decode(before.jpeg), decode(after.jpeg))
    free = (_beside(box, covered) for box in changed if not any(map(box.meets, unsteady)))
    parts = (_box_around(*box.middle, *_limit_size(box), after) for box in free)
    left_out = [*unsteady, *covered]
    boxes = list(islice((box for box in parts if not any(map(box.meets, left_out))), MAX_CHANGES))
    if at:
        y = at.y * after.height
        boxes.sort(key=lambda box: max(box.top - y, y - box.bottom, 0))
    signs = filter(None, (_picture_sign(after, box) for box in boxes))
    return next((each for each in signs if not find_picture(each, before)), None)


def _beside(box: Box, hidden: Sequence[Box]) -> Box:
    """Return the largest part of a box beside the hidden ones, such as of a row with a pointer."""
    for each in filter(box.meets, hidden):
        across = box._replace(right=each.left), box._replace(left=each.right)
        above = box._replace(bottom=each.top), box._replace(top=each.bottom)
        box = max(*across, *above, key=lambda part: part.area)
    return box


def _limit_size(box: Box) -> tuple[int, int]:
    (least_x, least_y), (most_x, most_y) = PICTURE_PX[0], PICTURE_PX[-1]
    return min(most_x, max(least_x, box.width)), min(most_y, max(least_y, box.height))


def _box_around(x: int, y: int, width: int, height: int, frame: Frame) -> Box:
    left, top = max(0, x - width // 2), max(0, y - height // 2)
    return Box(left, top, min(frame.width, x + width // 2), min(frame.height, y + height // 2))


def _picture_sign(frame: Frame, box: Box, covered: Sequence[Box] = ()) -> Sign | None:
    """Return the picture of an area, if it is unique on the frame and not empty where it is not
    `covered`.
    """
    out = io.BytesIO()
    with open_jpeg(frame.jpeg) as image:
        image.crop(box).save(out, "PNG")
        for each in covered:
            image.paste(image.getpixel(each[:2]), each)
        darkest, brightest = image.crop(box).convert("L").getextrema()
    if covered and brightest - darkest < CHANGED_LEVELS:
        return None
    sign = Sign(picture=out.getvalue())
    place = find_picture(sign, frame)
    return sign.model_copy(update={"at": place}) if place else None
