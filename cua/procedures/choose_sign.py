"""Choose the signs of a recorded step: a text that is unique on its screen, else a picture."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ..messages import Message
from ..screen.image import cut_png, open_jpeg
from ..screen.ocr import labels
from ..screen.ocr.client import Read
from ..screen.ocr.layout import MAX_TITLE_PX, Box, ScreenLayout
from ..screen.ocr.matching import new_texts, normalize_ocr, shows_part_of
from ..screen.picture_search import CHANGED_LEVELS, find_changed_boxes
from ..types import Area, Frame, Point, ProcedureError, Type
from .procedure import Sign
from .recorded_steps import RecordedStep
from .signs import SignFinder, find_picture, find_text

PICTURE_PX = ((64, 32), (120, 48), (220, 72), (400, 120))
"""Width and height of pictures around a target; the first unique one is used."""
POINTER_PX = (48, 64)
"""Width and height of the area around a pointer's tip that it may cover or mark."""
TEXT_MARGIN_PX = 8
"""Margin of a text's picture: what stands there makes the text a part of a longer one."""
MAX_CHANGES = 4
"""Changed areas that are tried at most."""
CARET = "l"
"""What `normalize_ocr` makes of a caret behind a text that OCR reads as a letter."""
MIN_CHARS = 2
MAX_CHARS = 60
"""Characters of a text at most; longer ones are content rather than labels."""


async def shows_part(sign: Sign, frame: Frame, read: Read, secrets: Sequence[str]) -> bool:
    """Whether OCR finds a part of a secret in the picture of a sign on this frame."""
    layout, at = await read(frame), sign.picture and sign.at
    box = at and layout.box_of(at)
    near = (line.text for line in layout.lines if box and line.box.meets(box))
    return any(shows_part_of(text, secrets) for text in near)


async def choose_when(step: RecordedStep, read: Read) -> Sign | None:
    """Return the sign of a step's target: a text or a picture there, else the nearest text of its
    window, which is preferred to a picture with a pointer. None if it has no target.

    The place distinguishes the name of an icon or a window from the same text elsewhere: its
    picture would differ once the icon is selected or the window is in front. Raises
    `ProcedureError` if nothing is unique, or only a pointer.
    """
    if not (at := step.target):
        return None
    layout = await read(step.frame)
    place = layout.pixel((at.x, at.y))
    sign = next(filter(None, _target_texts(layout, place)), None)
    if sign is None:
        covered = _covered(layout, step.screens[0].pointers)
        near = _nearest(layout, place)
        if near is None or not any(box.holds(place) for box in covered):
            windows = layout.windows_at(place)
            sign = await asyncio.to_thread(_picture_around, step.frame, place, windows, covered)
        sign = sign or near
    if sign is None:
        raise ProcedureError(Message("procedure.no_sign", x=place[0], y=place[1]))
    return sign


def _target_texts(layout: ScreenLayout, place: tuple[int, int]) -> Iterator[Sign | None]:
    if field := labels.field_at(layout, place):
        yield _if_unique(layout, Sign(text=field.text, field=True))
    for line in filter(None, (labels.text_at(layout, place), labels.text_below(layout, place))):
        is_name = labels.is_icon(layout, line) or layout.is_title(line)
        at = line.box.fractions(layout.width, layout.height) if is_name else None
        yield _if_unique(layout, Sign(text=line.text, button=bool(layout.frame_of(line)), at=at))


async def choose_sign_in(finder: SignFinder, frame: Frame, part: Area) -> Sign:
    """Return the only line of text in a part of the screen, else its picture, as a sign.

    `at`: its place if the last sign of `finder` were at its old one. Raises `ProcedureError`.
    """
    layout = await finder.read(frame)
    box = layout.box_of(part)
    lines = layout.inside(box)
    sign = _if_unique(layout, Sign(text=lines[0].text)) if len(lines) == 1 else None
    sign = add_picture(sign, frame) if sign else await asyncio.to_thread(_picture_sign, frame, box)
    if frame.size != finder.size or sign is None or sign.at is None:
        raise ProcedureError(Message("procedure.not_unique", size="x".join(map(str, finder.size))))
    x, y = finder.shift
    return sign.model_copy(update={"at": sign.at.moved(-x, -y)})


