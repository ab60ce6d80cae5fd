"""The drawing tools: smooth text and rounded boxes on a Pillow image.

Text and corners are drawn three or four times as large and scaled down, which looks like a modern
desktop and suits OCR; the masks are cached, so a full redraw takes milliseconds. The default font
is built into Pillow, so that every machine shows the same pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFilter, ImageFont

from .icons import icon

Color = tuple[int, int, int]
TEXT = 18
"""The default size of text in pixels."""
TRACKING = 0.025
"""Space between letters, relative to their size; it helps OCR with words like Wi-Fi."""
LARGE = 4
"""Factor by which masks are drawn larger before they are scaled down."""

# All colours differ, so that a scenario can replace each of them.
INK, SOFT, FAINT = (15, 23, 42), (71, 85, 105), (148, 163, 184)
PAPER, PANEL, LINE = (254, 254, 254), (243, 246, 250), (203, 213, 225)
ACCENT, ACCENT_DEEP, ACCENT_SOFT = (37, 99, 235), (29, 78, 216), (219, 234, 254)
GREEN, RED, AMBER = (22, 163, 74), (220, 38, 38), (217, 119, 6)
WHITE, BLACK, NIGHT = (255, 255, 255), (0, 0, 0), (15, 23, 41)


class Rect(NamedTuple):
    """A rectangle in pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def mid(self) -> int:
        """The vertical middle, for one line of text."""
        return self.y + self.h // 2

    def contains(self, x: int, y: int) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def translate(self, dx: int, dy: int) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def clamp(self, area: Rect) -> Rect:
        """Return a copy moved into `area`, which begins at 0, 0."""
        x, y = min(self.x, area.w - self.w), min(self.y, area.h - self.h)
        return Rect(max(x, 0), max(y, 0), self.w, self.h)

    def shrink(self, by: int) -> Rect:
        return Rect(self.x + by, self.y + by, self.w - 2 * by, self.h - 2 * by)


NOWHERE = Rect(0, 0, 0, 0)


@dataclass
class Theme:
    """A scenario's changes of the drawing.

    `colors`: color to replace -> new one, as "#ff0000". `font`: a file. `words`: label -> new one.
    """

    colors: dict[str, str] = field(default_factory=dict)
    font: str = ""
    text_scale: float = 1.0
    words: dict[str, str] = field(default_factory=dict)


THEME = Theme()
"""The theme of this process."""


def set_theme(**theme: Any) -> None:
    """Set these fields of `THEME`, before anything is drawn. Raises TypeError."""
    vars(THEME).update(vars(Theme(**theme)))


@cache
def _replace_color(color: Color) -> Color:
    new = THEME.colors.get("#{:02x}{:02x}{:02x}".format(*color))
    return ImageColor.getrgb(new)[:3] if new else color


