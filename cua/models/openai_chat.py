"""OpenAI's chat completions, which nearly every server supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cua.types import ChatMessage, Frame, Schema, ToolCall, as_object, as_objects

from .message_parts import as_data_url, as_text, find_texts
from .provider import OpenAIProvider, Request
from .reply_builder import ReplyBuilder

REASONING = ("reasoning_content", "reasoning", "thinking")


class _Received(ReplyBuilder):
    def read(self, event: Mapping[str, Any]) -> None:
        if usage := as_object(event.get("usage")):
            cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
            self.count(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
        for choice in as_objects(event.get("choices"))[:1]:
            self.has_begun = True
            self._read_delta(as_object(choice.get("delta")))
            if isinstance(finish := choice.get("finish_reason"), str):
                self.finish = self.finish or finish

    def _read_delta(self, delta: Mapping[str, Any]) -> None:
        self.say(delta.get("content") or delta.get("refusal"))
        self.think(next(filter(None, map(delta.get, REASONING)), None))
        for call in as_objects(delta.get("tool_calls")):
            self.call_piece(call)


class OpenAIChat(OpenAIProvider):
    BUILDER = _Received
    OPTIONAL_FIELDS = ("stream_options", "response_format")

    def _make_request(self, messages: Sequence[ChatMessage], schema: Schema) -> Request:
        body: dict[str, object] = {"model": self._endpoint.model, "stream": True}
        if "stream_options" not in self._left_out:
            body["stream_options"] = {"include_usage": True}
        if schema is not None and "response_format" not in self._left_out:
            fit = {"name": "reply", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": fit}
        body |= {**self._endpoint.sampling, "messages": list(map(_turn, messages))}
        return "/chat/completions", body, {}


def _turn(message: ChatMessage) -> dict[str, object]:
    """Return a turn; text alone is a plain string: models without vision accept nothing else."""
    if not any(isinstance(part, Frame) for part in message.parts):
        return {"role": message.role, "content": "\n".join(find_texts(message))}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Frame | ToolCall) -> dict[str, object]:
    if isinstance(part, Frame):
        return {"type": "image_url", "image_url": {"url": as_data_url(part)}}
    return {"type": "text", "text": as_text(part)}
