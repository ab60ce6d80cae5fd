"""The base of the providers over our own HTTP client.

Replies are always streamed, which distinguishes a silent server from a slow one, and lets a server
notice that a request was cancelled. The makers' SDKs are not used: each takes megabytes of memory
and most of a second on a KVM to import. If the server refuses an optional part of a request, the
request is sent again without it. A reply with calls is sent back unchanged while the conversation
contains it, since its reasoning is signed or encrypted.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from cua.messages import Message
from cua.types import ChatMessage, ModelError, Reply, Schema, ToolCall

from . import errors
from .endpoint import ModelEndpoint
from .reply_builder import ReplyBuilder

if TYPE_CHECKING:
    from .http_client import ModelHttpClient

CALL_RESULT = "What came of it is said below."
"""The result of every call: the next user message says whether it was executed."""
TOOL, OUTPUTS = "tool", "outputs"
"""Optional parts: the newest generation of the computer tool, and replies sent back unchanged."""
Request = tuple[str, object, dict[str, str]]
"""Path, body and additional headers of the request for a reply."""


class Provider(Protocol):
    async def prepare(self) -> None:
        """Import the packages for a request, in a thread, as that is slow."""

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply: ...

    async def list_models(self) -> list[str]:
        """Return the model names of the server; none if its protocol has no such list."""

    async def aclose(self) -> None: ...


class HttpProvider(ABC):
    BUILDER: type[ReplyBuilder]
    """Reads the events of the protocol."""
    TOOLS: Sequence[Any] = ()
    """Generations of the provider's computer tool, the newest or best first."""
    DEFAULT_URL = ""
    """The provider's own server; empty: there is none, and a base URL is needed."""
    ENDINGS: tuple[str, ...] = ()
    """Ends removed from a base URL: the paths of the requests contain them."""
    LIST_PATH = "/models"
    OPTIONAL_FIELDS: tuple[str, ...] = ()
    """Fields that a server may refuse by name; a note tells the person that one was omitted."""
    OPTIONAL_PARTS: tuple[tuple[str, str], ...] = ()
    """Word of a refusal -> what to omit then: `TOOL`, `OUTPUTS` or the name of a part."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = replace(endpoint, url=endpoint.url or self.DEFAULT_URL)
        if not self._endpoint.url:
            raise ModelError(Message("model.url_missing"), setting="base_url")
        self._client: ModelHttpClient | None = None
        self._url = self._endpoint.url.rstrip("/")
        for ending in self.ENDINGS:
            self._url = self._url.removesuffix(ending)
        self._tools = list(self.TOOLS) if endpoint.native else []
        self._left_out: set[str] = set()
        self._outputs: dict[str, list[Any]] = {}
        """ID of a reply's first call -> the reply as the server sent it."""

    async def prepare(self) -> None:
        await self._connected()

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply:
        while True:
            try:
                return await self._request_reply(messages, schema)
            except ModelError as error:
                if not self._fall_back(errors.quote(error).lower()):
                    raise

    async def list_models(self) -> list[str]:
        return await (await self._connected()).list_models(self.LIST_PATH)

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()

    @abstractmethod
    def _authentication(self, key: str) -> dict[str, str]:
        """Return the headers with the key for every request."""

    @abstractmethod
    def _make_request(self, messages: Sequence[ChatMessage], schema: Schema) -> Request:
        """Make the request for a reply."""

    async def _request_reply(self, messages: Sequence[ChatMessage], schema: Schema) -> Reply:
        client, builder = await self._connected(), self.BUILDER(self._endpoint.show)
        self._forget_outputs(messages)
        path, body, headers = self._make_request(messages, schema)
        await client.request_reply(path, _encode(body), headers, builder)
        reply = builder.reply()
        if reply.calls and (output := builder.output()):
            self._outputs[reply.calls[0].id] = output
        return reply

    async def _connected(self) -> ModelHttpClient:
        """Return the client; its imports are slow, so it is made in a thread."""
        if self._client is None:
            self._client = await asyncio.to_thread(self._connect)
        return self._client

    def _connect(self) -> ModelHttpClient:
        from .http_client import ModelHttpClient

        # HTTP refuses `Bearer` without a key; a server that needs none ignores it.
        headers = self._authentication(self._endpoint.key or "none")
        return ModelHttpClient(self._endpoint, self._url, headers)

    def _fall_back(self, refusal: str) -> bool:
        """Omit a part from the next request; return whether there is one to omit."""
        for field in self.OPTIONAL_FIELDS:
            if field in refusal and self._leave_out(field):
                self._endpoint.log.note("warning", Message("model.unsupported", field=field))
                return True
        return any(word in refusal and self._leave_out(part) for word, part in self.OPTIONAL_PARTS)

    def _leave_out(self, part: str) -> bool:
        """Omit a part from all requests; return whether that changes them."""
        if part == TOOL:
            return len(self._tools) > 1 and bool(self._tools.pop(0))
        if part in self._left_out or (part == OUTPUTS and not self._outputs):
            return False
        self._outputs.clear()
        if part != OUTPUTS:
            self._left_out.add(part)
        return True

    def _forget_outputs(self, messages: Sequence[ChatMessage]) -> None:
        """Forget replies whose calls the conversation no longer contains.

        A request without any call is not part of the conversation, such as a verifier's.
        """
        used = {call.id for message in messages for call in message.calls}
        if used:
            self._outputs = {key: each for key, each in self._outputs.items() if key in used}

    def _output_of(self, made: Sequence[ToolCall]) -> list[Any] | None:
        return self._outputs.get(made[0].id) if made else None


class OpenAIProvider(HttpProvider):
    """The base of OpenAI's two protocols."""

    DEFAULT_URL = "https://api.openai.com/v1"
    ENDINGS = ("/chat/completions", "/responses")

    def _authentication(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"}


def _encode(body: object) -> bytes:
    """Return JSON, by a library that does not take milliseconds for a megabyte of Base64."""
    try:
        return to_json(body)
    except PydanticSerializationError:  # a surrogate, which the json module escapes
        return json.dumps(body).encode()
