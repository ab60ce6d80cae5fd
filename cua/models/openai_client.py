"""The `openai` SDK's client: connections, the list of models, and a stream of plain JSON events.

Always streamed: then a silent server is told from a slow one, and cancelling closes a connection
that the server notices. The SDK's own retries are off, because nobody would see them. Bodies go in
as bytes and chunks come out as plain JSON: the SDK's models would cost the event loop 20 ms a
request with ten screenshots, and would not check what a server says either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cua.types import ModelError

from . import faults
from .draft import Draft
from .encoding import encode
from .peer import Peer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Read = Callable[[Mapping[str, Any], Draft], None]
DEFAULT_URL = "https://api.openai.com/v1"


class OpenAIClient:
    """What OpenAI's two protocols have in common."""

    def __init__(self, peer: Peer) -> None:
        self._peer = replace(peer, url=peer.url or DEFAULT_URL)
        self._client: AsyncOpenAI | None = None

    async def list_models(self) -> list[str]:
        client = await self._connected()
        import openai

        from . import wire

        with wire.in_words(openai, self._peer, Draft()):
            return wire.listed(await client.get("/models", cast_to=object))

    async def aclose(self) -> None:
        if self._client:
            await self._client.close()

    async def stream(self, path: str, body: object, draft: Draft, read: Read) -> None:
        """Post `body`, and `read` every event that comes into the draft."""
        client = await self._connected()
        import openai

        from . import wire

        with wire.in_words(openai, self._peer, draft):
            stream = await client.post(
                path,
                cast_to=object,
                content=encode(body),
                options={"headers": {"content-type": "application/json"}},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            async with stream:
                if "event-stream" not in stream.response.headers.get("content-type", ""):
                    raise ModelError(faults.NO_STREAM)
                await wire.follow(stream.__aiter__(), draft, read)

    async def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = await asyncio.to_thread(_connect, self._peer)
        return self._client


def _connect(peer: Peer) -> AsyncOpenAI:
    """Takes most of a second the first time, the import above all; to be run in a thread."""
    from openai import AsyncOpenAI

    from . import wire

    return AsyncOpenAI(
        base_url=peer.url.rstrip("/").removesuffix("/chat/completions").removesuffix("/responses"),
        api_key=peer.key or "none",
        max_retries=0,
        http_client=wire.client(peer),
    )
