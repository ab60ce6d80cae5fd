"""Pictures drawn with lines and boxes: programs, files, window buttons, the mouse cursor.

Every picture is drawn on a canvas of 256 units and scaled down once per size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PIL import Image, ImageDraw

Draw = ImageDraw.ImageDraw
White, Blue, Dark = "#ffffff", "#2563eb", "#0f172a"


def _tile(d: Draw, color: str) -> None:
    d.rounded_rectangle((12, 12, 244, 244), 52, color)


def _notepad(d: Draw) -> None:
    d.rounded_rectangle((40, 24, 216, 240), 24, "#fdfdfd")
    d.rounded_rectangle((40, 24, 216, 84), 24, "#f59e0b")
    d.rectangle((40, 60, 216, 84), "#f59e0b")
    for i, y in enumerate((112, 144, 176, 208)):
        d.rounded_rectangle((66, y, 190 - 40 * (i == 3), y + 10), 5, "#94a3b8")
    for x in (80, 128, 176):
        d.rounded_rectangle((x - 7, 8, x + 7, 48), 7, "#475569")


def _network(d: Draw) -> None:
    _tile(d, "#0ea5e9")
    d.line((128, 118, 128, 168), White, 12)
    d.line((70, 168, 186, 168), White, 12)
    for x in (70, 186):
        d.line((x, 168, x, 190), White, 12)
        d.rounded_rectangle((x - 30, 184, x + 30, 218), 10, White)
    d.rounded_rectangle((84, 44, 172, 124), 14, White)
    d.rounded_rectangle((98, 58, 158, 106), 6, "#0369a1")


def _folder(d: Draw) -> None:
    d.rounded_rectangle((20, 48, 130, 130), 20, "#d97706")
    d.rounded_rectangle((20, 72, 236, 216), 22, "#fbbf24")
    d.rounded_rectangle((20, 96, 236, 216), 22, "#fcd34d")


def _browser(d: Draw) -> None:
    d.ellipse((16, 16, 240, 240), "#4f46e5")
    for box in ((88, 16, 168, 240), (16, 16, 240, 240)):
        d.ellipse(box, outline="#c7d2fe", width=12)
    d.line((22, 128, 234, 128), "#c7d2fe", 12)
    d.arc((36, -60, 220, 92), 30, 150, "#c7d2fe", 12)
    d.arc((36, 164, 220, 316), 210, 330, "#c7d2fe", 12)


def _terminal(d: Draw) -> None:
    d.rounded_rectangle((16, 32, 240, 224), 32, "#1e293b")
    d.rounded_rectangle((16, 32, 240, 224), 32, outline="#64748b", width=8)
    d.line((58, 92, 100, 128, 58, 164), "#4ade80", 18, joint="curve")
    d.line((118, 172, 180, 172), White, 16)


def _text(d: Draw, mark: str = "#94a3b8", bars: int = 5) -> None:
    d.polygon(((52, 16), (160, 16), (210, 66), (210, 240), (52, 240)), White, "#94a3b8", 8)
    d.polygon(((160, 16), (160, 66), (210, 66)), "#cbd5e1")
    for i in range(bars):
        d.rounded_rectangle((80, 92 + 26 * i, 182, 102 + 26 * i), 5, mark)


def _pdf(d: Draw) -> None:
    _text(d, "#fca5a5", 2)
    d.rounded_rectangle((34, 150, 224, 220), 14, "#dc2626")
    d.line((66, 204, 66, 168, 92, 168, 92, 186, 66, 186), White, 10, joint="curve")
    d.line((114, 168, 114, 204, 130, 204, 142, 194, 142, 178, 130, 168, 112, 168), White, 10)
    d.line((168, 208, 168, 168, 196, 168), White, 10)
    d.line((168, 188, 190, 188), White, 10)


def _picture(d: Draw) -> None:
    d.rounded_rectangle((24, 44, 232, 212), 20, White, "#94a3b8", 8)
    d.rectangle((44, 64, 212, 192), "#bae6fd")
    d.ellipse((64, 76, 104, 116), "#fbbf24")
    d.polygon(((44, 192), (110, 116), (150, 164), (176, 136), (212, 192)), "#16a34a")


def _power(d: Draw) -> None:
    d.arc((52, 60, 204, 212), 300, 240, "#dc2626", 24)
    d.rounded_rectangle((116, 32, 140, 132), 12, "#dc2626")


def _restart(d: Draw) -> None:
    d.arc((52, 52, 204, 204), 20, 300, Blue, 24)
    d.polygon(((142, 24), (216, 60), (150, 106)), Blue)


def _start(d: Draw) -> None:
    for x, y, color in (
        (28, 28, "#60a5fa"),
        (136, 28, "#34d399"),
        (28, 136, "#fbbf24"),
        (136, 136, "#f87171"),
    ):
        d.rounded_rectangle((x, y, x + 92, y + 92), 22, color)


def _badge(d: Draw, color: str) -> None:
    d.ellipse((16, 16, 240, 240), color)


def _info(d: Draw) -> None:
    _badge(d, Blue)
    d.ellipse((112, 60, 144, 92), White)
    d.rounded_rectangle((114, 110, 142, 196), 12, White)


def _error(d: Draw) -> None:
    _badge(d, "#dc2626")
    for line in ((84, 84, 172, 172), (172, 84, 84, 172)):
        d.line(line, White, 28)


def _question(d: Draw) -> None:
    _badge(d, "#d97706")
    d.rounded_rectangle((114, 60, 142, 148), 12, White)
    d.ellipse((112, 166, 144, 198), White)


def _update(d: Draw) -> None:
    _badge(d, "#16a34a")
    d.line((128, 70, 128, 170), White, 26)
    d.line((82, 128, 128, 174, 174, 128), White, 26, joint="curve")
    d.line((82, 200, 174, 200), White, 18)


def _close(d: Draw) -> None:
    for line in ((70, 70, 186, 186), (186, 70, 70, 186)):
        d.line(line, Dark, 20)


def _close_hover(d: Draw) -> None:
    for line in ((70, 70, 186, 186), (186, 70, 70, 186)):
        d.line(line, White, 20)


def _minimise(d: Draw) -> None:
    d.line((60, 128, 196, 128), Dark, 20)


def _maximise(d: Draw) -> None:
    d.rounded_rectangle((64, 64, 192, 192), 16, outline=Dark, width=20)


def _back(d: Draw) -> None:
    d.line((48, 128, 210, 128), Dark, 22)
    d.line((116, 56, 44, 128, 116, 200), Dark, 22, joint="curve")


def _up(d: Draw) -> None:
    d.line((128, 48, 128, 210), Dark, 22)
    d.line((56, 116, 128, 44, 200, 116), Dark, 22, joint="curve")


def _reload(d: Draw) -> None:
    d.arc((52, 52, 204, 204), 20, 300, Dark, 22)
    d.polygon(((142, 30), (206, 62), (150, 102)), Dark)


PICTURES: dict[str, Callable[[Draw], None]] = {
    "notepad": _notepad,
    "network": _network,
    "folder": _folder,
    "files": _folder,
    "browser": _browser,
    "terminal": _terminal,
    "text": _text,
    "pdf": _pdf,
    "picture": _picture,
    "power": _power,
    "restart": _restart,
    "start": _start,
    "info": _info,
    "error": _error,
    "question": _question,
    "update": _update,
    "close": _close,
    "close-hover": _close_hover,
    "minimise": _minimise,
    "maximise": _maximise,
    "back": _back,
    "up": _up,
    "reload": _reload,
}


@lru_cache
def icon(name: str, size: int) -> Image.Image:
    """An RGBA picture of `size` pixels; drawn twice as large as its units for smooth edges."""
    canvas = Image.new("RGBA", (256, 256), (255, 255, 255, 0))
    PICTURES[name](ImageDraw.Draw(canvas))
    return canvas.resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(1)
def cursor() -> Image.Image:
    """The arrow; its tip is the top left pixel."""
    shape = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)]
    big = Image.new("RGBA", (14 * 8, 23 * 8), (255, 255, 255, 0))
    points = [(8 * x + 6, 8 * y + 8) for x, y in shape]
    ImageDraw.Draw(big).polygon(points, "#ffffff", "#000000", 9)
    return big.resize((14, 23), Image.Resampling.LANCZOS)
