"""A client of OpenAI's two protocols: the list of models, and a stream of JSON events.

Replies are always streamed, which tells a silent server from a slow one, and lets a server notice
that a request was cancelled. The `openai` SDK is not used: its import takes 20 MB of memory and
most of a second on a KVM.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import errors
from .encoding import encode
from .endpoint import ModelEndpoint
from .provider import Provider
from .reply_builder import ReplyBuilder

if TYPE_CHECKING:
    from httpx2 import AsyncClient

Read = Callable[[Mapping[str, Any], ReplyBuilder], None]


class OpenAIClient(Provider["AsyncClient"]):
    """What OpenAI's two protocols have in common."""

    DEFAULT_URL = "https://api.openai.com/v1"

    def __init__(self, endpoint: ModelEndpoint, tools: Sequence[Any] = ()) -> None:
        super().__init__(endpoint, tools)
        url = self._endpoint.url.rstrip("/")
        self._url = url.removesuffix("/chat/completions").removesuffix("/responses")

    async def list_models(self) -> list[str]:
        client = await self._connected()
        from . import http_client

        with http_client.translate_http_errors(self._endpoint, ReplyBuilder()):
            answer = await client.get(f"{self._url}/models")
            await http_client.check_status(self._endpoint, answer)
            return http_client.parse_model_list(answer.json())

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()

    async def stream(self, path: str, body: object, builder: ReplyBuilder, read: Read) -> None:
        """Post `body`, and `read` every event into the reply."""
        client = await self._connected()
        from . import http_client, sse

        headers = {"content-type": "application/json"}
        post = client.stream("POST", f"{self._url}{path}", content=encode(body), headers=headers)
        with http_client.translate_http_errors(self._endpoint, builder):
            async with post as response:
                await http_client.check_status(self._endpoint, response)
                if "event-stream" not in response.headers.get("content-type", ""):
                    raise errors.not_a_stream()
                events = sse.events(response.aiter_bytes())
                await http_client.follow(http_client.checked(self._endpoint, events), builder, read)

    def _connect(self) -> AsyncClient:
        from . import (
            http_client,
            sse,  # noqa: F401 - used by the first request
        )

        client = http_client.client(self._endpoint)
        client.headers["authorization"] = f"Bearer {self._endpoint.key or 'none'}"
        return client
