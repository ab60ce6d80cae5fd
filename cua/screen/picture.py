"""What is read off a JPEG: its size without decoding it, and whether two of them look the same.

Live frames are never byte-identical (clocks, capture noise), and a typed letter vanishes in the
mean of a whole frame. So both are decoded small and grey by the JPEG scaler itself, and compared
square by square.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING

from ..types import Area

if TYPE_CHECKING:
    from PIL import Image

SKETCH = (256, 144)
"""Pixels of a sketch: each is the mean of about 5 x 5 of a usual screen."""
EDGES, ENOUGH = 4, 8
"""Grey levels from which a square has edges, and squares from which their noise is known."""
ABOVE_ROUGH = 3.0
"""By how much the noisiest square with edges may exceed the usual one."""
LARGEST = 4.0
"""How much a part is enlarged at most."""
MAX_PIXELS = 4096 * 2304
_NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})  # in the range of the frame headers, but no frame headers


def jpeg_size(jpeg: bytes) -> tuple[int, int] | None:
    """Width and height in pixels from the frame header, None if this is no JPEG of a sane size."""
    if jpeg[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(jpeg) and jpeg[at] == 0xFF:
        marker = jpeg[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height = int.from_bytes(jpeg[at + 5 : at + 7], "big")
            width = int.from_bytes(jpeg[at + 7 : at + 9], "big")
            return (width, height) if 0 < width * height <= MAX_PIXELS else None
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return None


@functools.lru_cache(maxsize=8)
def sketch(jpeg: bytes) -> Image.Image:
    """A small grey picture. Raises OSError on a broken JPEG."""
    from PIL import Image

    with Image.open(io.BytesIO(jpeg), formats=["JPEG"]) as image:
        image.draft("L", SKETCH)
        grey: Image.Image = image.convert("L")
    return grey.resize(SKETCH, Image.Resampling.BOX)


def differences(a: Image.Image, b: Image.Image, cell: int) -> bytes:
    """The mean difference of each square of `cell` sketch pixels, in grey levels, row by row."""
    from PIL import ImageChops

    return ImageChops.difference(a, b).reduce(cell).tobytes()


def details(picture: Image.Image, cell: int) -> bytes:
    """How many edges and letters each square has, in grey levels between neighbours."""
    from PIL import ImageChops

    return differences(picture, ImageChops.offset(picture, 1, 1), cell)


def noise(found: bytes, detailed: bytes) -> float:
    """The usual difference of squares with edges: a poor encoder leaves noise only there."""
    rough = [by for by, edges in zip(found, detailed, strict=True) if edges >= EDGES]
    return median(rough) if len(rough) >= ENOUGH else 0.0


def shrunk(jpeg: bytes, width: int, height: int) -> bytes:
    """The picture at another size, as JPEG of quality 85."""
    from PIL import Image

    with Image.open(io.BytesIO(jpeg), formats=["JPEG"]) as image:
        small = image.resize((width, height), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=85)
    return out.getvalue()


def cut(jpeg: bytes, area: Area) -> tuple[bytes, tuple[int, int]]:
    """A part of the picture as it is, as JPEG of quality 95, and its size in pixels."""
    from PIL import Image

    with Image.open(io.BytesIO(jpeg), formats=["JPEG"]) as image:
        part = _part(image, area)
    out = io.BytesIO()
    part.save(out, "JPEG", quality=95)
    return out.getvalue(), part.size


def _part(image: Image.Image, area: Area) -> Image.Image:
    width, height = image.size
    left, top = int(area.left * width), int(area.top * height)
    right, bottom = round(area.right * width), round(area.bottom * height)
    return image.crop((left, top, max(right, left + 1), max(bottom, top + 1)))


def enlarged(jpeg: bytes, area: Area, fit: Callable[[int, int], tuple[int, int]]) -> bytes:
    """A part of the picture, as large as helps to read it, as JPEG of quality 90."""
    from PIL import Image

    with Image.open(io.BytesIO(jpeg), formats=["JPEG"]) as image:
        width, height = image.size
        part = _part(image, area)
    scale = min(LARGEST, width / part.width, height / part.height)
    size = fit(round(part.width * scale), round(part.height * scale))
    out = io.BytesIO()
    part.resize(size, Image.Resampling.LANCZOS).save(out, "JPEG", quality=90)
    return out.getvalue()
