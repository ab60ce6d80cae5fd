"""Convert a family's coordinates to fractions of the screen.

The family's unit is fractions, thousandths, or pixels of the screenshot that was sent; it is never
guessed from the numbers.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from ..messages import Message
from ..types import FormatError, Point, replace_surrogates

MAX_POINT_CHARS = 200
"""Characters of a point written as text."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?")
_MARKS = re.compile(r"<\|?/?(?:box_start|box_end|point|bbox|box)\|?>|[\[\](){}]", re.IGNORECASE)


def parse_number(value: object) -> float:
    """Return a finite number, also from text. Raises `FormatError`."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value)
    raise FormatError(Message("format.not_number", value=quote(value)))


def parse_numbers(value: object) -> list[float]:
    """Read `[1, 2]`, `[[1, 2]]`, `{"x": 1, "y": 2}`, `"(1, 2)"` or `"<point>1 2</point>"`.

    Raises `FormatError` for anything else.
    """
    if isinstance(value, str) and len(value) <= MAX_POINT_CHARS:
        plain = unicodedata.normalize("NFKC", value)
        value = _MARKS.sub(" ", plain).replace(",", " ").split()
    if isinstance(value, dict) and value.keys() == {"x", "y"}:
        value = [value["x"], value["y"]]
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, (list, tuple)) and len(value) <= 4:
        return [parse_number(each) for each in value]
    raise FormatError(Message("format.not_coordinates", value=quote(value)))


class CoordinateSpace(NamedTuple):
    """Coordinates from 0 to `width` and `height`; `unit` is their unit in error messages.

    `refuses_fractions`: refuse numbers below 1, which are meant as fractions of the screen.
    """

    width: float
    height: float
    unit: str
    refuses_fractions: bool = True

    def to_point(self, x: object, y: object) -> Point:
        """Convert coordinates. Raises `FormatError` outside the screen."""
        return Point(x=self._to_fraction(x, self.width), y=self._to_fraction(y, self.height))

    def parse_point(self, value: object) -> Point:
        """Return the point of a pair, or the middle of a box of four numbers."""
        found = parse_numbers(value)
        if len(found) == 4:
            first, second = self.to_point(*found[:2]), self.to_point(*found[2:])
            return Point(x=(first.x + second.x) / 2, y=(first.y + second.y) / 2)
        if len(found) != 2:
            raise FormatError(Message("format.not_point", unit=self.unit))
        return self.to_point(*found)

    def _to_fraction(self, value: object, full: float) -> float:
        found = parse_number(value)
        if self.refuses_fractions and 0 < found < 1:
            raise FormatError(Message("format.fraction", number=f"{found:g}", unit=self.unit))
        if not 0 <= found <= full:
            raise FormatError(Message("format.off_screen", number=f"{found:g}", unit=self.unit))
        return found / full


FRACTIONS = CoordinateSpace(1, 1, Message("format.unit_fractions"), refuses_fractions=False)
THOUSANDTHS = CoordinateSpace(1000, 1000, Message("format.unit_thousandths"))


def pixel_space(sent: tuple[int, int]) -> CoordinateSpace:
    """`sent`: width and height of the screenshot that was sent."""
    width, height = sent
    return CoordinateSpace(width, height, Message("format.unit_pixels", width=width, height=height))


def fit_size(width: int, height: int, factor: int, most_tiles: int = 16384) -> tuple[int, int]:
    """Return the size to which Qwen-like servers resize: 4..`most_tiles` squares of `factor` px.

    Servers do not resize a screenshot of this size, so its pixel coordinates stay valid.
    """

    def fit(scale: float, rounding: Callable[[float], int]) -> tuple[int, int]:
        wide, high = (max(1, rounding(size * scale / factor)) for size in (width, height))
        return wide * factor, high * factor

    wide, high = fit(1, round)
    tile = factor * factor
    if wide * high > most_tiles * tile:
        return fit(math.sqrt(most_tiles * tile / (width * height)), math.floor)
    if wide * high < 4 * tile:
        return fit(math.sqrt(4 * tile / (width * height)), math.ceil)
    return wide, high


def quote(value: object) -> str:
    """Quote up to 60 characters of a value."""
    if not isinstance(value, (str, float, bool)):
        return Message("format.that")
    words = replace_surrogates(str(value))
    return f"`{words[:60]}…`" if len(words) > 60 else f"`{words}`"
