"""Targets at seeded places all over the screen, and the drawn screens that show them.

Each is in a cell of a grid, so that some are at the far edges, where a wrong scale has most effect.
The sizes are those of real controls, from a large button to a close box.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...screen.image import encode_jpeg
from ...types import Point

if TYPE_CHECKING:
    from ...simulator.paint import Painter

COLUMNS, ROWS = 4, 3
DESIGN_WIDTH_PX = 1280
"""Screen width of `SIZES`, which are scaled for others."""
SIZES = {
    "Maple": (220, 60),
    "Harbor": (160, 48),
    "Violet": (140, 44),
    "Copper": (120, 40),
    "Meadow": (104, 36),
    "Raven": (88, 32),
    "Ivy": (72, 28),
    "Go": (56, 28),
    "R": (44, 44),
    "K": (32, 32),
    "X": (26, 26),
    "Q": (20, 20),
}

WINDOW_LINES = (
    "Letter to the library",
    "Good morning,",
    "thank you for the two books, which came on Monday.",
    "The parcel was a little wet, but the pages are dry.",
    "I will bring them back in three weeks.",
    "With kind regards",
)
"""The text in the window, without the word of any target."""


class Target(NamedTuple):
    """A button with a word; in pixels of the whole screen."""

    word: str
    x: int
    y: int
    w: int
    h: int

    def middle(self, size: tuple[int, int]) -> Point:
        return Point(x=(self.x + self.w / 2) / size[0], y=(self.y + self.h / 2) / size[1])

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h

    def distance_px(self, x: float, y: float) -> float:
        """Return the distance from its middle in pixels."""
        dx, dy = x - self.x - self.w / 2, y - self.y - self.h / 2
        return float((dx * dx + dy * dy) ** 0.5)


def place_targets(seed: int, size: tuple[int, int]) -> list[Target]:
    """Return twelve targets on a screen of this size in pixels, the same for the same seed."""
    chance = random.Random(seed)
    cells = [(column, row) for row in range(ROWS) for column in range(COLUMNS)]
    words = chance.sample(list(SIZES), len(SIZES))
    places = chance.sample(cells, len(cells))
    return [
        _place_target(word, cell, size, chance) for word, cell in zip(words, places, strict=True)
    ]


def _place_target(
    word: str, cell: tuple[int, int], size: tuple[int, int], chance: random.Random
) -> Target:
    width, height = size[0] // COLUMNS, size[1] // ROWS
    scale = size[0] / DESIGN_WIDTH_PX
    w, h = (round(side * scale) for side in SIZES[word])
    x = cell[0] * width + chance.randint(0, width - w)
    y = cell[1] * height + chance.randint(0, height - h)
    return Target(word, x, y, w, h)


def draw_screen(size: tuple[int, int], shown: Sequence[Target]) -> bytes:
    """Draw a desktop with these targets as JPEG; slow, so call it in a thread."""
    from PIL import Image

    from ...simulator.paint import AMBER, BLACK, Painter, Rect

    picture = Image.new("RGB", size, (38, 70, 120))
    p = Painter(picture)
    _draw_desktop(p, *size)
    for each in shown:
        p.box(Rect(*each[1:]), AMBER, BLACK, 5)
        letters = max(10, min(24, round(each.h * 0.55)))
        middle = (each.x + each.w // 2, each.y + each.h // 2)
        p.text(*middle, each.word, BLACK, letters, bold=True, anchor="middle")
    return encode_jpeg(picture, 85)


def _draw_desktop(p: Painter, width: int, height: int) -> None:
    from ...simulator.paint import FAINT, NIGHT, PANEL, PAPER, SOFT, WHITE, Rect

    left, top, line = width // 8, height // 10, height // 18
    p.box(Rect(left, top, width * 3 // 4, height * 7 // 10), PAPER, FAINT, 10)
    p.fill(Rect(left + 1, top + 1, width * 3 // 4 - 2, line), PANEL, 9)
    for number, words in enumerate(WINDOW_LINES):
        p.text(left + line // 2, top + line // 2 + number * line, words, SOFT, line // 2)
    p.fill(Rect(0, height - line, width, line), NIGHT)
    p.text(line // 2, height - line // 2, "Menu", WHITE, line // 2)
