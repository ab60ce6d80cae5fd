"""Pictures of screens for the real OCR, drawn with the font that Pillow brings."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont

from cua.types import Frame

SIZE = (1280, 720)


def font(size: int = 17) -> ImageFont.FreeTypeFont:
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


def form(value: str = "192.168.1.1", left: int = 300) -> Image.Image:
    """A settings window with two fields and two buttons, and an icon outside of it."""
    image = Image.new("RGB", SIZE, "#1f4e79")
    draw = ImageDraw.Draw(image)
    draw.ellipse((40, 30, 88, 78), fill="#ffd54a", outline="#884400", width=3)
    draw.text((64, 92), "Browser", "white", font(), anchor="mm")
    draw.rectangle((left, 100, left + 560, 500), "#f5f5f5", "#444444")
    draw.text((left + 20, 120), "Network settings", "black", font(22))
    for row, (label, text) in enumerate([("Preferred DNS", value), ("Alternate DNS", "")]):
        top = 200 + 60 * row
        draw.text((left + 20, top), label, "black", font())
        draw.rounded_rectangle(
            (left + 220, top - 8, left + 460, top + 28), 5, "white", "#8a8f98", width=1
        )
        draw.text((left + 230, top), text, "black", font())
    for x, label, fill, ink in [
        (left + 300, "Cancel", "#e4e6ea", "black"),
        (left + 420, "Save", "#2563eb", "white"),
    ]:
        draw.rounded_rectangle((x, 440, x + 100, 476), 6, fill, "#8a8f98")
        draw.text((x + 50, 458), label, ink, font(), anchor="mm")
    return image


def jpeg(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()


def frame(image: Image.Image, number: int = 1) -> Frame:
    return Frame(jpeg(image), *image.size, number, float(number))
