"""A provider over our own HTTP client: the list of models, and a stream of JSON events.

Replies are always streamed, which tells a silent server from a slow one, and lets a server notice
that a request was cancelled. The makers' SDKs are not used: each takes megabytes of memory and most
of a second on a KVM to import.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import errors
from .encoding import encode
from .endpoint import ModelEndpoint
from .provider import Provider
from .reply_builder import ReplyBuilder

if TYPE_CHECKING:
    from httpx2 import AsyncClient


class HttpProvider(Provider):
    ENDINGS: tuple[str, ...] = ()
    """Of a base URL, which are left out: what the paths of the requests begin with or repeat."""
    LIST_PATH = "/models"

    def __init__(self, endpoint: ModelEndpoint, tools: Sequence[Any] = ()) -> None:
        super().__init__(endpoint, tools)
        self._client: AsyncClient | None = None
        self._url = self._endpoint.url.rstrip("/")
        for ending in self.ENDINGS:
            self._url = self._url.removesuffix(ending)

    @abstractmethod
    def _authentication(self, key: str) -> dict[str, str]:
        """Return the headers of every request."""

    async def prepare(self) -> None:
        await self._connected()

    async def list_models(self) -> list[str]:
        client = await self._connected()
        from . import http_client

        with http_client.translate_errors(self._endpoint, ReplyBuilder()):
            answer = await client.get(self._url + self.LIST_PATH)
            await http_client.check_status(self._endpoint, answer)
            return http_client.parse_model_list(answer.json())

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()

    async def stream(self, path: str, body: object, builder: ReplyBuilder, **headers: str) -> None:
        """Post `body`, and let the builder read every event of the answer."""
        client = await self._connected()
        from . import http_client, sse

        headers = {"content-type": "application/json", **headers}
        post = client.stream("POST", self._url + path, content=encode(body), headers=headers)
        with http_client.translate_errors(self._endpoint, builder):
            async with post as response:
                await http_client.check_status(self._endpoint, response)
                if "event-stream" not in response.headers.get("content-type", ""):
                    raise errors.not_a_stream_error()
                events = sse.parse_events(response.aiter_bytes())
                good = http_client.raise_errors(self._endpoint, events)
                await http_client.read_chunks(good, builder)

    async def _connected(self) -> AsyncClient:
        """The client; its imports are slow, so it is made in a thread."""
        if self._client is None:
            self._client = await asyncio.to_thread(self._connect)
        return self._client

    def _connect(self) -> AsyncClient:
        from . import (
            http_client,
            sse,  # noqa: F401 - used by the first request
        )

        client = http_client.make_client(self._endpoint)
        client.headers.update(self._authentication(self._endpoint.key or "none"))
        return client


class OpenAIProvider(HttpProvider):
    """What OpenAI's two protocols have in common."""

    DEFAULT_URL = "https://api.openai.com/v1"
    ENDINGS = ("/chat/completions", "/responses")

    def _authentication(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"}
