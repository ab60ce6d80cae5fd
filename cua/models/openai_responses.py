"""OpenAI's Responses API, with its own computer tool.

The server stores nothing: each request contains the whole conversation, and the model's output is
sent back item by item, with its encrypted reasoning. The result of a call is the screenshot after
it; once that is dropped, the call is sent as text, because the tool requires an image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cua.types import ChatMessage, Frame, Schema, ToolCall, as_object

from .message_parts import as_data_url, as_text, build_content, find_screen_size, split_system
from .provider import TOOL, OpenAIProvider, Request
from .reply_builder import ReplyBuilder

ENCRYPTED = "reasoning.encrypted_content"
FINISH = {"max_output_tokens": "length", "content_filter": "content_filter"}


@dataclass
class _Received(ReplyBuilder):
    """Also keeps the items, to send them back."""

    items: list[Mapping[str, Any]] = field(default_factory=list)

    def read(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "response.output_item.added":
            self.has_begun = True
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            self.say(event.get("delta"))
        elif kind == "response.reasoning_summary_text.delta":
            self.think(event.get("delta"))
        elif kind == "response.output_item.done":
            self._item(as_object(event.get("item")))
        elif kind in ("response.completed", "response.incomplete"):
            self._read_end(as_object(event.get("response")))

    def output(self) -> list[Any]:
        return self.items

    def _item(self, item: Mapping[str, Any]) -> None:
        self.items.append({k: v for k, v in item.items() if v is not None})
        key = str(item.get("call_id") or len(self.items))
        if item.get("type") == "computer_call":
            names = ("id", "action", "actions", "pending_safety_checks")
            arguments = {name: item[name] for name in names if item.get(name)}
            self.call_object(key, "computer", arguments)
        elif item.get("type") == "function_call":
            self.call(key, item.get("name"), item.get("arguments"), key)

    def _read_end(self, response: Mapping[str, Any]) -> None:
        usage = as_object(response.get("usage"))
        cached = as_object(usage.get("input_tokens_details")).get("cached_tokens")
        self.count(usage.get("input_tokens"), usage.get("output_tokens"), cached)
        why = as_object(response.get("incomplete_details")).get("reason")
        if self.has_begun:
            self.finish = FINISH.get(why, why) if isinstance(why, str) else "stop"


class OpenAIResponses(OpenAIProvider):
    BUILDER = _Received
    TOOLS = ("computer", "computer_use_preview")
    OPTIONAL_FIELDS = ("text.format",)
    OPTIONAL_PARTS = (("computer", TOOL), ("encrypted", ENCRYPTED), ("reasoning", ENCRYPTED))

    def _make_request(self, messages: Sequence[ChatMessage], schema: Schema) -> Request:
        system, turns = split_system(messages)
        body: dict[str, Any] = {"model": self._endpoint.model, "stream": True, "store": False}
        if system:
            body["instructions"] = "\n".join(system)
        if self._tools:
            body |= {"tools": [_tool(self._tools[0], messages)], "truncation": "auto"}
        if ENCRYPTED not in self._left_out:
            body["include"] = [ENCRYPTED]
        if schema is not None and "text.format" not in self._left_out:
            fit = {"type": "json_schema", "name": "reply", "strict": True, "schema": schema}
            body["text"] = {"format": fit}
        body |= {"input": self._items(turns), **self._endpoint.sampling}
        return "/responses", body, {}

    def _items(self, turns: Sequence[ChatMessage]) -> list[Mapping[str, Any]]:
        items: list[Mapping[str, Any]] = []
        made: list[ToolCall] = []
        for turn, after in zip(turns, [*turns[1:], None], strict=True):
            if turn.role == "user":
                items += _answer(turn, made)
                continue
            made = self._computer_calls(turn) if after and after.screenshots else []
            items += self._model_turn(turn, made)
        return items

    def _computer_calls(self, turn: ChatMessage) -> list[ToolCall]:
        """Return the calls of the computer tool, if offered: others are sent as text."""
        made = turn.calls
        ours = all(call.name == "computer" and call.arguments.get("id") for call in made)
        return made if self._tools and ours else []

    def _model_turn(self, turn: ChatMessage, made: Sequence[ToolCall]) -> list[Mapping[str, Any]]:
        """Return a reply of the model, in its original items if they are still stored."""
        if known := self._output_of(made):
            return known
        said = "\n".join(as_text(part) for part in turn.texts_and_calls if part not in made)
        text = {"type": "message", "role": "assistant", "content": said}
        return [*([text] if said else []), *map(_call, made)]  # llama.cpp requires the type


def _tool(kind: str, messages: Sequence[ChatMessage]) -> dict[str, object]:
    if kind == "computer":
        return {"type": kind}
    width, height = find_screen_size(messages)
    size = {"display_width": width, "display_height": height}
    return {"type": kind, "environment": "linux", **size}


def _call(call: ToolCall) -> dict[str, Any]:
    known = {k: v for k, v in call.arguments.items() if k in ("id", "action", "actions")}
    checks = call.arguments.get("pending_safety_checks", [])
    rest = {"status": "completed", "pending_safety_checks": checks}
    return {"type": "computer_call", "call_id": call.id, **known, **rest}


def _answer(turn: ChatMessage, answered: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Return a user turn; it begins with the results of calls, the screenshot after them."""
    outputs = [_output(call, _picture(turn.screenshots[-1])) for call in answered]
    parts = build_content(turn, lambda text: {"type": "input_text", "text": text}, _input_image)
    if not outputs:
        parts += map(_input_image, turn.screenshots)
    return [*outputs, *([{"role": "user", "content": parts}] if parts else [])]


def _output(call: ToolCall, picture: Mapping[str, Any]) -> dict[str, Any]:
    confirmed = call.arguments.get("safety_acknowledgement") is True
    checks = call.arguments.get("pending_safety_checks") if confirmed else None
    return {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", **picture},
        **({"acknowledged_safety_checks": checks} if checks else {}),
    }


def _input_image(frame: Frame) -> dict[str, Any]:
    return {"type": "input_image", **_picture(frame)}


def _picture(frame: Frame) -> dict[str, Any]:
    return {
        "image_url": as_data_url(frame),
        "detail": "original",  # other values resize it, so that clicks miss
    }
