"""Pictures drawn with lines and boxes: programs, files, window buttons, the mouse cursor.

A picture is a list of calls of `ImageDraw` methods on a canvas of 256 units, which is scaled down
once per size.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw

WHITE, BLUE, DARK = "#ffffff", "#2563eb", "#0f172a"
RED, GREEN, YELLOW = "#dc2626", "#16a34a", "#fbbf24"
GREY, LILAC, ORANGE = "#94a3b8", "#c7d2fe", "#f59e0b"

Picture = list[tuple[Any, ...]]
"""Calls as (name of the method, its arguments)."""


def _box(x0: int, y0: int, x1: int, y1: int, radius: int, *style: Any) -> tuple[Any, ...]:
    """`style`: fill, outline, width of the outline."""
    return ("rounded_rectangle", (x0, y0, x1, y1), radius, *style)


def _line(points: tuple[int, ...], color: str, width: int) -> tuple[Any, ...]:
    return ("line", points, color, width, "curve")


def _disc(x0: int, y0: int, x1: int, y1: int, *style: Any) -> tuple[Any, ...]:
    return ("ellipse", (x0, y0, x1, y1), *style)


def _badge(color: str) -> tuple[Any, ...]:
    return _disc(16, 16, 240, 240, color)


def _cross(start: int, end: int, color: str, width: int) -> Picture:
    ends = ((start, end), (end, start))
    return [_line((left, start, right, end), color, width) for left, right in ends]


def _paper(mark: str, bars: int) -> Picture:
    return [
        ("polygon", ((52, 16), (160, 16), (210, 66), (210, 240), (52, 240)), WHITE, GREY, 8),
        ("polygon", ((160, 16), (160, 66), (210, 66)), "#cbd5e1"),
        *[_box(80, 92 + 26 * i, 182, 102 + 26 * i, 5, mark) for i in range(bars)],
    ]


FOLDER = [
    _box(20, 48, 130, 130, 20, "#d97706"),
    _box(20, 72, 236, 216, 22, YELLOW),
    _box(20, 96, 236, 216, 22, "#fcd34d"),
]
PICTURES: dict[str, Picture] = {
    "notepad": [
        _box(40, 24, 216, 240, 24, "#fdfdfd"),
        _box(40, 24, 216, 84, 24, ORANGE),
        ("rectangle", (40, 60, 216, 84), ORANGE),
        *[_box(66, y, 190, y + 10, 5, GREY) for y in (112, 144, 176)],
        _box(66, 208, 150, 218, 5, GREY),
        *[_box(x - 7, 8, x + 7, 48, 7, "#475569") for x in (80, 128, 176)],
    ],
    "network": [
        _box(12, 12, 244, 244, 52, "#0ea5e9"),
        _line((128, 118, 128, 168), WHITE, 12),
        _line((70, 168, 186, 168), WHITE, 12),
        *[_line((x, 168, x, 190), WHITE, 12) for x in (70, 186)],
        *[_box(x - 30, 184, x + 30, 218, 10, WHITE) for x in (70, 186)],
        _box(84, 44, 172, 124, 14, WHITE),
        _box(98, 58, 158, 106, 6, "#0369a1"),
    ],
    "folder": FOLDER,
    "files": FOLDER,
    "browser": [
        _badge("#4f46e5"),
        _disc(88, 16, 168, 240, None, LILAC, 12),
        _disc(16, 16, 240, 240, None, LILAC, 12),
        _line((22, 128, 234, 128), LILAC, 12),
        ("arc", (36, -60, 220, 92), 30, 150, LILAC, 12),
        ("arc", (36, 164, 220, 316), 210, 330, LILAC, 12),
    ],
    "terminal": [
        _box(16, 32, 240, 224, 32, "#1e293b"),
        _box(16, 32, 240, 224, 32, None, "#64748b", 8),
        _line((58, 92, 100, 128, 58, 164), "#4ade80", 18),
        _line((118, 172, 180, 172), WHITE, 16),
    ],
    "text": _paper(GREY, 5),
    "pdf": [
        *_paper("#fca5a5", 2),
        _box(34, 150, 224, 220, 14, RED),
        _line((66, 204, 66, 168, 92, 168, 92, 186, 66, 186), WHITE, 10),
        ("line", (114, 168, 114, 204, 130, 204, 142, 194, 142, 178, 130, 168, 112, 168), WHITE, 10),
        _line((168, 208, 168, 168), WHITE, 10),
        _line((168, 168, 196, 168), WHITE, 10),
        _line((168, 188, 190, 188), WHITE, 10),
    ],
    "picture": [
        _box(24, 44, 232, 212, 20, WHITE, GREY, 8),
        ("rectangle", (44, 64, 212, 192), "#bae6fd"),
        _disc(64, 76, 104, 116, YELLOW),
        ("polygon", ((44, 192), (110, 116), (150, 164), (176, 136), (212, 192)), GREEN),
    ],
    "power": [("arc", (52, 60, 204, 212), 300, 240, RED, 24), _box(116, 32, 140, 132, 12, RED)],
    "restart": [
        ("arc", (52, 52, 204, 204), 20, 300, BLUE, 24),
        ("polygon", ((142, 24), (216, 60), (150, 106)), BLUE),
    ],
    "start": [
        _box(28, 28, 120, 120, 22, "#60a5fa"),
        _box(136, 28, 228, 120, 22, "#34d399"),
        _box(28, 136, 120, 228, 22, YELLOW),
        _box(136, 136, 228, 228, 22, "#f87171"),
    ],
    "info": [_badge(BLUE), _disc(112, 60, 144, 92, WHITE), _box(114, 110, 142, 196, 12, WHITE)],
    "error": [_badge(RED), *_cross(84, 172, WHITE, 28)],
    "question": [
        _badge("#d97706"),
        _box(114, 60, 142, 148, 12, WHITE),
        _disc(112, 166, 144, 198, WHITE),
    ],
    "update": [
        _badge(GREEN),
        _line((128, 70, 128, 170), WHITE, 26),
        _line((82, 128, 128, 174, 174, 128), WHITE, 26),
        _line((82, 200, 174, 200), WHITE, 18),
    ],
    "close": _cross(70, 186, DARK, 20),
    "close-hover": _cross(70, 186, WHITE, 20),
    "minimise": [_line((60, 128, 196, 128), DARK, 20)],
    "maximise": [_box(64, 64, 192, 192, 16, None, DARK, 20)],
    "back": [
        _line((48, 128, 210, 128), DARK, 22),
        _line((116, 56, 44, 128, 116, 200), DARK, 22),
    ],
    "up": [_line((128, 48, 128, 210), DARK, 22), _line((56, 116, 128, 44, 200, 116), DARK, 22)],
    "reload": [
        ("arc", (52, 52, 204, 204), 20, 300, DARK, 22),
        ("polygon", ((142, 30), (206, 62), (150, 102)), DARK),
    ],
}


@lru_cache
def icon(name: str, size: int) -> Image.Image:
    """Return an RGBA picture of `size` pixels."""
    canvas = Image.new("RGBA", (256, 256), (255, 255, 255, 0))
    draw = ImageDraw.Draw(canvas)
    for method, *arguments in PICTURES[name]:
        getattr(draw, method)(*arguments)
    return canvas.resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(1)
def cursor() -> Image.Image:
    """Return the arrow; its tip is the top left pixel."""
    shape = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)]
    big = Image.new("RGBA", (14 * 8, 23 * 8), (255, 255, 255, 0))
    points = [(8 * x + 6, 8 * y + 8) for x, y in shape]
    ImageDraw.Draw(big).polygon(points, "#ffffff", "#000000", 9)
    return big.resize((14, 23), Image.Resampling.LANCZOS)
