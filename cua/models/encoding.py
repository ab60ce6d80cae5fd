"""JSON with pictures in it.

The json module looks at every character: a megabyte of Base64 would hold the event loop for
milliseconds, here it is only copied.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Picture(NamedTuple):
    """Stands in a structure where a string of Base64 is wanted, after `prefix`."""

    data: bytes
    prefix: bytes = b""


def encode(value: object) -> bytes:
    """`value` as JSON: mappings, lists and tuples, what json knows, and pictures."""
    return b"".join(_pieces(value))


def _pieces(value: object) -> Iterator[bytes]:
    if isinstance(value, Picture):
        yield from (b'"', value.prefix, base64.b64encode(value.data), b'"')
    elif isinstance(value, Mapping):
        for number, (name, item) in enumerate(value.items()):
            yield (b", " if number else b"{") + json.dumps(str(name)).encode() + b": "
            yield from _pieces(item)
        yield b"}" if value else b"{}"
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield b", " if number else b"["
            yield from _pieces(item)
        yield b"]" if value else b"[]"
    else:
        yield json.dumps(value).encode()
