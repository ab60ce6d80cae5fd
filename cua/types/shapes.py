"""What came over a line, in the shape that is expected of it; whoever sent it promises nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def parse_object(text: str | bytes) -> Mapping[str, Any]:
    """The object that a text is as JSON; an empty one if it is none."""
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def as_object(value: object) -> Mapping[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_objects(value: object) -> list[Mapping[str, Any]]:
    """The items of a list, each as an object; none if it is no list."""
    return [as_object(item) for item in value] if isinstance(value, list) else []
