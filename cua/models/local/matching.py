"""Finding words on a screen as a person does who was told what they say.

The words as told first, then with other capitals, then with letters that OCR confuses, then words
that are merely close. A whole line counts for more than words within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from ...screen.ocr.layout import Box, ScreenLayout, TextLine

_SHORT = 4
"""Characters below which a close match means nothing."""
_FEW = 4
"""Words below which a text must be read in one place; of longer ones most words will do."""
_PER_SLIP = 8
"""Characters per misread one, from which on words are taken for misread ones."""
_EDGES = " .,:;…*•·>»›<«‹|_-–—\"'“”‘’"
_CONFUSED = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "!": "l", "5": "s", "8": "b"})


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Without what nobody says aloud: capitals, spaces, the dots after a label."""
    return "".join(text.strip(_EDGES).casefold().split())


@lru_cache(maxsize=8192)
def alike(text: str) -> str:
    """`plain`, with one letter for those that OCR confuses."""
    return plain(text).replace("rn", "m").translate(_CONFUSED)


def slips(text: str, name: str) -> int | None:
    """How many letters were misread if both are the same; None if they are not.

    Numbers have no close matches: another digit is another address or file.
    """
    one, other = alike(text), alike(name)
    if one == other:
        return 0
    longest = max(len(one), len(other))
    allowed = max(1, longest // _PER_SLIP)
    if min(len(one), len(other)) < _SHORT or abs(len(one) - len(other)) > allowed:
        return None
    if _digits(text) != _digits(name):
        return None
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if longest - matcher.quick_ratio() * (len(one) + len(other)) / 2 > allowed:
        return None
    found = sum(max(b - a, d - c) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal")
    return found if found <= allowed else None


def _digits(text: str) -> str:
    return "".join(letter for letter in text if letter.isdigit())


def find(look: ScreenLayout, names: Sequence[str]) -> list[TextLine]:
    """The places that fit best; of several names the earlier one, unless it is only close."""
    return next(ranked(look, names), [])


def ranked(look: ScreenLayout, names: Sequence[str]) -> Iterator[list[TextLine]]:
    """All places that fit, in groups that fit equally well, the best first."""
    for rank in (_said, _close):
        for name in filter(plain, names):
            yield from _groups(
                (rank(seen, name, whole), seen) for seen, whole in _parts(look, name)
            )


def shown(look: ScreenLayout, text: str) -> bool:
    """Whether it can be read somewhere, over the ends of lines too."""
    return within(look.lines, text)


def within(lines: Iterable[TextLine], text: str) -> bool:
    """Whether these lines say it, possibly wrapped, possibly with a misread letter."""
    lines = list(lines)
    wanted, words = alike(text), text.split()
    if not wanted:
        return True
    if len(wanted) >= _SHORT and wanted in alike(" ".join(seen.text for seen in lines)):
        return True
    there = [seen for seen in lines if _mentions(seen, words)]
    if len(words) < _FEW:
        return bool(there)
    return sum(any(_mentions(seen, [word]) for seen in lines) for word in words) > 0.8 * len(words)


def news(
    before: ScreenLayout, now: ScreenLayout, apart: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """What can be read in `now` and could not be in `before`, in reading order.

    `apart` are places where the pointer is or was, which may have hidden a letter.
    """
    old = before.words()
    fresh = [text for text in now.words(apart) if text not in old]
    return [text for text in fresh if all(slips(text, other) is None for other in old)]


def field_of(look: ScreenLayout, label: TextLine) -> Box | None:
    """The field that belongs to a label: right of it, else below it, else the one it stands in."""
    around = [box for box in look.boxes if _fits(box, label)]
    home = next((box for box in around if box.holds(label.box.middle)), None)
    free = [box for box in around if not box.holds(label.box.middle) and not is_button(look, box)]
    right = [box for box in free if _is_right(look, label, box)]
    if right:
        return min(right, key=lambda box: (box.left, -box.width))
    below = [box for box in free if _is_below(label, box)]
    return min(below, key=lambda box: (box.top, -box.width)) if below else home


def _is_right(look: ScreenLayout, label: TextLine, box: Box) -> bool:
    x, y = label.box.middle
    aside = box.top <= y < box.bottom and box.left > x and box.right > label.box.right
    return aside and not _between(look, label, box)


def _is_below(label: TextLine, box: Box) -> bool:
    gap, height = box.top - label.box.bottom, label.box.height
    return (
        -height / 2 <= gap < 2 * height
        and box.left < label.box.right
        and box.right > label.box.left
    )


def _between(look: ScreenLayout, label: TextLine, field: Box) -> bool:
    """Whether it is too far away, or other words are nearer to the field."""
    gap = Box(label.box.right, label.box.top, field.left, label.box.bottom)
    return gap.width > look.width * 0.3 or any(
        gap.holds((seen.box.right - 1, seen.box.middle[1])) for seen in look.lines
    )


def is_button(look: ScreenLayout, box: Box) -> bool:
    """Words in its middle that fill it: what stands in a field begins at its left."""
    inside = look.inside(box)
    return len(inside) == 1 and (
        abs(inside[0].box.middle[0] - box.middle[0]) < box.width / 12
        and inside[0].box.width > box.width / 3
    )


def _fits(box: Box, label: TextLine) -> bool:
    height = label.box.height
    return 0.6 * height < box.height < 3 * height and box.width > 2 * height


def _mentions(seen: TextLine, words: list[str]) -> bool:
    name = " ".join(words)
    return any(slips(part.text, name) is not None for part, _ in _runs(seen, len(words)))


def _parts(look: ScreenLayout, name: str) -> Iterator[tuple[TextLine, bool]]:
    count = len(name.split())
    for seen in look.lines:
        yield from _runs(seen, count)


def _runs(seen: TextLine, count: int) -> Iterator[tuple[TextLine, bool]]:
    """The line, and its runs of about `count` words: OCR loses a space now and then."""
    yield seen, True
    total = len(seen.text.split())
    for size in range(max(1, count - 1), min(total - 1, count + 1) + 1):
        for start in range(total - size + 1):
            yield seen.part(start, start + size), False


def _said(seen: TextLine, name: str, whole: bool) -> float | None:
    """A rank, lower is better; None if it does not fit."""
    within_line = 0 if whole else 3
    if seen.text.strip(_EDGES) == name.strip(_EDGES):
        return within_line
    if plain(seen.text) == plain(name):
        return within_line + 1
    return within_line + 2 if alike(seen.text) == alike(name) else None


def _close(seen: TextLine, name: str, whole: bool) -> float | None:
    found = slips(seen.text, name)
    return None if found is None else found + (0 if whole else 0.5)


def _groups(found: Iterable[tuple[float | None, TextLine]]) -> Iterator[list[TextLine]]:
    fits = [(rank, seen) for rank, seen in found if rank is not None]
    for best in sorted({rank for rank, _ in fits}):
        yield [seen for rank, seen in fits if rank == best]
