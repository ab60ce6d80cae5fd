"""Encode JSON that contains pictures.

The json module inspects every character: a megabyte of Base64 would block the event loop for
milliseconds. Here the Base64 is only copied.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """Placeholder for a string: `prefix` and `data` in Base64."""

    data: bytes
    prefix: bytes = b""


def encode(value: object) -> bytes:
    """Return `value` as JSON: mappings, lists, tuples, pictures and everything that json knows."""
    pictures: list[Picture] = []
    mark = secrets.token_hex(16)

    def put_mark(picture: Picture) -> str:
        pictures.append(picture)
        return mark

    first, *rest = json.dumps(value, default=put_mark).encode().split(mark.encode())
    pieces = [first]
    for picture, after in zip(pictures, rest, strict=True):
        pieces += [picture.prefix, base64.b64encode(picture.data), after]
    return b"".join(pieces)
