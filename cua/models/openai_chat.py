"""OpenAI's chat completions, which nearly every server supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cua.types import ChatMessage, Frame, ModelError, Reply, ToolCall, mapping, mappings

from . import errors
from .encoding import Picture
from .endpoint import ModelEndpoint
from .openai_client import OpenAIClient
from .reply_builder import ReplyBuilder, as_text

REASONING = ("reasoning_content", "reasoning", "thinking")


class OpenAIChat(OpenAIClient):
    def __init__(self, peer: ModelEndpoint) -> None:
        super().__init__(peer)
        self._extras = ["stream_options", "response_format"]

    def _fall_back(self, error: ModelError) -> bool:
        named = next((name for name in self._extras if name in errors.quote(error)), "")
        if not (named and isinstance(error, errors.UnknownFieldError)):
            return False
        self._extras.remove(named)
        self._peer.notify(errors.unsupported(named))
        return True

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply:
        builder = ReplyBuilder(self._peer.show)
        extras = {name: it for name, it in _extras(schema).items() if name in self._extras}
        fields = {"model": self._peer.model, "stream": True, **extras, **self._peer.sampling}
        body = {**fields, "messages": [_turn(message) for message in messages]}
        await self.stream("/chat/completions", body, builder, _read)
        return builder.reply()


def _extras(schema: Mapping[str, Any] | None) -> dict[str, object]:
    """Optional fields: token counts, and replies that fit the schema."""
    extras: dict[str, object] = {"stream_options": {"include_usage": True}}
    if schema is not None:
        fit = {"name": "reply", "strict": True, "schema": schema}
        extras["response_format"] = {"type": "json_schema", "json_schema": fit}
    return extras


def _turn(message: ChatMessage) -> dict[str, object]:
    """Text alone is a plain string: models without vision accept nothing else."""
    texts = [as_text(part) for part in message.parts if not isinstance(part, Frame)]
    if len(texts) == len(message.parts):
        return {"role": message.role, "content": "\n".join(texts)}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Frame | ToolCall) -> dict[str, object]:
    if isinstance(part, Frame):
        url = Picture(part.jpeg, b"data:image/jpeg;base64,")
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": as_text(part)}


def _read(chunk: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """Read a chunk of unknown shape."""
    if usage := mapping(chunk.get("usage")):
        cached = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
        builder.count(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
    for choice in mappings(chunk.get("choices"))[:1]:
        builder.choices += 1
        _read_delta(mapping(choice.get("delta")), builder)
        if isinstance(finish := choice.get("finish_reason"), str):
            builder.finish = builder.finish or finish


def _read_delta(delta: Mapping[str, Any], builder: ReplyBuilder) -> None:
    builder.say(delta.get("content") or delta.get("refusal"))
    builder.think(next(filter(None, map(delta.get, REASONING)), None))
    for call in mappings(delta.get("tool_calls")):
        function = mapping(call.get("function"))
        index = str(call.get("index"))
        builder.call(index, function.get("name"), function.get("arguments"), call.get("id"))