def translate(text: str) -> str:
    """Return a label in the computer's language."""
    return THEME.words.get(text, text)


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    size = round(size * THEME.text_scale)
    if THEME.font:
        return ImageFont.truetype(THEME.font, size)
    font = ImageFont.load_default(size=size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow's wheels have FreeType
    return font


@cache
def _advance(pair: str, size: int) -> float:
    """Return the advance in pixels from the first character to the second."""
    font = _font(size * LARGE)
    return (font.getlength(pair) - font.getlength(pair[1:])) / LARGE + TRACKING * size


@lru_cache(65536)
def text_width(text: str, size: int = TEXT) -> float:
    return sum(_advance(text[i : i + 2], size) for i in range(len(text)))


def label_width(text: str) -> int:
    return int(text_width(translate(text)))


def line_height(size: int) -> int:
    return size * 3 // 2


@lru_cache(4096)
def _glyph(char: str, size: int, bold: bool) -> Image.Image:
    """Draw a character `LARGE` times as large, two final pixels to the right of the edge."""
    height = line_height(size) * LARGE
    mask = Image.new("L", (int(text_width(char, size) + 5) * LARGE, height))
    stroke = (0.32 if bold else 0.08) * LARGE * size / 16
    place = (2 * LARGE, height * 0.72)
    draw = ImageDraw.Draw(mask)
    draw.text(place, char, 255, _font(size * LARGE), anchor="ls", stroke_width=stroke)
    return mask


@lru_cache(4096)
def _text_mask(text: str, size: int, bold: bool) -> Image.Image:
    large = Image.new("L", (int(text_width(text, size) + 6) * LARGE, line_height(size) * LARGE))
    pen = 0.0
    for i, char in enumerate(text):
        glyph = _glyph(char, size, bold)
        large.paste(255, (round(pen * LARGE), 0), glyph)
        pen += _advance(text[i : i + 2], size)
    return large.reduce(LARGE)


Piece = tuple[int, int, Image.Image]
"""The place of a mask, x and y, and the mask."""


@lru_cache(1024)
def _corners(width: int, height: int, radius: int) -> list[Piece]:
    side = 2 * radius
    disc = Image.new("L", (side * LARGE, side * LARGE))
    ImageDraw.Draw(disc).ellipse((0, 0, side * LARGE - 1, side * LARGE - 1), fill=255)
    small = disc.reduce(LARGE)
    return [
        (x, y, small.crop((left, top, left + radius, top + radius)))
        for x, left in ((0, 0), (width - radius, radius))
        for y, top in ((0, 0), (height - radius, radius))
    ]


SHADOW, DROP, UNDER = 24, 6, 12
"""Pixels by which a shadow extends beyond the box, is lower than it, and reaches under its edge."""


@lru_cache(64)
def _shadow(width: int, height: int) -> list[Piece]:
    """Return the visible strips of a soft mask around a box, blurred at a quarter of the size."""
    small = Image.new("L", ((width + 2 * SHADOW) // 4, (height + 2 * SHADOW) // 4))
    edge = SHADOW // 4
    small.paste(90, (edge, edge, small.width - edge, small.height - edge))
    small = small.filter(ImageFilter.GaussianBlur(SHADOW / 10))
    full = small.resize((width + 2 * SHADOW, height + 2 * SHADOW), Image.Resampling.BILINEAR)
    top, low = SHADOW - DROP + UNDER, SHADOW - DROP + height - UNDER
    left, right = SHADOW + UNDER, SHADOW + width - UNDER
    wide, high = full.size
    boxes = ((0, 0, wide, top), (0, low, wide, high), (0, top, left, low), (right, top, wide, low))
    return [(box[0] - SHADOW, box[1] - SHADOW + DROP, full.crop(box)) for box in boxes]


@lru_cache(4096)
def fit_text(text: str, size: int, width: int) -> str:
    """Return the text, cut with an ellipsis if it is wider than `width` pixels."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "...", size) > width:
        text = text[:-1]
    return text + "..."


@lru_cache(8192)
def _wrap_paragraph(text: str, size: int, width: int) -> tuple[int, ...]:
    """Return the starts of the lines: at a word, or inside a word that is wider than a line."""
    starts, word = [0], 0
    for i, char in enumerate(text):
        if char.isspace():
            word = i + 1
            continue
        while starts[-1] < i and text_width(text[starts[-1] : i + 1], size) > width:
            starts.append(word if word > starts[-1] else i)
    return tuple(starts)


def wrap_text(text: str, size: int, width: int) -> list[tuple[int, int]]:
    """Return the lines as (start, end) places in the text; a newline belongs to no line."""
    lines, at = [], 0
    for paragraph in text.split("\n"):
        starts = [at + start for start in _wrap_paragraph(paragraph, size, width)]
        at += len(paragraph) + 1
        lines += list(zip(starts, [*starts[1:], at - 1], strict=True))
    return lines


@dataclass
class Marks:
    """The focused and the hovered widget and the carets, shared by the painters of a drawing.

    Carets have screen coordinates; they blink without a redraw.
    """

    focus: object = None
    hover: object = None
    carets: list[tuple[Rect, Color]] = field(default_factory=list)


@dataclass
class Painter:
    """Draws on a part of the screen; `x`, `y` are the origin in the image.

    `image_at` is the image's place on the screen.
    """

    image: Image.Image
    x: int = 0
    y: int = 0
    image_at: tuple[int, int] = (0, 0)
    marks: Marks = field(default_factory=Marks)

    def is_focused(self, thing: object) -> bool:
        return self.marks.focus is thing

    def is_hovered(self, thing: object) -> bool:
        return self.marks.hover is thing

    def at(self, x: int, y: int) -> Painter:
        """Return a painter of the same image with its origin moved to this place."""
        return replace(self, x=self.x + x, y=self.y + y)

    @contextmanager
    def clip(self, rect: Rect, radius: int = 0) -> Iterator[Painter]:
        """Yield a painter with its origin at `rect` that draws only inside it."""
        left, top = self.x + rect.x, self.y + rect.y
        part = self.image.crop((left, top, left + max(rect.w, 1), top + max(rect.h, 1)))
        corners = _corners(*part.size, radius) if radius else []
        behind = [part.crop((x, y, x + radius, y + radius)) for x, y, _ in corners]
        yield Painter(part, 0, 0, (self.image_at[0] + left, self.image_at[1] + top), self.marks)
        for (x, y, mask), old in zip(corners, behind, strict=True):
            part.paste(old, (x, y), ImageChops.invert(mask))
        self.image.paste(part, (left, top))

    def fill(self, rect: Rect, color: Color, radius: int = 0) -> None:
        if rect.w <= 0 or rect.h <= 0:
            return
        color = _replace_color(color)
        left, top = self.x + rect.x, self.y + rect.y
        right, low = left + rect.w, top + rect.h
        radius = min(radius, rect.w // 2, rect.h // 2)
        self.image.paste(color, (left, top + radius, right, low - radius))
        if not radius:
            return
        self.image.paste(color, (left + radius, top, right - radius, top + radius))
        self.image.paste(color, (left + radius, low - radius, right - radius, low))
        for x, y, mask in _corners(rect.w, rect.h, radius):
            self.image.paste(color, (left + x, top + y), mask)

    def box(self, rect: Rect, fill: Color, border: Color, radius: int = 6, width: int = 1) -> None:
        self.fill(rect, border, radius)
        self.fill(rect.shrink(width), fill, max(radius - width, 0))

    def shadow(self, rect: Rect) -> None:
        for x, y, mask in _shadow(rect.w, rect.h):
            self.image.paste(BLACK, (self.x + rect.x + x, self.y + rect.y + y), mask)

    def text(
        self,
        x: int,
        mid: int,
        text: str,
        color: Color = INK,
        size: int = TEXT,
        bold: bool = False,
        anchor: str = "left",
        width: int = 0,
    ) -> None:
        """Draw one line around `mid`; `anchor`: the meaning of `x`; `width`: the text's limit."""
        text = fit_text(translate(text), size, width) if width else translate(text)
        if not text.strip():
            return
        shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor] * text_width(text, size)
        mask = _text_mask(text, size, bold)
        place = (self.x + round(x - shift) - 2, self.y + mid - mask.height // 2)
        self.image.paste(_replace_color(color), place, mask)

    def draw_icon(self, x: int, y: int, name: str, size: int) -> None:
        picture = icon(name, size)
        self.image.paste(picture, (self.x + x, self.y + y), picture)

    def caret(self, rect: Rect, color: Color = INK) -> None:
        x, y = self.image_at
        self.marks.carets.append((rect.translate(self.x + x, self.y + y), color))
