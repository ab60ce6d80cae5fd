"""The arguments of a call, under the family's names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..messages import Message
from ..types import FormatError, Point
from . import fields
from .coordinates import CoordinateSpace


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call, read by this program's names for them.

    `names`: name -> the family's names for it, separated by spaces; the first that has a value is
    used. Null, an empty text and an empty list are no values. A name that is missing is the same in
    both; each point must be there. Its coordinates may be two arguments: `{"at": "point x,y"}`
    reads `{"point": [1, 2]}` and `{"x": 1, "y": 2}`. "0" is the first argument without a name.
    """

    given: Mapping[str, Any]
    names: Mapping[str, str]
    space: CoordinateSpace

    def get(self, name: str, default: object = None) -> Any:
        """Return an argument; `default` if missing; None if null, or an empty text or list."""
        names = self.names.get(name, name).split()
        found = [self.given[each] for each in names if each in self.given]
        empty = None if found else default
        return next((each for each in found if each not in (None, "", [])), empty)

    def find_point(self, name: str = "at") -> Point | None:
        """Return a point; None if missing, also "None": at the pointer. Raises `FormatError`."""
        for each in self.names.get(name, "").split():
            x, _, y = each.partition(",")
            if y and (x in self.given or y in self.given):
                return self.space.to_point(self.given.get(x), self.given.get(y))
            value = self.given.get(each)
            if value not in (None, "None", "null"):
                return self.space.parse_point(value)
        return None

    def point(self, name: str = "at") -> Point:
        """Return a point. Raises `FormatError` if it is missing."""
        found = self.find_point(name)
        if found is None:
            raise FormatError(Message("format.no_point", name=self.names[name].split()[0]))
        return found

    def keys(self) -> tuple[str, ...]:
        return fields.parse_keys(self.get("keys"))

    def held_keys(self) -> tuple[str, ...]:
        """Return the modifiers of a mouse action; other words in a `description` are not keys."""
        named = self.get("held")
        if named not in (None, "None"):
            return fields.parse_keys(named)
        words = re.findall(r"\w+", self.text("description")[:200])
        return tuple(map(str.upper, words)) if all(map(fields.is_modifier, words)) else ()

    def count(self, name: str, default: int, most: int) -> int:
        found = self.get(name)
        return fields.parse_count(default if found is None else found, most)

    def text(self, name: str) -> str:
        """Return a text, "" if it is missing."""
        return str(self.get(name) or "").strip()

    def is_true(self, name: str, default: bool = False) -> bool:
        return str(self.get(name, default)).lower() in ("1", "true")
