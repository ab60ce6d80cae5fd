"""Chat completions as OpenAI defined them and nearly every server speaks them, through its SDK.

Always streamed: then a silent server is told from a slow one, and cancelling closes a connection
that the server notices. The SDK's own retries are off, because nobody would see them. Bodies go in
as bytes and chunks come out as plain JSON: the SDK's models would cost the event loop 20 ms a
request with ten screenshots, and would not check what a server says either.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall

from . import faults
from .draft import Draft, plain
from .peer import Peer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Schema = Mapping[str, Any]
DEFAULT_URL = "https://api.openai.com/v1"
REASONING = ("reasoning_content", "reasoning", "thinking")
TAIL = 2.0
"""Seconds that the token counts may come after the finish reason; a reply is whole without them."""


class OpenAIChat:
    def __init__(self, peer: Peer) -> None:
        self._peer = replace(peer, url=peer.url or DEFAULT_URL)
        self._client: AsyncOpenAI | None = None
        self._unknown: set[str] = set()

    async def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Reply:
        """`schema` is JSON schema that the reply must fit, where the server can make it."""
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
        """The names that the server offers."""
        client = await self._connected()
        with _in_words(self._peer, Draft()):
            listed = await client.get("/models", cast_to=object)
        names = [model.get("id") for model in _mappings(_mapping(listed).get("data"))]
        return [name for name in names if isinstance(name, str)]

    async def aclose(self) -> None:
        if self._client:
            await self._client.close()

    async def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = await asyncio.to_thread(_connect, self._peer)
        return self._client

    async def _ask(self, messages: Sequence[Message], extras: Mapping[str, object]) -> Reply:
        client = await self._connected()
        fields = {"model": self._peer.model, "stream": True, **extras, **self._peer.sampling}
        body = _body(fields, messages)
        try:
            return await asyncio.wait_for(self._stream(client, body), self._peer.total)
        except asyncio.TimeoutError:
            raise faults.endless(self._peer) from None

    async def _stream(self, client: AsyncOpenAI, body: bytes) -> Reply:
        from openai import AsyncStream

        draft = Draft()
        with _in_words(self._peer, draft):
            stream = await client.post(
                "/chat/completions",
                cast_to=object,
                content=body,
                options={"headers": {"content-type": "application/json"}},
                stream=True,
                stream_cls=AsyncStream[object],
            )
            async with stream:
                if "event-stream" not in stream.response.headers.get("content-type", ""):
                    raise ModelError(faults.NO_STREAM)
                await _follow(stream.__aiter__(), draft)
        return draft.reply()


def _connect(peer: Peer) -> AsyncOpenAI:
    """Takes most of a second the first time, the import above all; to be run in a thread."""
    from openai import AsyncOpenAI

    from . import wire

    return AsyncOpenAI(
        base_url=peer.url.rstrip("/").removesuffix("/chat/completions"),
        api_key=peer.key or "none",
        max_retries=0,
        http_client=wire.client(peer),
    )


def _extras(schema: Schema | None) -> dict[str, object]:
    """What one asks for but can do without: token counts, and replies that fit the schema."""
    extras: dict[str, object] = {"stream_options": {"include_usage": True}}
    if schema is not None:
        fit = {"name": "reply", "strict": True, "schema": schema}
        extras["response_format"] = {"type": "json_schema", "json_schema": fit}
    return extras


# --- out -----------------------------------------------------------------------------------------


def _body(fields: Mapping[str, object], messages: Sequence[Message]) -> bytes:
    turns = b",".join(map(_turn, messages))
    return json.dumps(fields)[:-1].encode() + b', "messages": [%s]}' % turns


def _turn(message: Message) -> bytes:
    """A turn of text alone is a plain string: models without eyes take nothing else."""
    texts = [plain(part) for part in message.parts if not isinstance(part, Frame)]
    if len(texts) == len(message.parts):
        content = json.dumps("\n".join(texts)).encode()
    else:
        content = b"[%s]" % b",".join(map(_part, message.parts))
    return b'{"role": "%s", "content": %s}' % (message.role.encode(), content)


def _part(part: str | Frame | ToolCall) -> bytes:
    if not isinstance(part, Frame):
        return json.dumps({"type": "text", "text": plain(part)}).encode()
    url = b"data:image/jpeg;base64," + base64.b64encode(part.jpeg)
    return b'{"type": "image_url", "image_url": {"url": "%s"}}' % url


# --- in ------------------------------------------------------------------------------------------


async def _follow(chunks: AsyncIterator[object], draft: Draft) -> None:
    async for chunk in chunks:
        _read(_mapping(chunk), draft)
        if draft.finish:
            break
    with suppress(StopAsyncIteration, asyncio.TimeoutError):
        while True:
            _read(_mapping(await asyncio.wait_for(chunks.__anext__(), TAIL)), draft)


def _read(chunk: Mapping[str, Any], draft: Draft) -> None:
    """One chunk; nobody has checked its shape, so anything may be anything."""
    if usage := _mapping(chunk.get("usage")):
        cached = _mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
        draft.count(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
    for choice in _mappings(chunk.get("choices"))[:1]:
        draft.choices += 1
        _read_delta(_mapping(choice.get("delta")), draft)
        if isinstance(finish := choice.get("finish_reason"), str):
            draft.finish = draft.finish or finish


def _read_delta(delta: Mapping[str, Any], draft: Draft) -> None:
    draft.say(delta.get("content") or delta.get("refusal"))
    draft.think(next(filter(None, map(delta.get, REASONING)), None))
    for call in _mappings(delta.get("tool_calls")):
        function = _mapping(call.get("function"))
        index = str(call.get("index"))
        draft.call(index, function.get("name"), function.get("arguments"), call.get("id"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [_mapping(item) for item in value] if isinstance(value, list) else []


# --- when it fails -------------------------------------------------------------------------------


@contextmanager
def _in_words(peer: Peer, draft: Draft) -> Iterator[None]:
    """The SDK's exceptions as ours; without a cause, for they quote bodies that echo the key."""
    import httpx2
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        after = error.response.headers.get("retry-after")
        raise faults.refusal(peer, error.status_code, error.body, after) from None
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        if not draft.finish:
            raise _wire_problem(peer, error, draft) from None
    except openai.APIError as error:
        raise _in_stream(peer, error.body) from None
    except (ValueError, RecursionError):
        raise ModelError(faults.NOT_JSON) from None


def _wire_problem(peer: Peer, error: Exception, draft: Draft) -> ModelError:
    from . import wire

    return wire.problem(peer, error.__cause__ or error, begun=draft.choices > 0)


def _in_stream(peer: Peer, body: object) -> ModelError:
    code = _mapping(body).get("code")
    return faults.refusal(peer, code if isinstance(code, int) else 500, body)
