"""DashScope's own multimodal protocol, with the requests of its SDK.

The SDK is not used. It brings half of all packages, uploads a local file if a user's text is its
path, follows redirects, and repeats a request that timed out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from cua.types import ChatMessage, Frame, Reply, ToolCall, mapping, mappings

from .encoding import Picture
from .endpoint import ModelEndpoint
from .reply_builder import ReplyBuilder, as_text
from .streaming_client import StreamingClient

PATH = "/services/aigc/multimodal-generation/generation"


class DashScope(StreamingClient):
    DEFAULT_URL = "https://dashscope.aliyuncs.com/api/v1"
    HEADERS = MappingProxyType({"x-dashscope-sse": "enable", "x-accel-buffering": "no"})

    def __init__(self, peer: ModelEndpoint) -> None:
        super().__init__(replace(peer, url=peer.url.replace("/compatible-mode/", "/api/")))

    async def list_models(self) -> list[str]:
        """None: the protocol has no list of models."""
        return []

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply:
        """`schema` is not sent: these vision models do not support it."""
        del schema
        builder = ReplyBuilder(self._peer.show)
        parameters = {"incremental_output": True, "result_format": "message", **self._peer.sampling}
        turns = {"messages": [_turn(message) for message in messages]}
        body = {"model": self._peer.model, "parameters": parameters, "input": turns}
        await self.stream(PATH, body, builder, _read)
        return builder.reply()


def _turn(message: ChatMessage) -> dict[str, Any]:
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Frame | ToolCall) -> dict[str, Any]:
    if isinstance(part, Frame):
        return {"image": Picture(part.jpeg, b"data:image/jpeg;base64,")}
    return {"text": as_text(part)}


def _read(chunk: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """Read a chunk of unknown shape."""
    usage = mapping(chunk.get("usage"))
    cached = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    builder.count(usage.get("input_tokens"), usage.get("output_tokens"), cached)
    for choice in mappings(mapping(chunk.get("output")).get("choices"))[:1]:
        builder.choices += 1
        _read_message(mapping(choice.get("message")), builder)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish != "null":
            builder.finish = finish


def _read_message(message: Mapping[str, Any], builder: ReplyBuilder) -> None:
    content = message.get("content")
    for part in mappings(content if isinstance(content, list) else [{"text": content}]):
        builder.say(part.get("text"))
    builder.think(message.get("reasoning_content"))
    for call in mappings(message.get("tool_calls")):
        builder.call_piece(call)
