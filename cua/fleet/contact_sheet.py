"""All screens of a fleet as one image."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from ..screen.image import encode_jpeg, open_jpeg
from .look import Look

CELL_PX = (480, 270)
LABEL_PX = 24


def make_sheet(looks: Sequence[Look]) -> bytes:
    """Return a JPEG with a cell for each, faults in words; slow, so call it in a thread."""
    across = math.ceil(math.sqrt(len(looks)))
    down = math.ceil(len(looks) / across)
    width, height = CELL_PX[0], CELL_PX[1] + LABEL_PX
    sheet = Image.new("RGB", (across * width, down * height), "black")
    for number, look in enumerate(looks):
        row, column = divmod(number, across)
        sheet.paste(_draw_cell(look), (column * width, row * height))
    return encode_jpeg(sheet, 85)


def _draw_cell(look: Look) -> Image.Image:
    width, height = CELL_PX
    cell = Image.new("RGB", (width, height + LABEL_PX), "#202020")
    font = ImageFont.load_default(16)
    draw = ImageDraw.Draw(cell)
    draw.text((8, 2), look.name, "white", font)
    if look.jpeg:
        picture = open_jpeg(look.jpeg).convert("RGB")
        picture.thumbnail(CELL_PX)
        cell.paste(picture, ((width - picture.width) // 2, LABEL_PX))
    else:
        draw.text((8, LABEL_PX + 8), "\n".join(_wrap(look.fault, width - 16, font)), "white", font)
    return cell


def _wrap(text: str, width: int, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
