"""Holo: one JSON object per step with a note, a thought and one action, trained with a schema.

1.5 counts in pixels of the resized screenshot, 2 and later in thousandths. Tools whose names end in
`_desktop` are those of their own desktop harness and count in fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..types import Schema
from . import action_readers
from .action_readers import Reader, press
from .coordinates import FRACTIONS, CoordinateSpace
from .plain_json import PlainJson, make_schema
from .press_release import Part

_ELEMENT = {"type": "string", "maxLength": 200}


class Holo3(PlainJson):
    """Writes flat tool calls: `tool_name` is beside the arguments."""

    around_first = around = ("<observation>", "</observation>")
    schema: Schema = make_schema(
        "tool_call",
        "tool_name",
        {"type": "write", "press": "hotkey", "done": "answer"},
        notes=True,
        element=_ELEMENT,
    )
    aliases: Mapping[str, Reader] = {
        **PlainJson.aliases,
        "goto": action_readers.open_address,
        "go_back": press("ALT", "LEFT"),
        "refresh": press("F5"),
        "write_element_abs": action_readers.type_text(enter=True),
    }

    def read_object(self, value: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        if value.keys() == {"x", "y"}:  # its answer if asked where something is
            return self.read_action("click", value, space)
        return super().read_object(value, space)

    def read_action(
        self, name: object, given: Mapping[str, Any], space: CoordinateSpace
    ) -> list[Part]:
        plain = str(name)
        if plain.endswith("_desktop"):
            return self.read_action(plain.removesuffix("_desktop"), given, FRACTIONS)
        if plain not in self.aliases:
            plain = plain.removesuffix("_abs").removesuffix("_absolute").removesuffix("_element")
        return super().read_action(plain, given, space)


class Holo2(Holo3):
    around_first = around = ("", "")
    schema: Schema = make_schema(
        "action",
        "action",
        {"click": "click_element", "done": "answer"},
        notes=True,
        element=_ELEMENT,
    )


class Holo15(Holo2):
    coordinate_space = None
    factor = 28
    schema = None
