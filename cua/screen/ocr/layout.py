"""Text lines and rectangles recognised on a screenshot.

Positions are in pixels of the screenshot; `ScreenLayout.fraction` converts them to fractions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...types import Area

MAX_DIALOG_PROPORTION = 0.25
"""Largest proportion of the screen that a dialog covers."""
MAX_TITLE_PX = 48
"""Largest height of a title bar, which OCR recognises apart from its window."""
MAX_POINTER_CHARS = 2
"""Most characters of a text for which OCR may take the pointer."""
_EDGE_PX = 8
"""Largest distance between the end of a text and a window that covers the rest."""
_CLOCK = re.compile(
    r"(?=.*\d:\d\d)(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|[ap]m)[a-z]*|[\d\s:.,/-])+|\W*",
    re.IGNORECASE,
)
"""Matches a clock, a date, and signs without letters or digits."""


class Box(NamedTuple):
    """A rectangle in pixels; `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @classmethod
    def of(cls, area: Area, width: int, height: int) -> Box:
        """Return the box of an area in a picture of this size."""
        left, right = round(area.left * width), round(area.right * width)
        return cls(left, round(area.top * height), right, round(area.bottom * height))

    def on_grid(self, pixels: int) -> Box:
        """Return a copy whose left and top are multiples of `pixels`."""
        return self._replace(left=self.left // pixels * pixels, top=self.top // pixels * pixels)

    def fractions(self, width: int, height: int) -> Area:
        """Return the box as an area of a picture of this size."""
        left, right = self.left / width, self.right / width
        return Area.clipped(left, self.top / height, right, self.bottom / height)

    def moved(self, x: int, y: int) -> Box:
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def grown(self, pixels: int) -> Box:
        left, top, right, bottom = self
        return Box(left - pixels, top - pixels, right + pixels, bottom + pixels)

    def within(self, other: Box) -> Box:
        """Return the part that is in another box, which it meets."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Box(left, top, min(self.right, other.right), min(self.bottom, other.bottom))

    def distance(self, place: tuple[int, int]) -> int:
        return abs(self.middle[0] - place[0]) + abs(self.middle[1] - place[1])

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_inside(self, other: Box) -> bool:
        """Whether this is a part of another box, not the same."""
        corners = self[:2], (self.right - 1, self.bottom - 1)
        return self != other and all(map(other.holds, corners))

    def holds(self, place: tuple[int, int]) -> bool:
        x, y = place
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True)
class TextLine:
    """Words on one line. `places`: x of the middle of each character other than spaces."""

    text: str
    box: Box
    places: tuple[int, ...]

    def part(self, start: int, end: int) -> TextLine:
        """Return the words from `start` to `end`, exclusive."""
        words = self.text.split()
        skipped = sum(map(len, words[:start]))
        kept = sum(map(len, words[start:end]))
        places = self.places[skipped : skipped + kept] or self.places
        half = max(2, self.box.width // max(1, len(self.text))) // 2
        left, right = max(self.box.left, places[0] - half), min(self.box.right, places[-1] + half)
        box = Box(left, self.box.top, max(right, left + 1), self.box.bottom)
        return TextLine(" ".join(words[start:end]), box, places)


@dataclass(frozen=True)
class ScreenLayout:
    """A recognised screenshot. Lines are in reading order, boxes sorted by area."""

    width: int
    height: int
    lines: tuple[TextLine, ...]
    boxes: tuple[Box, ...]
    icons: tuple[Box, ...] = ()

    @classmethod
    def of(
        cls, read: dict[str, Any], width: int, height: int, x: int = 0, y: int = 0
    ) -> ScreenLayout:
        """Build from the answer of `process.Reader.read` for the part that begins at `x`, `y`."""
        boxes = tuple(sorted((Box(*b).moved(x, y) for b in read["boxes"]), key=lambda b: b.area))
        lines = [
            piece
            for text, box, places in read["lines"]
            for piece in _split_line(
                TextLine(text, Box(*box).moved(x, y), tuple(x + place for place in places)), boxes
            )
        ]
        lines.sort(key=lambda line: (line.box.middle[1] // 8, line.box.left))
        icons = tuple(Box(*box).moved(x, y) for box in read["icons"])
        return cls(width, height, tuple(lines), boxes, icons)

    def fraction(self, place: tuple[int, int]) -> tuple[float, float]:
        """Return a position as fractions of the screen's width and height."""
        x, y = place
        return min(1.0, max(0.0, x / self.width)), min(1.0, max(0.0, y / self.height))

    def pixel(self, place: tuple[float, float]) -> tuple[int, int]:
        return round(place[0] * self.width), round(place[1] * self.height)

    def box_of(self, area: Area) -> Box:
        return Box.of(area, self.width, self.height)

    def inside(self, box: Box) -> list[TextLine]:
        return [line for line in self.lines if box.holds(line.box.middle)]

    def frame_of(self, line: TextLine) -> Box | None:
        """Return the box close around the text, such as a button; None if there is none."""
        box = self._low_box(line)
        return box if box and box.width < line.box.width + 10 * line.box.height else None

    def in_bar(self, line: TextLine) -> bool:
        """Return whether the text is in a wide, low box: title bar, field or selected row."""
        return self._low_box(line) is not None and self.frame_of(line) is None

    def is_title(self, line: TextLine) -> bool:
        """Return whether it is the only text of its bar, except signs that are read as a letter."""
        box = self._low_box(line) if self.in_bar(line) else None
        return box is not None and [e for e in self.inside(box) if len(e.text) > 1] == [line]

    def _low_box(self, line: TextLine) -> Box | None:
        box = _box_around(line.box.middle, line.box.height, self.boxes)
        return box if box and box.height < 3 * line.box.height else None

    def window_at(self, place: tuple[int, int]) -> Box:
        """Return the innermost large box around a position, or the whole screen."""
        return next(self.windows_at(place))

    def windows_at(self, place: tuple[int, int]) -> Iterator[Box]:
        """Yield the large boxes around a position, the innermost first, then the whole screen."""
        yield from (box for box in self.windows() if box.holds(place))
        yield Box(0, 0, self.width, self.height)

    def windows(self) -> Iterator[Box]:
        """Yield the large boxes, the smallest first: windows and their parts."""
        enough = self.width * self.height // 40
        return (box for box in self.boxes if box.area > enough and box.height > 60)

    def is_dialog(self, window: Box, place: tuple[int, int] | None) -> bool:
        """Whether the window is small and does not contain this place; its title is above it."""
        small = window.area < MAX_DIALOG_PROPORTION * self.width * self.height
        window = window._replace(top=window.top - MAX_TITLE_PX)
        return small and not (place and window.holds(place))

    def words(self, pointers: Sequence[tuple[int, int]] = ()) -> list[str]:
        """Return all texts except clocks and those at the pointer's positions."""
        return [
            line.text
            for line in self.lines
            if not _CLOCK.fullmatch(line.text)
            and not any(_under(place).meets(line.box) for place in pointers)
        ]

    def without_cut(self) -> ScreenLayout:
        """Return a copy without texts that end at a window, which may cover the rest."""
        windows = list(self.windows())
        kept = [line for line in self.lines if not any(_cuts(each, line.box) for each in windows)]
        return replace(self, lines=tuple(kept))

    def without_pointer(self, place: tuple[int, int]) -> ScreenLayout:
        """Return a copy without short texts at the pointer, which may be read as a letter."""
        kept = [
            line
            for line in self.lines
            if len(line.text) > MAX_POINTER_CHARS or not _under(place).meets(line.box)
        ]
        return replace(self, lines=tuple(kept))


def _cuts(window: Box, text: Box) -> bool:
    """Whether the text ends at the left or right edge of a window or its title bar."""
    x, y = text.middle
    if not window.top - MAX_TITLE_PX <= y < window.bottom:
        return False
    # On the right, the box of a text reaches into the window only if it is cut off there.
    cut_on_right = x >= window.right and 0 < window.right - text.left <= _EDGE_PX
    return cut_on_right or (x < window.left and abs(text.right - window.left) <= _EDGE_PX)


def _under(pointer: tuple[int, int]) -> Box:
    x, y = pointer
    return Box(x - 4, y - 4, x + 20, y + 28)


def _split_line(line: TextLine, boxes: Sequence[Box]) -> Iterable[TextLine]:
    """Split a line that continues into another box, such as from label to field."""
    words = line.text.split()
    if len(line.places) != sum(map(len, words)):
        return [line]
    around, at = [], 0
    for word in words:
        x = (line.places[at] + line.places[at + len(word) - 1]) // 2
        around.append(_box_around((x, line.box.middle[1]), line.box.height, boxes))
        at += len(word)
    cuts = [i for i in range(1, len(words)) if around[i] != around[i - 1]]
    edges = [0, *cuts, len(words)]
    return [line.part(a, b) for a, b in itertools.pairwise(edges)] if cuts else [line]


def _box_around(place: tuple[int, int], height: int, boxes: Sequence[Box]) -> Box | None:
    """Return the smallest box around a position that is larger than a letter."""
    return next((box for box in boxes if box.holds(place) and box.height > 0.6 * height), None)
