"""Parse values of actions in all families: keys, text, seconds, wheel notches."""

from __future__ import annotations

import re

from ..types import Area, FormatError, Point, Scroll, Zoom, modifiers
from . import loose_json, wrapping
from .coordinates import excerpt, number

MIN_ZOOM_SHARE = 0.01
"""Smallest width and height of a zoomed area, as a share of the screen's."""
DEFAULT_NOTCHES = 5
"""Of a scroll without an amount."""
_TWO_WORDS = re.compile(
    r"\b(PAGE|PRINT|CAPS|NUM|SCROLL|ARROW) +(UP|DOWN|SCREEN|LOCK|LEFT|RIGHT)\b", re.IGNORECASE
)
MAX_KEYS_CHARS = 200


def keys(value: object) -> tuple[str, ...]:
    """The keys of a chord, in capitals: `"ctrl+s"`, `"ctrl s"`, `["ctrl", "s"]`, `["ctrl+s"]`.

    A list may also be written as text. Raises `FormatError` if there is none.
    """
    if isinstance(value, str) and value.strip().startswith("[") and len(value.strip()) > 1:
        value = _parse_list(value.strip())
    pieces = value if isinstance(value, (list, tuple)) else [value]
    names: list[str] = []
    for piece in pieces[:20]:
        if isinstance(piece, int) and not isinstance(piece, bool) and 0 <= piece <= 9:
            piece = str(piece)
        if not isinstance(piece, str) or len(piece) > MAX_KEYS_CHARS:
            raise FormatError(f"{excerpt(piece)} is not the name of a key.")
        names += _split(
            _TWO_WORDS.sub(r"\1\2", piece.removeprefix("keys=").strip("[]'\" ") or piece)
        )
    if not names:
        raise FormatError("No key was named. Name the keys, such as CTRL+S.")
    return tuple(wrapping.whole_characters(name).upper() for name in names)


def _parse_list(text: str) -> object:
    if not text.endswith("]"):
        raise FormatError(f"The list {excerpt(text)} has no closing bracket.")
    try:
        return loose_json.value(text)
    except FormatError:
        return text.strip("[]").split(",")


def _split(chord: str) -> list[str]:
    """At `+`, else at spaces, else at `-`; each of them is also a key."""
    chord = chord.strip() or chord
    if chord in ("+", "-", " "):
        return ["SPACE" if chord == " " else chord]
    if "+" in chord:
        return _joined_by_plus(chord)
    parts = chord.split()
    if len(parts) == 1 and "-" in chord[1:-1]:
        parts = chord.split("-")
        return parts if all(map(is_modifier, parts[:-1])) else [chord]
    return parts


def _joined_by_plus(chord: str) -> list[str]:
    names = [name.strip() for name in chord.split("+")]
    if names[-2:] == ["", ""]:  # ctrl++
        names[-2:] = ["+"]
    if "" in names:
        raise FormatError(f"{excerpt(chord)} has a + without a key beside it.")
    return names


def is_modifier(name: str) -> bool:
    return modifiers.modifier(name) is not None


def text(value: object, what: str = "text") -> str:
    """Raise `FormatError` if there is none."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        value = str(value)
    if not isinstance(value, str) or not value:
        raise FormatError(f"The {what} is missing. Put it in quotes.")
    return value


def seconds(value: object) -> float:
    """0..60. Raises `FormatError`."""
    found = number(value)
    if not 0 <= found <= 60:
        raise FormatError(f"{found:g} seconds cannot be waited: wait 0 to 60 seconds.")
    return found


def count(value: object, most: int) -> int:
    """A whole number 1..`most`. Raises `FormatError`."""
    found = number(value)
    if found != int(found) or not 1 <= found <= most:
        raise FormatError(f"{excerpt(value)} is not a whole number from 1 to {most}.")
    return int(found)


def notches(amount: object) -> int:
    """Wheel notches with their sign, of an amount in notches (up to 20) or in pixels (above)."""
    found = number(amount)
    size = abs(found) if abs(found) <= 20 else abs(found) / 100
    whole = min(100, max(1, round(size))) if size else 0
    return whole if found > 0 else -whole


def scroll(
    at: Point | None, direction: object, amount: int = DEFAULT_NOTCHES, keys: tuple[str, ...] = ()
) -> Scroll:
    """Scroll by `amount` notches in a direction. Raises `FormatError`."""
    signs = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
    name = direction.strip().lower() if isinstance(direction, str) else ""
    if name not in signs:
        raise FormatError("The direction of a scroll is one of up, down, left, right.")
    dx, dy = signs[name]
    return scroll_by(at, dx * amount, dy * amount, keys)


def scroll_by(at: Point | None, dx: int, dy: int, keys: tuple[str, ...] = ()) -> Scroll:
    """Raise `FormatError` for a scroll by 0."""
    if not dx and not dy:
        raise FormatError("A scroll by 0 does nothing: say how far, and the sign says where to.")
    return Scroll(at=at, dx=dx, dy=dy, keys=keys)


def zoom(first: Point, second: Point) -> Zoom:
    """Zoom into the area between two opposite corners. Raises `FormatError`."""
    (left, right), (top, bottom) = sorted((first.x, second.x)), sorted((first.y, second.y))
    if right - left < MIN_ZOOM_SHARE or bottom - top < MIN_ZOOM_SHARE:
        raise FormatError("That part is too small to look at: name two corners that are apart.")
    return Zoom(area=Area(left=left, top=top, right=right, bottom=bottom))
