"""Screenshots drawn as screens look."""

from __future__ import annotations

import io
from collections.abc import Callable

from PIL import Image, ImageChops, ImageDraw

from cua.types import Frame

SIZE = (1280, 720)
Draw = Callable[[ImageDraw.ImageDraw], object]


def screen(*drawn: Draw, noise: float = 0.0, size: tuple[int, int] = SIZE) -> Frame:
    """A dialog of a usual look, and what else is drawn on it."""
    image = Image.new("L", size, 225)
    draw = ImageDraw.Draw(image)
    draw.rectangle((300, 200, 900, 500), fill=245, outline=90)
    draw.text((320, 215), "Network settings", fill=20, font_size=18)
    for draw_on in drawn:
        draw_on(draw)
    if noise:
        grain = Image.effect_noise(size, noise)
        image = ImageChops.add(image, grain, scale=1, offset=-128)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return Frame(out.getvalue(), *size, 1, 0.0)


def letter(draw: ImageDraw.ImageDraw) -> None:
    draw.text((420, 330), "w", fill=0, font_size=18)


def caret(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((420, 330, 421, 346), fill=0)


def thin_letter(draw: ImageDraw.ImageDraw) -> None:
    draw.text((425, 330), "l", fill=0, font_size=18)


def page(draw: ImageDraw.ImageDraw, grey: int = 20) -> None:
    for y in range(40, 180, 24):
        draw.text((60, y), "The quick brown fox jumps over the dog. " * 2, grey, font_size=18)


def page_with_noise_at_edges(draw: ImageDraw.ImageDraw) -> None:
    page(draw, grey=45)


def tick(draw: ImageDraw.ImageDraw) -> None:
    draw.line((334, 405, 338, 410, 346, 398), fill=0, width=2)


def clock(draw: ImageDraw.ImageDraw) -> None:
    draw.text((1210, 695), "12:07", fill=0, font_size=16)


def pointer(draw: ImageDraw.ImageDraw) -> None:
    draw.polygon((640, 360, 640, 377, 644, 373, 651, 372), fill=255, outline=0)


def window(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((20, 20, 260, 180), fill=40)


def program(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((10, 10, 1270, 650), fill=30)
