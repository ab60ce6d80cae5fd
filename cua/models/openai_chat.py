"""Chat completions as OpenAI defined them and nearly every server speaks them, through its SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall, mapping, mappings

from . import faults
from .conceding import conceding
from .draft import Draft, plain
from .encoding import Picture
from .openai_client import OpenAIClient
from .peer import Peer

REASONING = ("reasoning_content", "reasoning", "thinking")


class OpenAIChat(OpenAIClient):
    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)
        self._extras = ["stream_options", "response_format"]

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        return await conceding(lambda: self._ask(messages, schema), self._concede)

    def _concede(self, error: ModelError) -> bool:
        named = next((name for name in self._extras if name in str(error)), "")
        if not (named and isinstance(error, faults.UnknownFieldError)):
            return False
        self._extras.remove(named)
        self._peer.notify(f"The server knows no `{named}`: going on without it.")
        return True

    async def _ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        draft = Draft(self._peer.show)
        extras = {name: it for name, it in _extras(schema).items() if name in self._extras}
        fields = {"model": self._peer.model, "stream": True, **extras, **self._peer.sampling}
        body = {**fields, "messages": [_turn(message) for message in messages]}
        await self.stream("/chat/completions", body, draft, _read)
        return draft.reply()


def _extras(schema: Mapping[str, Any] | None) -> dict[str, object]:
    """What one asks for but can do without: token counts, and replies that fit the schema."""
    extras: dict[str, object] = {"stream_options": {"include_usage": True}}
    if schema is not None:
        fit = {"name": "reply", "strict": True, "schema": schema}
        extras["response_format"] = {"type": "json_schema", "json_schema": fit}
    return extras


def _turn(message: Message) -> dict[str, object]:
    """A turn of text alone is a plain string: models without eyes take nothing else."""
    texts = [plain(part) for part in message.parts if not isinstance(part, Frame)]
    if len(texts) == len(message.parts):
        return {"role": message.role, "content": "\n".join(texts)}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Frame | ToolCall) -> dict[str, object]:
    if isinstance(part, Frame):
        url = Picture(part.jpeg, b"data:image/jpeg;base64,")
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": plain(part)}


def _read(chunk: Mapping[str, Any], draft: Draft) -> None:
    """One chunk; nobody has checked its shape, so anything may be anything."""
    if usage := mapping(chunk.get("usage")):
        cached = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
        draft.count(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
    for choice in mappings(chunk.get("choices"))[:1]:
        draft.choices += 1
        _read_delta(mapping(choice.get("delta")), draft)
        if isinstance(finish := choice.get("finish_reason"), str):
            draft.finish = draft.finish or finish


def _read_delta(delta: Mapping[str, Any], draft: Draft) -> None:
    draft.say(delta.get("content") or delta.get("refusal"))
    draft.think(next(filter(None, map(delta.get, REASONING)), None))
    for call in mappings(delta.get("tool_calls")):
        function = mapping(call.get("function"))
        index = str(call.get("index"))
        draft.call(index, function.get("name"), function.get("arguments"), call.get("id"))
