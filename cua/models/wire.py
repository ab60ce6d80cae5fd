"""The HTTP client under the SDKs, and how to follow what comes over it.

It does not follow redirects (they would carry screenshots to an address that nobody entered), asks
no proxy for what runs on this very machine, and cuts off an answer that never ends before it fills
the memory. Imported together with the first SDK, off the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

import httpx2

from cua.types import ModelError, mapping, mappings
from cua.within import within

from . import faults, pinned
from .bodies import reason
from .draft import Draft
from .peer import Peer

LIMIT = 16 * 2**20
"""Bytes of one answer; a long reply in the smallest pieces is well below."""
HERE = ("all://localhost", "all://127.0.0.1", "all://[::1]")
TAIL = 2.0
"""Seconds that the token counts may come after the finish reason; a reply is whole without them."""


def client(peer: Peer, responses: list[httpx2.Response] | None = None) -> httpx2.AsyncClient:
    """`responses` collects what has been begun, for an SDK that does not close it."""
    times = httpx2.Timeout(peer.idle, connect=peer.connect)

    async def limit(request: httpx2.Request) -> None:
        request.extensions["timeout"] = times.as_dict()  # whatever the SDK thinks

    async def show(request: httpx2.Request) -> None:
        if request.method == "POST":
            await peer.sent(str(request.url), await request.aread())

    async def bound(response: httpx2.Response) -> None:
        response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))
        if responses is not None:
            responses.append(response)

    return httpx2.AsyncClient(
        transport=pinned.transport(peer.kvm_ports),
        follow_redirects=False,
        mounts=dict.fromkeys(HERE),
        event_hooks={"request": [limit, show], "response": [bound]},
    )


async def follow(
    chunks: AsyncIterator[object],
    draft: Draft,
    read: Callable[[Mapping[str, Any], Draft], None],
) -> None:
    """Read every chunk into the draft; once it is finished, its tail may be missing."""
    async for chunk in chunks:
        read(mapping(chunk), draft)
        if draft.finish:
            break
    with suppress(asyncio.TimeoutError):
        async with within(TAIL):
            async for chunk in chunks:
                read(mapping(chunk), draft)


def listed(answer: object) -> list[str]:
    """The names in a list of models, as most servers give it. Raises `ModelError` for a page."""
    if isinstance(answer, str):
        raise ModelError(faults.NOT_JSON)
    names = [model.get("id") for model in mappings(mapping(answer).get("data"))]
    return [name for name in names if isinstance(name, str)]


@contextmanager
def in_words(sdk: Any, peer: Peer, draft: Draft) -> Iterator[None]:
    """The exceptions of an SDK of this make as ours; without a cause, which may quote the key."""
    try:
        yield
    except sdk.APIStatusError as error:
        after = error.response.headers.get("retry-after")
        status = error.status_code if error.status_code != 200 else 500  # in the stream
        raise faults.refusal(peer, status, error.body, after) from None
    except (sdk.APIConnectionError, httpx2.HTTPError) as error:
        cause = error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error
        if not draft.finish:
            raise problem(peer, cause, draft.choices > 0) from None
    except sdk.APIError as error:
        code = mapping(error.body).get("code")
        status = code if isinstance(code, int) else 500
        raise faults.refusal(peer, status, error.body) from None
    except (ValueError, RecursionError):
        raise ModelError(faults.NOT_JSON) from None


def problem(peer: Peer, error: BaseException, begun: bool) -> ModelError:
    """An exception of this client in words; `begun` when a part of the reply was already there."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, httpx2.ConnectTimeout):
        return faults.unreachable(peer, f"no answer within {peer.connect:.0f} s")
    if isinstance(error, httpx2.TimeoutException):
        return faults.silent(peer)
    if begun:
        return faults.torn()
    if isinstance(error, (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)):
        return faults.hung_up(peer)
    return faults.unreachable(peer, reason(error))


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