async def choose_screen_sign(last: Sign | None, frame: Frame, read: Read) -> Sign | None:
    """Return the last sign if it is still shown, else the first unique text without a number."""
    if last and (at := await SignFinder(read, frame.size).find(last, frame)):
        return last.model_copy(update={"at": at})
    layout = await read(frame)
    texts = sorted((line.text for line in layout.lines), key=_has_digit)
    return next(filter(None, (_if_unique(layout, Sign(text=text)) for text in texts)), None)


async def choose_expect(
    step: RecordedStep, later: RecordedStep | None, read: Read, seen: Iterable[str] = ()
) -> Sign | None:
    """Return a sign that the actions of a step brought. `later`: the next step.

    Of several new texts the first in reading order: those that came last before those that a wait
    followed, words before counters and clocks, and both before texts `seen` earlier. A number that
    the old screen showed, as in the name of a file, counts as a word. Each text is read twice, as
    OCR sometimes misreads a screen. Where text is typed a caret blinks, which OCR may read as a
    letter: then no picture is used, and of these texts only one that OCR read exactly. The content
    of a field into which the next step types is not used: it differs each time.
    """
    if len(step.screens) == 1:
        return None
    (before, hidden_before), (after, hidden_after) = step.screens[0], step.screens[-1]
    old, new = await read(before), await read(after)
    pointers = [*hidden_before, *hidden_after, *filter(None, [step.target])]
    hidden = [new.pixel((each.x, each.y)) for each in pointers]
    last = new_texts(await read(step.screens[-2].frame), new, hidden)
    shown = {word for line in old.lines for word in line.text.split()}
    known = {*map(_without_caret, seen)}
    texts = sorted(
        new_texts(old, new, hidden),
        key=lambda t: (
            t not in last,
            _has_digit({*t.split()} - shown),
            _without_caret(t) in known,
        ),
    )
    actions = [step.actions[-1], *(later.actions[:1] if later else ())]
    typed = [each.text for each in actions if isinstance(each, Type)]
    exact = (text for text in texts if all(each not in text or each == text for each in typed))
    finder = SignFinder(read, after.size)
    for sign in filter(None, (_if_unique(new, Sign(text=text)) for text in exact)):
        is_new = find_text(sign, old) is None and not _is_part_of_line(sign, old)
        if is_new and sign.at and await finder.find_near(sign, sign.at, after):
            return sign
    if typed:
        return None
    types_next = later and any(isinstance(each, Type) for each in later.actions)
    fields = [later.target] if later and types_next and later.target else []
    words = new.words()
    clocks = [line.box for line in new.lines if line.text not in words]
    unsteady, covered = [*clocks, *_covered(new, fields)], _covered(new, pointers)
    return await asyncio.to_thread(_changed_picture, step, unsteady, covered)


def add_picture(sign: Sign, frame: Frame) -> Sign:
    """Return a copy with the picture of the text, which is found sooner than the text is read.

    The text is its title, so that the picture does not count after the text has been edited.
    """
    if sign.picture or sign.field or not sign.at:
        return sign
    box = Box.of(sign.at, *frame.size).grown(TEXT_MARGIN_PX)
    if min(box) < 0 or box.right > frame.width or box.bottom > frame.height:
        return sign
    return sign.model_copy(update={"picture": cut_png(frame.jpeg, box, sign.text)})


def _is_part_of_line(sign: Sign, old: ScreenLayout) -> bool:
    """Whether the old screen had a longer line there, which another window covers in part now."""
    box = sign.at and old.box_of(sign.at)
    return any(box and line.box.meets(box) and sign.text in line.text for line in old.lines)


def _without_caret(text: str) -> str:
    return normalize_ocr(text).rstrip(CARET)


