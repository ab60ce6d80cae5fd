"""A screenshot as small as it stands in a list."""

from __future__ import annotations

import contextlib
import io

SIZE = (240, 150)


def small(jpeg: bytes) -> bytes | None:
    """None where the file is no whole picture."""
    from PIL import Image

    with contextlib.suppress(OSError):
        image = Image.open(io.BytesIO(jpeg))
        image.draft("RGB", SIZE)  # decodes no more than is needed
        image.thumbnail(SIZE)
        made = io.BytesIO()
        image.save(made, "JPEG", quality=70)
        return made.getvalue()
    return None
