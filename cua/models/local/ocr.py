"""What stands on a screen: words with their places, and the rectangles they stand in.

Places are pixels of the screenshot here, because text height is the measure of nearness; they
become fractions of the screen when a command is written (`Look.fraction`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

_CLOCK = re.compile(
    r"(?=.*\d:\d\d)(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|[ap]m)[a-z]*|[\d\s:.,/-])+|\W*",
    re.IGNORECASE,
)
"""Text that changes by itself, or is none."""


class Box(NamedTuple):
    """An upright rectangle in pixels; right and bottom are outside."""

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

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, place: tuple[int, int]) -> bool:
        x, y = place
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True)
class Seen:
    """Words on one line. `places` are the middles (x) of the characters that are no spaces."""

    text: str
    box: Box
    places: tuple[int, ...]

    def part(self, start: int, end: int) -> Seen:
        """Its words from `start` up to `end`."""
        words = self.text.split()
        skipped = sum(map(len, words[:start]))
        kept = sum(map(len, words[start:end]))
        places = self.places[skipped : skipped + kept] or self.places
        half = self._pitch() // 2
        left, right = max(self.box.left, places[0] - half), min(self.box.right, places[-1] + half)
        box = Box(left, self.box.top, max(right, left + 1), self.box.bottom)
        return Seen(" ".join(words[start:end]), box, places)

    def _pitch(self) -> int:
        return max(2, self.box.width // max(1, len(self.text)))


@dataclass(frozen=True)
class Look:
    """One screenshot as it was read. Lines stand in reading order, boxes are sorted by size."""

    width: int
    height: int
    lines: tuple[Seen, ...]
    boxes: tuple[Box, ...]
    pictures: tuple[Box, ...] = ()

    @classmethod
    def of(cls, read: dict[str, Any], width: int, height: int) -> Look:
        """From the answer of `reader.Reader.read`."""
        boxes = tuple(sorted((Box(*box) for box in read["boxes"]), key=lambda box: box.area))
        lines = [
            piece
            for text, box, places in read["lines"]
            for piece in _pieces(Seen(text, Box(*box), tuple(places)), boxes)
        ]
        lines.sort(key=lambda seen: (seen.box.middle[1] // 8, seen.box.left))
        pictures = tuple(Box(*box) for box in read["pictures"])
        return cls(width, height, tuple(lines), boxes, pictures)

    def fraction(self, place: tuple[int, int]) -> tuple[float, float]:
        """Of the screen's width and height."""
        x, y = place
        return min(1.0, max(0.0, x / self.width)), min(1.0, max(0.0, y / self.height))

    def pixel(self, place: tuple[float, float]) -> tuple[int, int]:
        return round(place[0] * self.width), round(place[1] * self.height)

    def inside(self, box: Box) -> list[Seen]:
        return [seen for seen in self.lines if box.holds(seen.box.middle)]

    def frame_of(self, seen: Seen) -> Box | None:
        """The button that the words stand in, if something around them fits them so closely."""
        wide = seen.box.width + 10 * seen.box.height
        for box in self.boxes:
            if box.holds(seen.box.middle) and box.height > 0.6 * seen.box.height:
                fits = box.height < 3 * seen.box.height and box.width < wide
                return box if fits else None
        return None

    def in_bar(self, seen: Seen) -> bool:
        """Whether it stands in something long and low: a title bar, a field, a marked row."""
        home = next((box for box in self.boxes if box.holds(seen.box.middle)), None)
        return (
            home is not None
            and home.height < 3 * seen.box.height
            and home.width >= seen.box.width + 10 * seen.box.height
        )

    def window_at(self, place: tuple[int, int]) -> Box:
        """The innermost large rectangle around a place; the whole screen if there is none."""
        enough = self.width * self.height // 40
        around = (b for b in self.boxes if b.area > enough and b.height > 60 and b.holds(place))
        return next(around, Box(0, 0, self.width, self.height))

    def words(self, apart: Sequence[tuple[int, int]] = ()) -> list[str]:
        """All that can be read and does not change by itself, as the clock does.

        `apart` are places of the pointer, whose picture hides what is under it.
        """
        return [
            seen.text
            for seen in self.lines
            if not _CLOCK.fullmatch(seen.text)
            and not any(_under(place).meets(seen.box) for place in apart)
        ]

    def without_pointer(self, place: tuple[int, int]) -> Look:
        """Without the letter that the picture of the pointer is taken for."""
        kept = [
            seen for seen in self.lines if len(seen.text) > 2 or not _under(place).meets(seen.box)
        ]
        return replace(self, lines=tuple(kept))


def _under(pointer: tuple[int, int]) -> Box:
    x, y = pointer
    return Box(x - 4, y - 4, x + 20, y + 28)


def _pieces(seen: Seen, boxes: Sequence[Box]) -> Iterable[Seen]:
    """A line as read, cut where it runs from a label into its field."""
    words = seen.text.split()
    if len(seen.places) != sum(map(len, words)):
        return [seen]
    homes, at = [], 0
    for word in words:
        x = (seen.places[at] + seen.places[at + len(word) - 1]) // 2
        homes.append(_home((x, seen.box.middle[1]), seen.box.height, boxes))
        at += len(word)
    cuts = [i for i in range(1, len(words)) if homes[i] != homes[i - 1]]
    edges = [0, *cuts, len(words)]
    return [seen.part(a, b) for a, b in itertools.pairwise(edges)] if cuts else [seen]


def _home(place: tuple[int, int], height: int, boxes: Sequence[Box]) -> Box | None:
    """The smallest box around it that is not just the inside of a letter."""
    return next((box for box in boxes if box.holds(place) and box.height > 0.6 * height), None)
