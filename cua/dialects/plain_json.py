"""Plain JSON, for models that were not trained on any action language.

`{"thought": "…", "action": {"kind": "click", "x": 500, "y": 300}}` in thousandths; a server that
supports JSON schemas gets ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..messages import Message, sentences
from ..types import FormatError, NoAction, ParsedReply, Reply, Schema
from . import action_readers, computer_use, tool_calls
from .action_readers import Reader, click
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace
from .press_release import Part, join_parts

TAGS = ("kind", "action", "tool_name", "type", "name")
"""Keys of an object that may contain the action's name; the first one present counts."""
_SAID = "text content message"


def _points(*names: str) -> dict[str, Any]:
    return {name: {"type": "integer", "minimum": 0, "maximum": 1000} for name in names}


def _text(name: str, max_chars: int) -> dict[str, Any]:
    return {name: {"type": "string", "maxLength": max_chars}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def make_schema(
    outer: str,
    tag: str,
    names: Mapping[str, str] | None = None,
    more: Mapping[str, dict[str, Any]] | None = None,
    *,
    notes: bool = False,
    **described: Any,
) -> dict[str, Any]:
    """Return the JSON schema of a reply: a note if `notes`, a thought, and in `outer` one action.

    `tag`: key of the action's name; `names`: our action -> the family's name; `more`: the family's
    other actions, with their properties; `described`: properties before the point of every action
    with one.
    """
    at = {**described, **_points("x", "y")}
    direction = {"direction": {"enum": ["up", "down", "left", "right"]}}
    amount = {"amount": {"type": "integer", "minimum": 1, "maximum": 20}}
    arguments: dict[str, dict[str, Any]] = {
        "click": at,
        "double_click": at,
        "right_click": at,
        "move": at,
        "drag": {**at, **_points("to_x", "to_y")},
        "scroll": {**at, **direction, **amount},
        "type": _text("text", 1000),
        "press": _text("keys", 40),
        "wait": {"seconds": {"type": "integer", "minimum": 1, "maximum": 60}},
        "done": _text("answer", 1000),
        "fail": _text("reason", 500),
        "ask": _text("question", 500),
        **(more or {}),
    }
    called = {**{name: name for name in arguments}, **(names or {})}
    actions = [
        _object({tag: {"const": called[name]}, **given}) for name, given in arguments.items()
    ]
    note = {"note": {"anyOf": [{"type": "string", "maxLength": 600}, {"type": "null"}]}}
    return _object({**(note if notes else {}), **_text("thought", 600), outer: {"anyOf": actions}})


KVM_ACTIONS: dict[str, dict[str, Any]] = {
    "power": {"button": {"enum": list(action_readers.CASE_BUTTONS)}},
    "mount": {**_text("image", 500), "drive": {"enum": ["cdrom", "disk"]}},
    "eject": {},
}
"""Actions of the KVM itself -> their properties in a reply."""


class PlainJson(BaseDialect):
    format_hint = Message(
        "format.write_json",
        example='{"thought": "…", "action": {"kind": "click", "x": 500, "y": 300}}',
    )
    schema: Schema = make_schema("action", "kind", more=KVM_ACTIONS)
    argument_names: Mapping[str, str] = {
        **computer_use.ARGUMENT_NAMES,
        "end": f"to_x,to_y {computer_use.ARGUMENT_NAMES['end']}",
        "field": computer_use.ARGUMENT_NAMES["at"],
        "keys": "keys key",
        "clear": "",
        "enter": "press_enter",
        "seconds": "seconds time",
        "answer": f"answer reason question {_SAID}",
        "reason": f"answer reason question {_SAID}",
        "question": f"answer reason question {_SAID}",
    }
    actions: Mapping[str, Reader] = {
        "click": click(),
        "double_click": click(count=2),
        "right_click": click("right"),
        "move": action_readers.move,
        "drag": action_readers.drag,
        "scroll": action_readers.scroll,
        "type": action_readers.type_text(),
        "press": action_readers.press_keys,
        "wait": action_readers.wait(2),
        "done": action_readers.finish,
        "fail": action_readers.fail,
        "ask": action_readers.ask,
        "power": action_readers.press_case_button,
        "mount": action_readers.mount,
        "eject": action_readers.eject,
    }
    aliases: Mapping[str, Reader] = {
        "left_click": click(),
        "middle_click": click("middle"),
        "triple_click": click(count=3),
        "write": action_readers.type_text(),
        "key": action_readers.press_keys,
        "hotkey": action_readers.press_keys,
        "answer": action_readers.finish,
        "finish": action_readers.finish,
    }

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, self.format_hint)
        if not calls:
            raise NoAction(sentences(Message("format.no_json"), self.format_hint), words)
        thoughts, parts = [words], []
        for call in calls:
            value = {"name": call.name, **call.arguments} if call.name else call.arguments
            thoughts += [str(value[name]) for name in ("note", "thought") if value.get(name)]
            parts += self.read_object(value, space)
        return ParsedReply("\n".join(filter(None, thoughts)), join_parts(parts))

    def read_object(self, value: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        """Return the actions of an object, which contains one or a list of them, or is one."""
        inner = value.get("action", value.get("tool_call", value.get("actions")))
        if not isinstance(inner, (dict, list)):
            inner = value
        parts: list[Part] = []
        for each in inner if isinstance(inner, list) else [inner]:
            if not isinstance(each, dict):
                raise FormatError(sentences(Message("format.not_object"), self.format_hint))
            tags = (each[tag] for tag in TAGS if isinstance(each.get(tag), str))
            name = next(tags, None)
            if name is None:
                raise FormatError(Message("format.no_tag"))
            parts += self.read_action(name.strip().lower(), each, space)
        return parts
