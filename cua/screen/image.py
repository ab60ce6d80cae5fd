"""Functions of pictures: size without decoding, comparison, scaling and cropping.

Live frames are never byte-identical (clocks, capture noise), and a typed letter hardly changes the
mean of a whole frame. So the JPEG decoder scales frames down to a small grey picture, which is
compared cell by cell.
"""

from __future__ import annotations

import functools
import io
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING

from ..types import Area, SentSize

if TYPE_CHECKING:
    from PIL import Image

SKETCH_PX = (256, 144)
"""Width and height of a sketch; each pixel is the mean of about 5 x 5 of a 720p screen."""
EDGE_LEVELS, MIN_EDGE_CELLS = 4, 8
"""Least grey levels of a cell with edges, and least number of such cells to measure noise."""
MAX_NOISE_RATIO = 3.0
"""Ratio of the noise in the noisiest cell with edges to the median."""
MAX_ZOOM = 4.0
MAX_PIXELS = 4096 * 2304
_LANCZOS = 1  # PIL.Image.Resampling.LANCZOS; PIL is imported on use
_NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})  # in the range of frame headers, but not one


def jpeg_size(jpeg: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels; None if not a JPEG or larger than `MAX_PIXELS`."""
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
    """Decode to a small grey picture. Raises OSError on a malformed JPEG."""
    from PIL import Image

    image = open_jpeg(jpeg)
    image.draft("L", SKETCH_PX)
    return image.convert("L").resize(SKETCH_PX, Image.Resampling.BOX)


def differences(a: Image.Image, b: Image.Image, cell: int) -> bytes:
    """Return the mean difference of each cell of `cell` x `cell` pixels, in grey levels."""
    from PIL import ImageChops

    return ImageChops.difference(a, b).reduce(cell).tobytes()


def details(picture: Image.Image, cell: int) -> bytes:
    """Return the amount of edges in each cell: the mean difference between neighbours."""
    from PIL import ImageChops

    return differences(picture, ImageChops.offset(picture, 1, 1), cell)


def noise(found: bytes, detailed: bytes) -> float:
    """Return the median difference of cells with edges, where encoders produce noise."""
    rough = [by for by, edges in zip(found, detailed, strict=True) if edges >= EDGE_LEVELS]
    return median(rough) if len(rough) >= MIN_EDGE_CELLS else 0.0


def resize_jpeg(jpeg: bytes, width: int, height: int) -> bytes:
    return encode_jpeg(open_jpeg(jpeg).resize((width, height), _LANCZOS), 85)


def enlarge_jpeg(jpeg: bytes, area: Area, sent_size: SentSize) -> bytes:
    """Crop and enlarge a JPEG, at most to the size of the whole picture."""
    image = open_jpeg(jpeg)
    part = _crop(image, area)
    scale = min(MAX_ZOOM, image.width / part.width, image.height / part.height)
    size = sent_size(round(part.width * scale), round(part.height * scale))
    return encode_jpeg(part.resize(size, _LANCZOS), 90)


def encode_jpeg(image: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()


def cut_png(jpeg: bytes, box: tuple[int, int, int, int], title: str = "") -> bytes:
    """Return the part at `box` (left, top, right and bottom in pixels) as a PNG with a title."""
    from PIL.PngImagePlugin import PngInfo

    out, info = io.BytesIO(), PngInfo()
    if title:
        info.add_itxt("Title", title)
    open_jpeg(jpeg).crop(box).save(out, "PNG", pnginfo=info)
    return out.getvalue()


def png_title(png: bytes) -> str:
    """Return the title of a PNG; "" if it has none, or is none."""
    from PIL import Image

    with suppress(OSError, ValueError), Image.open(io.BytesIO(png), formats=["PNG"]) as image:
        return str(image.info.get("Title", ""))
    return ""


def open_jpeg(jpeg: bytes) -> Image.Image:
    """Open without `PIL.Image.open`, which imports five formats. Raises OSError if malformed."""
    from PIL.JpegImagePlugin import JpegImageFile

    try:
        return JpegImageFile(io.BytesIO(jpeg))
    except SyntaxError as error:
        raise OSError(str(error)) from error


def _crop(image: Image.Image, area: Area) -> Image.Image:
    width, height = image.size
    left, top = int(area.left * width), int(area.top * height)
    right, bottom = round(area.right * width), round(area.bottom * height)
    return image.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
