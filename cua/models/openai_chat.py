"""Chat completions as OpenAI defined them and nearly every server speaks them, through its SDK.

Always streamed: then a silent server is told from a slow one, and cancelling closes a connection
that the server notices. The SDK's own retries are off, because nobody would see them. Bodies go in
as bytes and chunks come out as plain JSON: the SDK's models would cost the event loop 20 ms a
request with ten screenshots, and would not check what a server says either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall

from . import faults
from .draft import Draft, mapping, mappings, plain
from .encoding import Picture, encode
from .peer import Peer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_URL = "https://api.openai.com/v1"
REASONING = ("reasoning_content", "reasoning", "thinking")


class OpenAIChat:
    def __init__(self, peer: Peer) -> None:
        self._peer = replace(peer, url=peer.url or DEFAULT_URL)
        self._client: AsyncOpenAI | None = None
        self._unknown: set[str] = set()

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        while True:
            extras = {name: it for name, it in _extras(schema).items() if name not in self._unknown}
            try:
                return await self._ask(messages, extras)
            except faults.UnknownFieldError as error:
                named = [name for name in extras if name in str(error)]
                if not named:
                    raise
                self._unknown.update(named)
                self._peer.notify(f"The server knows no `{named[0]}`: going on without it.")

    async def list_models(self) -> list[str]:
        return await listed(await self._connected(), self._peer)

    async def aclose(self) -> None:
        if self._client:
            await self._client.close()

    async def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = await asyncio.to_thread(connect, self._peer)
        return self._client

    async def _ask(self, messages: Sequence[Message], extras: Mapping[str, object]) -> Reply:
        client, draft = await self._connected(), Draft(self._peer.show)
        import openai

        from . import wire

        fields = {"model": self._peer.model, "stream": True, **extras, **self._peer.sampling}
        with wire.in_words(openai, self._peer, draft):
            stream = await client.post(
                "/chat/completions",
                cast_to=object,
                content=encode({**fields, "messages": [_turn(message) for message in messages]}),
                options={"headers": {"content-type": "application/json"}},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            async with stream:
                if "event-stream" not in stream.response.headers.get("content-type", ""):
                    raise ModelError(faults.NO_STREAM)
                await wire.follow(stream.__aiter__(), draft, _read)
        return draft.reply()


async def listed(client: AsyncOpenAI, peer: Peer) -> list[str]:
    """The names of the models that the server offers."""
    import openai

    from . import wire

    with wire.in_words(openai, peer, Draft()):
        answer = await client.get("/models", cast_to=object)
    names = [model.get("id") for model in mappings(mapping(answer).get("data"))]
    return [name for name in names if isinstance(name, str)]


def connect(peer: Peer) -> AsyncOpenAI:
    """Takes most of a second the first time, the import above all; to be run in a thread."""
    from openai import AsyncOpenAI

    from . import wire

    return AsyncOpenAI(
        base_url=peer.url.rstrip("/").removesuffix("/chat/completions").removesuffix("/responses"),
        api_key=peer.key or "none",
        max_retries=0,
        http_client=wire.client(peer),
    )


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
