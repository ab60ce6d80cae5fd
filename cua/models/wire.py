"""The HTTP client under those SDKs that let one hand them theirs.

It does not follow redirects (they would carry screenshots to an address that nobody entered), asks
no proxy for what runs on this very machine, and cuts off an answer that never ends before it fills
the memory. Imported together with the first SDK, off the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from cua.types import ModelError

from . import faults
from .bodies import reason
from .peer import Peer

LIMIT = 16 * 2**20
"""Bytes of one answer; a long reply in the smallest pieces is well below."""
HERE = ("all://localhost", "all://127.0.0.1", "all://[::1]")


def client(peer: Peer) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(peer.idle, connect=peer.connect),
        follow_redirects=False,
        mounts=dict.fromkeys(HERE),
        event_hooks={"response": [_bound]},
    )


async def _bound(response: httpx2.Response) -> None:
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LIMIT
        async for data in self._stream:
            left -= len(data)
            if left < 0:
                raise ModelError(faults.TOO_MUCH.format(limit=LIMIT // 1024))
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()


def problem(peer: Peer, error: BaseException, begun: bool) -> ModelError:
    """An exception of this client in words; `begun` when a part of the reply was already there."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, httpx2.ConnectTimeout):
        return faults.unreachable(peer, f"no answer within {peer.connect:.0f} s")
    if isinstance(error, httpx2.TimeoutException):
        return faults.silent(peer)
    return faults.torn() if begun else faults.unreachable(peer, reason(error))
