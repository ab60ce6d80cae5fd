"""JSON values and texts of other programs, converted to the expected type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def parse_object(text: str | bytes) -> Mapping[str, Any]:
    """Parse a JSON object; {} if it is not one."""
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def as_object(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object, else {}."""
    return value if isinstance(value, Mapping) else {}


def as_objects(value: object) -> list[Mapping[str, Any]]:
    """Return the items of a list as objects; [] if it is not a list."""
    return [as_object(item) for item in value] if isinstance(value, list) else []


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
