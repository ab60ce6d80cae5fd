"""Plain JSON, for models that were not trained on any action language.

`{"thought": "…", "action": {"kind": "click", "x": 500, "y": 300}}` in thousandths; a server that
can hold its model to a JSON schema is given ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..types import FormatError, ParsedReply
from . import json_actions, tool_calls
from .coordinates import CoordinateSpace
from .family import Family
from .holding import Part, join_parts
from .received_reply import ReceivedReply

TEACHING = (
    'Write one JSON object such as {"thought": "…", '
    '"action": {"kind": "click", "x": 500, "y": 300}}.'
)


class PlainJson(Family):
    name = "json"
    schema: dict[str, Any] | None = json_actions.step("action", json_actions.schema("kind", {}))

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, TEACHING)
        if not calls:
            raise FormatError(f"There was no JSON in the reply. {TEACHING}")
        thoughts, parts = [words], []
        for call in calls:
            value = {"name": call.name, **call.arguments} if call.name else call.arguments
            thoughts += [str(value[name]) for name in ("note", "thought") if value.get(name)]
            parts += self.parts(value, reply.space)
        return ParsedReply("\n".join(filter(None, thoughts)), tuple(join_parts(parts)))

    def parts(self, value: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        """Of one object, which holds its action, a list of them, or is one itself."""
        inner = value.get("action", value.get("tool_call", value.get("actions")))
        if not isinstance(inner, (dict, list)):
            inner = value
        found: list[Part] = []
        for each in inner if isinstance(inner, list) else [inner]:
            if not isinstance(each, dict):
                raise FormatError(f"An action is a JSON object. {TEACHING}")
            found += self.one(*json_actions.tagged(each), space)
        return found

    def one(self, verb: str, arguments: Mapping[str, Any], space: CoordinateSpace) -> list[Part]:
        return json_actions.parts(verb, arguments, space)
