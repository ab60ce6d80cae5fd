"""Claude, with its own computer tool.

The tool has three generations, and each model supports some of them: they are offered from the
newest on until the server accepts one. Replies with calls are sent back unchanged, with thinking
and signatures, which newer models require; they are kept while the conversation contains them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cua.types import ChatMessage, Frame, Schema, ToolCall, as_object

from .message_parts import as_base64, build_content, find_screen_size, find_texts, split_system
from .provider import CALL_RESULT, OUTPUTS, TOOL, HttpProvider, Request
from .reply_builder import ReplyBuilder

ZOOM_TOOL = "computer_20251124"
"""The generation that needs zoom to be enabled."""
UNUSED = ("cursor_position", "hold_key")
"""Members of the toolset that are not supported here."""
MAX_TOKENS = 4096
"""Tokens of a reply at most, which the API requires; `sampling` may set its own `max_tokens`."""
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
CACHED = {"cache_control": {"type": "ephemeral"}}
VERSION = "2026-10-21"
"""The API version."""


@dataclass
class _Received(ReplyBuilder):
    """Also keeps the content blocks, to send them back."""

    _blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    _pieces: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """(block, field) -> pieces of its text."""
    _usage: dict[str, Any] = field(default_factory=dict)

    def read(self, event: Mapping[str, Any]) -> None:
        kind, index = event.get("type"), str(event.get("index"))
        if kind == "message_start":
            self._count(as_object(event.get("message")).get("usage"))
        elif kind == "content_block_start":
            self.has_begun = True
            self._start(index, as_object(event.get("content_block")))
        elif kind == "content_block_delta":
            self._grow(index, as_object(event.get("delta")))
        elif kind == "message_delta":
            self._count(event.get("usage"))
            if isinstance(reason := as_object(event.get("delta")).get("stop_reason"), str):
                self.finish = FINISH.get(reason, reason)

    def output(self) -> list[Any]:
        """Return the blocks; none if a call in them is invalid."""
        used = [key for key, block in self._blocks.items() if block.get("type") == "tool_use"]
        if len(used) != len(self._valid_calls()):
            return []
        for (key, name), pieces in self._pieces.items():
            self._blocks[key][name] = str(self._blocks[key].get(name) or "") + "".join(pieces)
        for key in used:
            self._blocks[key]["input"] = json.loads(self._calls[key].text or "{}")
        return list(self._blocks.values())

    def _start(self, index: str, block: Mapping[str, Any]) -> None:
        self._blocks[index] = dict(block)
        if block.get("type") == "tool_use":
            self.call(index, block.get("name"), "", block.get("id"))
        self.say(block.get("text"))

    def _grow(self, index: str, delta: Mapping[str, Any]) -> None:
        self._blocks.setdefault(index, {})
        self.say(delta.get("text"))
        self.think(delta.get("thinking"))
        if "partial_json" in delta:
            self.call(index, "", delta["partial_json"])
        for name in ("text", "thinking", "signature"):
            if isinstance(piece := delta.get(name), str):
                self._pieces.setdefault((index, name), []).append(piece)

    def _count(self, usage: object) -> None:
        self._usage.update({k: v for k, v in as_object(usage).items() if isinstance(v, int)})
        cached = self._usage.get("cache_read_input_tokens", 0)
        written = self._usage.get("cache_creation_input_tokens", 0)
        tokens_in = self._usage.get("input_tokens", 0) + cached + written
        self.count(tokens_in, self._usage.get("output_tokens", 0), cached)


class Anthropic(HttpProvider):
    BUILDER = _Received
    TOOLS = (
        ("computer_toolset_20260801", ""),
        ("computer_20251124", "computer-use-2025-11-24"),
        ("computer_20250124", "computer-use-2025-01-24"),
    )
    """Types of the computer tool, each with its beta header."""
    DEFAULT_URL = "https://api.anthropic.com"
    ENDINGS = ("/v1",)
    LIST_PATH = "/v1/models"
    OPTIONAL_FIELDS = ("output_config",)
    OPTIONAL_PARTS = (("computer_", TOOL), ("thinking", OUTPUTS), ("thinking", "calls"))
    """The server may refuse its old thinking, and calls without their thinking."""

    def _authentication(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}", "anthropic-version": VERSION}

    def _make_request(self, messages: Sequence[ChatMessage], schema: Schema) -> Request:
        system, turns = split_system(messages)
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "max_tokens": MAX_TOKENS,
            "stream": True,
        }
        if system:
            body["system"] = list(map(_text, system))
        if self._tools:
            body["tools"] = [_tool(self._tools[0][0], messages)]
        if schema is not None and "output_config" not in self._left_out:
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        body |= {"messages": self._turns(turns), **self._endpoint.sampling}
        beta = self._tools[0][1] if self._tools else ""
        return "/v1/messages", body, {"anthropic-beta": beta} if beta else {}

    def _turns(self, messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = []
        made: list[dict[str, Any]] = []
        for message in messages:
            if message.role == "assistant":
                content = self._model_turn(message)
            else:
                content = _answer(message, made)
            made = [block for block in content if block.get("type") == "tool_use"]
            turns.append({"role": message.role, "content": content})
        if turns and turns[-1]["role"] == "user":
            turns[-1]["content"][-1].update(CACHED)
        return turns

    def _model_turn(self, message: ChatMessage) -> list[dict[str, Any]]:
        """Return a reply of the model, unchanged if it is still stored."""
        if known := self._output_of(message.calls):
            return known
        if "calls" in self._left_out:
            return list(map(_text, find_texts(message)))
        toolset = bool(self._tools) and self._tools[0][0].startswith("computer_toolset")
        return [
            _call(part, toolset) if isinstance(part, ToolCall) else _text(part)
            for part in message.texts_and_calls
        ]


def _tool(kind: str, messages: Sequence[ChatMessage]) -> dict[str, object]:
    if kind.startswith("computer_toolset"):
        return {"type": kind, "configs": {name: {"enabled": False} for name in UNUSED}}
    width, height = find_screen_size(messages)
    size = {"display_width_px": width, "display_height_px": height}
    zoom = {"enable_zoom": True} if kind == ZOOM_TOOL else {}
    return {"type": kind, "name": "computer", **size, **zoom}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(call: ToolCall, toolset: bool) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
    return {**block, "toolset_name": "computer"} if toolset else block


def _answer(message: ChatMessage, answered: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a user turn; after calls it begins with their results, the last with a screenshot."""
    pictures = list(map(_picture, message.screenshots))
    said = build_content(message, _text, _picture)
    if not answered:
        return [*said, *pictures]
    results = [_result(call) for call in answered]
    if pictures:
        results[-1]["content"] = pictures
    return [*results, *said]


def _result(call: Mapping[str, Any]) -> dict[str, Any]:
    toolset = {"toolset_name": call["toolset_name"]} if "toolset_name" in call else {}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": CALL_RESULT}
    return {**result, **toolset}


def _picture(frame: Frame) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/jpeg", "data": as_base64(frame)}
    return {"type": "image", "source": source}
