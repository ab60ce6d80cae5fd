"""The HTTP client of the providers, and the reader of its streams.

It follows no redirects (they would send screenshots to an address that the person did not enter),
uses no proxy for this machine, and ends an answer that would fill the memory. Imported on first
use, off the event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import cast
from urllib.request import getproxies

import httpx2

from cua.messages import Message, os_reason
from cua.settings import ssrf
from cua.timeouts import within
from cua.types import ModelError, as_object, as_objects

from . import errors
from .endpoint import USER_AGENT, Activity, ModelEndpoint
from .reply_builder import ReplyBuilder
from .request_log import RequestLog

MAX_BYTES = 16 * 2**20
"""Bytes of an answer at most; a long reply in the smallest pieces is much smaller."""
LOOPBACK = ("all://localhost", "all://127.0.0.1", "all://[::1]")
TAIL_TIMEOUT_S = 2.0
"""Time to wait for token counts after the finish reason; a reply is complete without them."""


class ModelHttpClient:
    """The connections to one server. `headers`: those of every request, with the key."""

    def __init__(self, endpoint: ModelEndpoint, url: str, headers: dict[str, str]) -> None:
        self._endpoint, self._url = endpoint, url
        self._log_request = RequestLog(endpoint.log)
        has_proxy = {"http", "https", "all"} & getproxies().keys()
        needs_tls = url.startswith("https:")  # else its certificates are not loaded
        direct = httpx2.AsyncHTTPTransport(verify=needs_tls)
        pinned = None if has_proxy else Pinned(direct, endpoint.kvm_ports)
        self._http = httpx2.AsyncClient(
            transport=pinned,
            follow_redirects=False,
            mounts=dict.fromkeys(LOOPBACK),
            headers={"user-agent": USER_AGENT, **headers},
            timeout=httpx2.Timeout(endpoint.idle_s, connect=endpoint.connect_s),
            event_hooks={"response": [self._watch]},
        )

    async def list_models(self, path: str) -> list[str]:
        """Return the names in the server's list of models."""
        with self._translate_errors(ReplyBuilder()):
            answer = await self._http.get(self._url + path)
            await self._check_status(answer)
            found = as_object(answer.json())
            models = as_objects(found.get("data") or found.get("models"))
            names = [model.get("id") or model.get("name") for model in models]
            return [name.removeprefix("models/") for name in names if isinstance(name, str)]

    async def request_reply(
        self, path: str, content: bytes, headers: dict[str, str], builder: ReplyBuilder
    ) -> None:
        """Request a reply; read every event with the builder."""
        url, headers = self._url + path, {"content-type": "application/json", **headers}
        post = self._http.stream("POST", url, content=content, headers=headers)
        with self._translate_errors(builder):
            await self._log_request(url, content)
            async with post as response:
                await self._read_events(response, builder)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _watch(self, response: httpx2.Response) -> None:
        self._endpoint.activity.update()
        stream = cast("httpx2.AsyncByteStream", response.stream)
        response.stream = _Bounded(stream, self._endpoint.activity)

    async def _read_events(self, response: httpx2.Response, builder: ReplyBuilder) -> None:
        """Events after the finish reason may be missing."""
        await self._check_status(response)
        events = parse_events(response)
        async for event in events:
            self._read_event(event, builder)
            if builder.finish:
                break
        with suppress(asyncio.TimeoutError):
            async with within(TAIL_TIMEOUT_S):
                async for event in events:
                    self._read_event(event, builder)

    def _read_event(self, event: object, builder: ReplyBuilder) -> None:
        """Read an event. Raises `ModelError` for an error within the stream."""
        found = as_object(event)
        if error := found.get("error") or as_object(found.get("response")).get("error"):
            raise errors.stream_error(self._endpoint, error)
        builder.read(found)

    async def _check_status(self, response: httpx2.Response) -> None:
        """Raise `ModelError` for any status but 200."""
        if response.status_code == 200:
            return
        text = (await response.aread()).decode(errors="replace")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = text
        after = response.headers.get("retry-after")
        raise errors.status_error(self._endpoint, response.status_code, body, after)

    @contextmanager
    def _translate_errors(self, builder: ReplyBuilder) -> Iterator[None]:
        """Raise `ModelError` for errors of httpx, without the cause, which may contain the key."""
        try:
            yield
        except httpx2.HTTPError as error:
            if not builder.finish:
                raise self._translate_error(error, builder) from None
        except (ValueError, RecursionError):
            raise errors.not_json_error() from None

    def _translate_error(self, error: BaseException, builder: ReplyBuilder) -> ModelError:
        endpoint = self._endpoint
        if isinstance(error, httpx2.ConnectTimeout):
            no_answer = Message("model.no_answer", seconds=f"{endpoint.connect_s:.0f}")
            return errors.unreachable_error(endpoint, no_answer)
        if isinstance(error, httpx2.TimeoutException):
            return errors.silence_error(endpoint)
        if isinstance(error, httpx2.SSEError):
            return ModelError(Message("model.not_a_stream"), setting="base_url")
        if builder.has_begun:
            return errors.connection_lost_error()
        if isinstance(error, (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)):
            return errors.hung_up_error(endpoint)
        return errors.unreachable_error(endpoint, os_reason(error))


async def parse_events(response: httpx2.Response) -> AsyncIterator[object]:
    """Yield the JSON value of each server-sent event, up to `[DONE]`.

    Raises `ValueError` for invalid JSON, and `SSEError` for an answer that is no stream.
    """
    is_done = False
    async for event in httpx2.EventSource(response, max_event_size=None):  # `_Bounded` limits it
        is_done = is_done or event.data.startswith("[DONE]")
        if event.data and not is_done:  # else read to the end: the connection can be reused
            yield json.loads(event.data)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, activity: Activity) -> None:
        self._stream, self._activity = stream, activity

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_BYTES
        async for data in self._stream:
            self._activity.update()
            left -= len(data)
            if left < 0:
                raise errors.long_reply_error(MAX_BYTES // 1024)
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()


class Pinned(httpx2.AsyncBaseTransport):
    """Resolves and checks the host name of a request, then sends it with `inner` to that address.

    Raises `ConnectError` for a forbidden address, or a host name that cannot be resolved.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        kvm_ports: Collection[int] = (),
        resolve: ssrf.Resolve = ssrf.resolve,
    ) -> None:
        self._inner, self._kvm_ports, self._resolve = inner, kvm_ports, resolve

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        server = f"{request.url.scheme}://{request.url.netloc.decode()}"
        objection, addresses = await ssrf.check(server, self._kvm_ports, self._resolve)
        if objection:
            raise httpx2.ConnectError(objection)
        failed = httpx2.ConnectError(Message("model.unresolved", host=request.url.host))
        for address in addresses:
            try:
                return await self._inner.handle_async_request(_to(address, request))
            except httpx2.ConnectError as error:
                failed = error
        raise failed

    async def aclose(self) -> None:
        await self._inner.aclose()


def _to(address: str, request: httpx2.Request) -> httpx2.Request:
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address.partition("%")[0]),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
