"""Targets at seeded places all over the screen, and the drawn screens that show them.

Each has a cell of a grid to itself, so that every part of the screen is asked for: a wrong scale
shows most at the far edges. The sizes are those of real controls, from a large button to a close
box.
"""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...types import Point

if TYPE_CHECKING:
    from ...simulator.paint import Painter

COLUMNS, ROWS = 4, 3
DRAWN_FOR = 1280
"""Width in pixels of the screen for which the sizes are written; on others they are scaled."""
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

LINES = (
    "Letter to the library",
    "Good morning,",
    "thank you for the two books, which came on Monday.",
    "The parcel was a little wet, but the pages are dry.",
    "I will bring them back in three weeks.",
    "With kind regards",
)
"""What stands in the window; none of the words is one of a target."""


class Target(NamedTuple):
    """A button with a word on it; pixels of the whole screen."""

    word: str
    x: int
    y: int
    w: int
    h: int

    def middle(self, size: tuple[int, int]) -> Point:
        return Point(x=(self.x + self.w / 2) / size[0], y=(self.y + self.h / 2) / size[1])

    def holds(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h

    def off(self, x: float, y: float) -> float:
        """Distance from its middle in pixels."""
        dx, dy = x - self.x - self.w / 2, y - self.y - self.h / 2
        return float((dx * dx + dy * dy) ** 0.5)


def targets(seed: int, size: tuple[int, int]) -> list[Target]:
    """Twelve of them, the same for the same seed, for a screen of this size in pixels."""
    chance = random.Random(seed)
    cells = [(column, row) for row in range(ROWS) for column in range(COLUMNS)]
    words = chance.sample(list(SIZES), len(SIZES))
    places = chance.sample(cells, len(cells))
    return [_placed(word, cell, size, chance) for word, cell in zip(words, places, strict=True)]


def _placed(
    word: str, cell: tuple[int, int], size: tuple[int, int], chance: random.Random
) -> Target:
    width, height = size[0] // COLUMNS, size[1] // ROWS
    scale = size[0] / DRAWN_FOR
    w, h = (round(side * scale) for side in SIZES[word])
    x = cell[0] * width + chance.randint(0, width - w)
    y = cell[1] * height + chance.randint(0, height - h)
    return Target(word, x, y, w, h)


def drawn(size: tuple[int, int], shown: Sequence[Target]) -> bytes:
    """A desktop with these targets on it as JPEG; to be called in a thread."""
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
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def _draw_desktop(p: Painter, width: int, height: int) -> None:
    """A window with some text and a taskbar: what a target stands out from."""
    from ...simulator.paint import FAINT, NIGHT, PANEL, PAPER, SOFT, WHITE, Rect

    left, top, line = width // 8, height // 10, height // 18
    p.box(Rect(left, top, width * 3 // 4, height * 7 // 10), PAPER, FAINT, 10)
    p.fill(Rect(left + 1, top + 1, width * 3 // 4 - 2, line), PANEL, 9)
    for number, words in enumerate(LINES):
        p.text(left + line // 2, top + line // 2 + number * line, words, SOFT, line // 2)
    p.fill(Rect(0, height - line, width, line), NIGHT)
    p.text(line // 2, height - line // 2, "Menu", WHITE, line // 2)
