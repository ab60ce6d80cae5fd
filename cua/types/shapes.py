"""What came over a line, in the shape that is expected of it; whoever sent it promises nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def parsed(text: str | bytes) -> Mapping[str, Any]:
    """The object that a text is as JSON; an empty one if it is none."""
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Mapping[str, Any]]:
    """The items of a list, each as an object; none if it is no list."""
    return [mapping(item) for item in value] if isinstance(value, list) else []
