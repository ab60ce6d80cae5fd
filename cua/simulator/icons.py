"""Icons, the wallpaper and the mouse cursor, from the files in `pictures/`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent / "pictures"


def _read(file: str, mode: str) -> Image.Image:
    with Image.open(FOLDER / file) as picture:
        converted: Image.Image = picture.convert(mode)
    return converted


@lru_cache
def icon(name: str, size: int) -> Image.Image:
    return _read(f"{name}.png", "RGBA").resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(1)
def cursor() -> Image.Image:
    """Return the arrow, with its tip at the top left pixel."""
    return _read("cursor.png", "RGBA")


@lru_cache(2)
def wallpaper(width: int, height: int) -> Image.Image:
    return _read("wallpaper.jpg", "RGB").resize((width, height))
