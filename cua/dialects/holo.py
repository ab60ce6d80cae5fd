"""Holo: one JSON object per step with a note, a thought and one action, trained with a schema.

1.5 counts in pixels of the resized screenshot, 2 and later in thousandths. Tools whose names end in
`_desktop` are those of their own desktop harness and count in fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..types import FormatError, Keypress, Type
from . import json_actions
from .coordinates import FRACTIONS, CoordinateSpace
from .holding import Part
from .plain_json import PlainJson

_SHORTCUTS: dict[str, tuple[str, ...]] = {"go_back": ("ALT", "LEFT"), "refresh": ("F5",)}
_ELEMENT = {"element": {"type": "string", "maxLength": 200}}


class Holo3(PlainJson):
    """Its tool call is flat: `tool_name` stands beside the arguments."""

    name = "holo3"
    around_first = around = ("<observation>", "</observation>")
    schema: dict[str, Any] | None = json_actions.step(
        "tool_call",
        json_actions.schema(
            "tool_name", {"type": "write", "press": "hotkey", "done": "answer"}, **_ELEMENT
        ),
        notes=True,
    )

    def parts(self, value: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        if value.keys() == {"x", "y"}:  # what it answers when it is asked where something is
            return self.one("click", value, space)
        return super().parts(value, space)

    def one(self, verb: str, arguments: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        if verb.endswith("_desktop"):
            return self.one(verb.removesuffix("_desktop"), arguments, FRACTIONS)
        if verb == "goto":
            return _address(arguments)
        if verb in _SHORTCUTS:
            return [Keypress(keys=_SHORTCUTS[verb])]
        if verb == "write_element_abs":  # trained to press Enter after it
            return json_actions.parts("type", {**arguments, "press_enter": True}, space)
        plain = verb.removesuffix("_abs").removesuffix("_absolute").removesuffix("_element")
        return json_actions.parts(plain, arguments, space)


class Holo2(Holo3):
    name = "holo2"
    around_first = around = ("", "")
    schema: dict[str, Any] | None = json_actions.step(
        "action",
        json_actions.schema("action", {"click": "click_element", "done": "answer"}, **_ELEMENT),
        notes=True,
    )


class Holo15(Holo2):
    name = "holo15"
    scale = None
    factor = 28
    schema = None


def _address(arguments: Mapping[str, Any]) -> list[Part]:
    url = arguments.get("url")
    if not isinstance(url, str) or not url:
        raise FormatError("`goto` needs a `url`.")
    return [Keypress(keys=("CTRL", "L")), Type(text=url), Keypress(keys=("ENTER",))]
