"""What the providers have in common: a client made on first use, and requests that fall back."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from cua.types import ChatMessage, ModelError, Reply

from .endpoint import ModelEndpoint

Client = TypeVar("Client")


class Provider(ABC, Generic[Client]):
    """Asks again in another way where the server refuses an optional part of the request."""

    def __init__(self, peer: ModelEndpoint, default_url: str) -> None:
        self._peer = replace(peer, url=peer.url or default_url)
        self._client: Client | None = None

    async def prepare(self) -> None:
        await self._connected()

    async def complete(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        while True:
            try:
                return await self._ask(messages, schema)
            except ModelError as error:
                if not self._fall_back(error):
                    raise

    async def _connected(self) -> Client:
        """The client; its imports are slow, so it is made in a thread."""
        if self._client is None:
            self._client = await asyncio.to_thread(self._connect)
        return self._client

    @abstractmethod
    def _connect(self) -> Client: ...

    @abstractmethod
    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply: ...

    @abstractmethod
    def _fall_back(self, refusal: ModelError) -> bool:
        """Change the next request; False if there is no other way."""
