"""Trying again, where the failure may pass by itself, and never where it cannot.

Nothing has been done on the computer while a reply is awaited, so asking again is harmless. Each
wait is announced, and cancelling ends it like everything else.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from cua import reach
from cua.types import Message, ModelError, Reply
from cua.within import within

from . import faults
from .peer import Peer

PAUSES = (0.5, 2.0, 8.0)
"""Seconds before each further try, give or take a quarter, so that many clients do not march."""
LONGEST = 60.0
"""Seconds that a server may ask to wait; beyond that the person is asked."""


class Provider(Protocol):
    """What stands in a provider's file."""

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply: ...

    async def list_models(self) -> list[str]: ...

    async def aclose(self) -> None: ...


class Patient:
    """A provider that does not give up at the first failure."""

    def __init__(self, provider: Provider, peer: Peer) -> None:
        self._provider = provider
        self._peer = peer

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """`schema`: JSON schema that the reply must fit, where the server can make it."""
        for number, pause in enumerate(PAUSES, 1):
            try:
                return await self._once(messages, schema)
            except faults.TransientError as error:
                await self._wait(error, number, pause)
        return await self._once(messages, schema)

    async def list_models(self) -> list[str]:
        """The names that the server offers, none where its protocol does not tell."""
        await self._check()
        return await self._provider.list_models()

    async def aclose(self) -> None:
        """Close the connections; the model can be used no more."""
        await self._provider.aclose()

    async def _once(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        try:
            async with within(self._peer.total):
                await self._check()
                return await self._over_a_fresh_connection(messages, schema)
        except asyncio.TimeoutError:
            raise faults.endless(self._peer) from None
        except ImportError as error:
            raise faults.not_installed(error) from error
        except faults.UnknownModelError as error:
            offered = await self._offered()
            raise (faults.no_model(self._peer, offered) if offered else error) from None

    async def _check(self) -> None:
        objection, _ = await reach.check(self._peer.url, self._peer.kvm_ports)
        if objection:
            raise ModelError(f"{objection} Check the base URL in Settings.")

    async def _over_a_fresh_connection(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None
    ) -> Reply:
        """A connection kept from before may be closed in the moment in which it is used again."""
        try:
            return await self._provider.complete(messages, schema)
        except faults.HungUpError:
            return await self._provider.complete(messages, schema)

    async def _offered(self) -> list[str]:
        try:
            async with within(self._peer.connect):
                return await self._provider.list_models()
        except (ModelError, asyncio.TimeoutError):
            return []  # the sentence is good without them

    async def _wait(self, error: faults.TransientError, number: int, pause: float) -> None:
        seconds = pause * random.uniform(0.75, 1.25) if error.after is None else error.after
        if seconds > LONGEST:
            raise ModelError(f"{error} It wants to be left alone for {seconds:.0f} s.") from None
        self._peer.notify(f"{error} Trying again in {seconds:.1f} s ({number} of {len(PAUSES)}).")
        self._peer.pause(round(seconds, 1))
        await asyncio.sleep(seconds)
        self._peer.pause(0)
