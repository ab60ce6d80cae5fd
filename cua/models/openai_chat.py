"""OpenAI's chat completions, which nearly every server supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cua.types import ChatMessage, Frame, Reply, ToolCall, as_object, as_objects

from .encoding import Picture
from .http_provider import OpenAIProvider
from .provider import find_texts
from .reply_builder import ReplyBuilder, as_text

REASONING = ("reasoning_content", "reasoning", "thinking")


class OpenAIChat(OpenAIProvider):
    OPTIONAL_FIELDS = ("stream_options", "response_format")

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply:
        builder = ReplyBuilder(self._endpoint.show)
        optional = {k: it for k, it in _optional(schema).items() if k not in self._left_out}
        fields = {
            "model": self._endpoint.model,
            "stream": True,
            **optional,
            **self._endpoint.sampling,
        }
        body = {**fields, "messages": [_turn(message) for message in messages]}
        await self.stream("/chat/completions", body, builder, _read)
        return builder.reply()


def _optional(schema: Mapping[str, Any] | None) -> dict[str, object]:
    """Optional fields: token counts, and replies that fit the schema."""
    fields: dict[str, object] = {"stream_options": {"include_usage": True}}
    if schema is not None:
        fit = {"name": "reply", "strict": True, "schema": schema}
        fields["response_format"] = {"type": "json_schema", "json_schema": fit}
    return fields


def _turn(message: ChatMessage) -> dict[str, object]:
    """Text alone is a plain string: models without vision accept nothing else."""
    if not any(isinstance(part, Frame) for part in message.parts):
        return {"role": message.role, "content": "\n".join(find_texts(message))}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Frame | ToolCall) -> dict[str, object]:
    if isinstance(part, Frame):
        url = Picture(part.jpeg, b"data:image/jpeg;base64,")
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": as_text(part)}


def _read(chunk: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """Read a chunk of unknown shape."""
    if usage := as_object(chunk.get("usage")):
        cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
        builder.count(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
    for choice in as_objects(chunk.get("choices"))[:1]:
        builder.choices += 1
        _read_delta(as_object(choice.get("delta")), builder)
        if isinstance(finish := choice.get("finish_reason"), str):
            builder.finish = builder.finish or finish


def _read_delta(delta: Mapping[str, Any], builder: ReplyBuilder) -> None:
    builder.say(delta.get("content") or delta.get("refusal"))
    builder.think(next(filter(None, map(delta.get, REASONING)), None))
    for call in as_objects(delta.get("tool_calls")):
        builder.call_piece(call)
