"""Parse values of actions in all families: keys, text, buttons, seconds, wheel notches, areas.

All raise `FormatError`.
"""

from __future__ import annotations

import math
import re

from ..messages import Message
from ..types import Area, Button, FormatError, Point, Scroll, Zoom, modifiers, replace_surrogates
from . import loose_json
from .coordinates import parse_number, quote

MIN_ZOOM_FRACTION = 0.01
"""Smallest width and height of a zoomed area, as fractions of the screen's."""
DEFAULT_NOTCHES = 5
"""Wheel notches of a scroll without an amount."""
MAX_KEYS_CHARS = 200
_TWO_WORDS = re.compile(
    r"\b(PAGE|PRINT|CAPS|NUM|SCROLL|ARROW) +(UP|DOWN|SCREEN|LOCK|LEFT|RIGHT)\b", re.IGNORECASE
)
_BUTTONS: dict[str, Button] = {
    "left": "left", "right": "right", "middle": "middle",
    "primary": "left", "secondary": "right", "wheel": "middle",
}  # fmt: skip
_DIRECTIONS = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
_TEXT = Message("format.text")


def parse_keys(value: object) -> tuple[str, ...]:
    """Return a chord's keys in capitals: of `"ctrl+s"`, `"ctrl s"`, `["ctrl", "s"]`, `["ctrl+s"]`.

    A list may also be written as text.
    """
    if isinstance(value, str) and value.strip().startswith("[") and len(value.strip()) > 1:
        value = _parse_list(value.strip())
    pieces = value if isinstance(value, (list, tuple)) else [value] if value is not None else []
    names: list[str] = []
    for piece in pieces[:20]:
        if isinstance(piece, int) and not isinstance(piece, bool) and 0 <= piece <= 9:
            piece = str(piece)
        if not isinstance(piece, str) or len(piece) > MAX_KEYS_CHARS:
            raise FormatError(Message("format.not_key", value=quote(piece)))
        chord = piece.removeprefix("keys=").strip("[]'\" ") or piece
        names += _split_chord(_TWO_WORDS.sub(r"\1\2", chord))
    if not names:
        raise FormatError(Message("format.no_key"))
    return tuple(replace_surrogates(name).upper() for name in names)


def _parse_list(text: str) -> object:
    if not text.endswith("]"):
        raise FormatError(Message("format.list_open", value=quote(text)))
    try:
        return loose_json.parse_json(text)
    except FormatError:
        return text.strip("[]").split(",")


def _split_chord(chord: str) -> list[str]:
    """Split at `+`, else at spaces, else at `-`; each of them is also a key."""
    chord = chord.strip() or chord
    if chord in ("+", "-", " "):
        return ["SPACE" if chord == " " else chord]
    if "+" in chord:
        return _split_at_plus(chord)
    parts = chord.split()
    if len(parts) == 1 and "-" in chord[1:-1]:
        parts = chord.split("-")
        return parts if all(map(is_modifier, parts[:-1])) else [chord]
    return parts


def _split_at_plus(chord: str) -> list[str]:
    names = [name.strip() for name in chord.split("+")]
    if names[-2:] == ["", ""]:  # ctrl++
        names[-2:] = ["+"]
    if "" in names:
        raise FormatError(Message("format.lone_plus", value=quote(chord)))
    return names


def is_modifier(name: str) -> bool:
    return modifiers.find_modifier(name) is not None


def parse_text(value: object, what: str = _TEXT) -> str:
    """Return a text that is not empty; the error calls it `what`."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        value = str(value)
    if not isinstance(value, str) or not value:
        raise FormatError(Message("format.no_text", what=what))
    return value


def parse_button(name: object) -> Button:
    """Return a mouse button; the left one if `name` is None."""
    button = _BUTTONS.get("left" if name is None else str(name).lower())
    if button is None:
        raise FormatError(Message("format.no_button", name=quote(name)))
    return button


def parse_seconds(value: object) -> float:
    """Return a duration of 0..60 s."""
    found = parse_number(value)
    if not 0 <= found <= 60:
        raise FormatError(Message("format.bad_seconds", number=f"{found:g}"))
    return found


def parse_count(value: object, most: int) -> int:
    """Return a whole number 1..`most`."""
    found = parse_number(value)
    if found != int(found) or not 1 <= found <= most:
        raise FormatError(Message("format.not_count", value=quote(value), most=most))
    return int(found)


def parse_notches(amount: object) -> int:
    """Return signed wheel notches for an amount in notches (up to 20) or in pixels (above)."""
    found = parse_number(amount)
    size = abs(found) if abs(found) <= 20 else abs(found) / 100
    return round(math.copysign(min(100, max(1, round(size))), found)) if size else 0


def make_scroll(at: Point | None, direction: object, amount: int, keys: tuple[str, ...]) -> Scroll:
    name = direction.strip().lower() if isinstance(direction, str) else ""
    if name not in _DIRECTIONS:
        raise FormatError(Message("format.bad_direction"))
    dx, dy = _DIRECTIONS[name]
    return make_scroll_by(at, dx * amount, dy * amount, keys)


def make_scroll_by(at: Point | None, dx: int, dy: int, keys: tuple[str, ...]) -> Scroll:
    """Refuse a scroll by 0."""
    if not dx and not dy:
        raise FormatError(Message("format.scroll_zero"))
    return Scroll(at=at, dx=dx, dy=dy, keys=keys)


def make_zoom(first: Point, second: Point) -> Zoom:
    (left, right), (top, bottom) = sorted((first.x, second.x)), sorted((first.y, second.y))
    if right - left < MIN_ZOOM_FRACTION or bottom - top < MIN_ZOOM_FRACTION:
        raise FormatError(Message("format.zoom_small"))
    return Zoom(area=Area(left=left, top=top, right=right, bottom=bottom))
