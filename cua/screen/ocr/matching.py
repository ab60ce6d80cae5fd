"""Find text on a screen by its label.

The order: exact text, other capitals, letters that OCR confuses, nearly the same text. A whole line
is preferred to words within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from .layout import Box, ScreenLayout, TextLine

_MIN_FUZZY_CHARS = 4
"""Least length of a text that is also found with misread letters."""
_MIN_WRAPPED_WORDS = 4
"""Least number of words of a text that may be wrapped; most of its words are enough."""
_CHARS_PER_ERROR = 8
"""Number of characters per one that may be misread."""
_EDGES = " .,:;…*•·>»›<«‹|_-–—\"'“”‘’"
_CONFUSED = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "!": "l", "5": "s", "8": "b"})
_WITHIN_LINE_RANK = 3
_MIN_PART_CHARS = 3
"""Least number of successive characters that show a text; a third of a longer one."""
MAX_FIELD_TEXTS = 2
"""More are the columns of a list's row."""


@lru_cache(maxsize=8192)
def normalize(text: str) -> str:
    """Return the text without capitals, spaces, and dots at its ends."""
    return "".join(text.strip(_EDGES).casefold().split())


@lru_cache(maxsize=8192)
def normalize_ocr(text: str) -> str:
    """Return `normalize(text)` with one letter for all that OCR confuses."""
    return normalize(text).replace("rn", "m").translate(_CONFUSED)


def count_misread(text: str, name: str) -> int | None:
    """Return how many letters were misread if both are the same text; None if they are not.

    Numbers have no close matches: another digit is another address or file.
    """
    one, other = normalize_ocr(text), normalize_ocr(name)
    if one == other:
        return 0
    longest = max(len(one), len(other))
    allowed = max(1, longest // _CHARS_PER_ERROR)
    if min(len(one), len(other)) < _MIN_FUZZY_CHARS or abs(len(one) - len(other)) > allowed:
        return None
    if _digits(text) != _digits(name):
        return None
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if longest - matcher.quick_ratio() * (len(one) + len(other)) / 2 > allowed:
        return None
    misread = sum(max(b - a, d - c) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal")
    return misread if misread <= allowed else None


def shows_part_of(shown: str, texts: Iterable[str]) -> bool:
    """Return whether the shown text contains a part of one of the texts."""
    matcher = SequenceMatcher(b=normalize_ocr(shown), autojunk=False)
    for text in map(normalize_ocr, texts):
        matcher.set_seq1(text)
        enough = min(len(text), max(_MIN_PART_CHARS, len(text) // 3))
        if matcher.find_longest_match().size >= enough:
            return True
    return False


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def find(layout: ScreenLayout, names: Sequence[str]) -> list[TextLine]:
    """Return the best matches; an earlier name is better, if its letters were read exactly."""
    return next(ranked_matches(layout, names), [])


def ranked_matches(layout: ScreenLayout, names: Sequence[str]) -> Iterator[list[TextLine]]:
    """Yield groups of equally good matches, the best first."""
    ranked = [
        (rank, part)
        for number, name in enumerate(names)
        if normalize(name)
        for line in layout.lines
        for part, whole in _parts(line, len(name.split()))
        if (rank := _rank(part, name, whole, number)) is not None
    ]
    for best in sorted({rank for rank, _ in ranked}):
        yield [part for rank, part in ranked if rank == best]


def _rank(line: TextLine, name: str, whole: bool, number: int) -> tuple[bool, int, float] | None:
    """Return a rank, lower is better: any misread letter, number of the name, difference."""
    within_line = 0 if whole else _WITHIN_LINE_RANK
    if line.text.strip(_EDGES) == name.strip(_EDGES):
        return False, number, within_line
    if normalize(line.text) == normalize(name):
        return False, number, within_line + 1
    one, other = normalize_ocr(line.text), normalize_ocr(name)
    if one == other:
        return False, number, within_line + 2
    if one.startswith(other) or other.startswith(one):  # another word, as File and Files
        return None
    misread = count_misread(line.text, name)
    return None if misread is None else (True, number, misread + (0 if whole else 0.5))


def _parts(line: TextLine, count: int) -> Iterator[tuple[TextLine, bool]]:
    """Yield the line and its parts of about `count` words: OCR sometimes omits a space."""
    yield line, True
    total = len(line.text.split())
    for size in range(max(1, count - 1), min(total - 1, count + 1) + 1):
        for start in range(total - size + 1):
            yield line.part(start, start + size), False


def contains_text(lines: Iterable[TextLine], text: str) -> bool:
    """Whether the lines contain a text, which may be wrapped or have misread letters."""
    lines = list(lines)
    wanted, words = normalize_ocr(text), text.split()
    if not wanted:
        return True
    joined = normalize_ocr(" ".join(line.text for line in lines))
    if len(wanted) >= _MIN_FUZZY_CHARS and wanted in joined:
        return True
    if len(words) < _MIN_WRAPPED_WORDS:
        return any(_mentions(line, text) for line in lines)
    matched = sum(any(_mentions(line, word) for line in lines) for word in words)
    return matched > 0.8 * len(words)


def _mentions(line: TextLine, text: str) -> bool:
    parts = _parts(line, len(text.split()))
    return any(count_misread(part.text, text) is not None for part, _ in parts)


def new_texts(
    before: ScreenLayout, now: ScreenLayout, pointers: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """Return the texts of `now` that are not in `before`, in reading order.

    `pointers`: positions where the pointer may have hidden a letter.
    """
    old = before.words()
    return [
        text
        for text in now.words(pointers)
        if text not in old and all(count_misread(text, other) is None for other in old)
    ]


def find_field(layout: ScreenLayout, label: TextLine) -> Box | None:
    """Find the field of a label: right of it, else below it, else around it."""
    sized = (box for box in layout.boxes if _has_field_size(box, label))
    around = [box for box in sized if len(layout.inside(box)) <= MAX_FIELD_TEXTS]
    free = [b for b in around if not b.holds(label.box.middle) and not _is_button(layout, b)]
    if right := [box for box in free if _is_right(layout, label, box)]:
        return min(right, key=lambda box: (box.left, -box.width))
    if below := [box for box in free if _is_below(label, box)]:
        return min(below, key=lambda box: (box.top, -box.width))
    return next((box for box in around if box.holds(label.box.middle)), None)


def _has_field_size(box: Box, label: TextLine) -> bool:
    height = label.box.height
    return 0.6 * height < box.height < 3 * height and box.width > 2 * height


def _is_right(layout: ScreenLayout, label: TextLine, box: Box) -> bool:
    """Whether the box is on the label's line and near, without other text between."""
    x, y = label.box.middle
    gap = Box(label.box.right, label.box.top, box.left, label.box.bottom)
    return (
        box.top <= y < box.bottom
        and box.left > x
        and box.right > label.box.right
        and gap.width <= layout.width * 0.3
        and not any(gap.holds((other.box.right - 1, other.box.middle[1])) for other in layout.lines)
    )


def _is_below(label: TextLine, box: Box) -> bool:
    gap, height = box.top - label.box.bottom, label.box.height
    return (
        -height / 2 <= gap < 2 * height
        and box.left < label.box.right
        and box.right > label.box.left
    )


def _is_button(layout: ScreenLayout, box: Box) -> bool:
    """Whether the box has a text in its middle; a field's text begins at the left."""
    inside = layout.inside(box)
    return len(inside) == 1 and (
        abs(inside[0].box.middle[0] - box.middle[0]) < box.width / 12
        and inside[0].box.width > box.width / 3
    )