def _has_digit(words: Iterable[str]) -> bool:
    return any(char.isdigit() for word in words for char in word)


def _covered(layout: ScreenLayout, pointers: Iterable[Point]) -> list[Box]:
    """Return what the pointers may cover or mark."""
    tips = (layout.pixel((each.x, each.y)) for each in pointers)
    return [_box_around(*tip, *POINTER_PX, layout) for tip in tips]


def _if_unique(layout: ScreenLayout, sign: Sign) -> Sign | None:
    """Return the sign with its place and without a cursor, if it is the only one or at `at`."""
    text = sign.text.strip("|")
    place = find_text(sign, layout) if MIN_CHARS <= len(text) <= MAX_CHARS else None
    return sign.model_copy(update={"text": text, "at": place}) if place else None


def _nearest(layout: ScreenLayout, place: tuple[int, int]) -> Sign | None:
    """Return a text in the window of a place, or in its title; None outside of a window."""
    window = layout.window_at(place)
    titled = window._replace(top=window.top - MAX_TITLE_PX)
    lines = layout.inside(titled) if window.area < layout.width * layout.height else []
    lines.sort(key=lambda line: line.box.distance(place))
    return next(filter(None, (_if_unique(layout, Sign(text=line.text)) for line in lines)), None)


def _picture_around(
    frame: Frame, place: tuple[int, int], windows: Iterable[Box], covered: Sequence[Box]
) -> Sign | None:
    """Return the smallest unique picture in the first of the `windows` that has one: what is behind
    a window differs each time.
    """
    around = [_box_around(*place, *size, frame) for size in PICTURE_PX]
    boxes = dict.fromkeys(each.within(window) for window in windows for each in around)
    return next(filter(None, (_picture_sign(frame, box, covered) for box in boxes)), None)


def _changed_picture(
    step: RecordedStep, unsteady: Sequence[Box], covered: Sequence[Box]
) -> Sign | None:
    """Return a changed area that can be a sign: in the row of the target, else the largest.

    Changes that touch an `unsteady` area do not count; of others the part that is not `covered`.
    """
    before, after, at = step.frame, step.screens[-1].frame, step.target
    changed = find_changed_boxes(before, after, covered)
    steady = (box for box in changed if not any(map(box.meets, unsteady)))
    parts = (_box_around(*box.middle, *_limit_size(box), after) for box in steady)
    left_out = [*unsteady, *covered]
    boxes = list(islice((box for box in parts if not any(map(box.meets, left_out))), MAX_CHANGES))
    if at:
        y = at.y * after.height
        boxes.sort(key=lambda box: max(box.top - y, y - box.bottom, 0))
    signs = filter(None, (_picture_sign(after, box) for box in boxes))
    return next((each for each in signs if not find_picture(each, before)), None)


def _limit_size(box: Box) -> tuple[int, int]:
    (least_x, least_y), (most_x, most_y) = PICTURE_PX[0], PICTURE_PX[-1]
    return min(most_x, max(least_x, box.width)), min(most_y, max(least_y, box.height))


def _box_around(x: int, y: int, width: int, height: int, screen: Frame | ScreenLayout) -> Box:
    left, top = max(0, x - width // 2), max(0, y - height // 2)
    return Box(left, top, min(screen.width, x + width // 2), min(screen.height, y + height // 2))


def _picture_sign(frame: Frame, box: Box, covered: Sequence[Box] = ()) -> Sign | None:
    """Return the picture of an area, if it is unique on the frame and not empty where it is not
    `covered`.
    """
    with open_jpeg(frame.jpeg) as image:
        for each in covered:
            image.paste(image.getpixel(each[:2]), each)
        darkest, brightest = image.crop(box).convert("L").getextrema()
    if covered and brightest - darkest < CHANGED_LEVELS:
        return None
    sign = Sign(picture=cut_png(frame.jpeg, box))
    place = find_picture(sign, frame)
    return sign.model_copy(update={"at": place}) if place else None
