"""DashScope's own multimodal protocol, through the `dashscope` SDK.

The SDK returns errors instead of raising them, uploads a local file if a user's text is its path,
follows redirects, and repeats a request that timed out. The code below prevents that.
"""

from __future__ import annotations

import asyncio
import errno
import importlib
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cua.messages import Message, os_reason
from cua.settings import ssrf
from cua.timeouts import within
from cua.types import ChatMessage, Frame, Reply, Schema, ToolCall

from . import errors
from .endpoint import USER_AGENT, ModelEndpoint
from .message_parts import as_data_url, as_text
from .reply_builder import ReplyBuilder
from .request_log import RequestLog

if TYPE_CHECKING:
    import aiohttp

DEFAULT_URL = "https://dashscope.aliyuncs.com/api/v1"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class DashScope:
    def __init__(self, endpoint: ModelEndpoint) -> None:
        url = endpoint.url.replace("/compatible-mode/", "/api/") or DEFAULT_URL
        self._endpoint = replace(endpoint, url=url)
        self._session: aiohttp.ClientSession | None = None

    async def prepare(self) -> None:
        await asyncio.to_thread(importlib.import_module, "dashscope")
        # The SDK logs a traceback of each error that it returns.
        logging.getLogger("dashscope").setLevel(logging.CRITICAL)

    async def list_models(self) -> list[str]:
        """None: the protocol has no list of models."""
        return []

    async def aclose(self) -> None:
        if self._session:
            await self._session.close()

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply:
        """`schema` is not sent: these vision models do not support it."""
        del schema
        await self.prepare()
        from dashscope import AioMultiModalConversation

        api: Any = AioMultiModalConversation
        endpoint, received = self._endpoint, _Received(self._endpoint.show)
        self._session = self._session or _open_session(endpoint)
        with _translate_errors(endpoint, received):
            chunks = await api.call(  # sends nothing until the first chunk is read
                model=endpoint.model,
                messages=[_turn(message) for message in messages],
                api_key=endpoint.key or "none",
                stream=True,
                incremental_output=True,
                result_format="message",
                base_address=endpoint.url,
                session=self._session,
                request_timeout=2 * endpoint.idle_s,  # ours first; after its own the SDK asks again
                **endpoint.sampling,
            )
            async for chunk in _each(chunks, endpoint.idle_s):
                endpoint.activity.update()
                if chunk.status_code != 200:
                    raise errors.status_error(endpoint, chunk.status_code, dict(chunk))
                received.read(chunk)
        return received.reply()


@contextmanager
def _naming_unresolved(host: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, Message("model.unresolved", host=host)) from error


def _open_session(endpoint: ModelEndpoint) -> aiohttp.ClientSession:
    """A session with a connect timeout that follows no redirects; the caller closes it."""
    import aiohttp

    class Pinned(aiohttp.ThreadedResolver):
        """Connects only to addresses that were checked."""

        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> Any:
            with _naming_unresolved(host):
                found = await super().resolve(host, port, family)
            for each in found:
                if objection := ssrf.check_address(each["host"], host, port, endpoint.kvm_ports):
                    raise OSError(errno.EACCES, objection)
            return found

    class Connector(aiohttp.TCPConnector):
        async def connect(self, *args: Any, **kwargs: Any) -> Any:
            async with within(endpoint.connect_s):
                return await super().connect(*args, **kwargs)

    async def refuse_redirect(_: object, __: SimpleNamespace, params: Any) -> None:
        raise errors.status_error(endpoint, params.response.status, "")

    async def log(_: object, __: SimpleNamespace, params: Any) -> None:
        await log_request(str(params.url), params.chunk)

    async def anonymise(_: object, __: SimpleNamespace, params: Any) -> None:
        params.headers["User-Agent"] = USER_AGENT  # the SDK's contains the system and its kernel

    log_request = RequestLog(endpoint.log)
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(anonymise)
    trace.on_request_redirect.append(refuse_redirect)
    trace.on_request_chunk_sent.append(log)
    proxies = urlsplit(endpoint.url).hostname not in LOOPBACK
    return aiohttp.ClientSession(
        connector=Connector(resolver=Pinned()), trace_configs=[trace], trust_env=proxies
    )


def _turn(message: ChatMessage) -> dict[str, Any]:
    guard = "\n" if message.role == "user" else ""  # then no text is a file's path
    return {"role": message.role, "content": [_part(part, guard) for part in message.parts]}


def _part(part: str | Frame | ToolCall, guard: str) -> dict[str, str]:
    if not isinstance(part, Frame):
        return {"text": guard + as_text(part)}
    return {"image": as_data_url(part)}


async def _each(chunks: AsyncIterator[Any], idle: float) -> AsyncIterator[Any]:
    while True:
        async with within(idle):
            chunk = await anext(chunks, None)
        if chunk is None:
            return
        yield chunk


class _Received(ReplyBuilder):
    def read(self, event: Mapping[str, Any]) -> None:
        usage = event["usage"] or {}
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        self.count(usage.get("input_tokens"), usage.get("output_tokens"), cached)
        for choice in (event["output"]["choices"] or ())[:1]:
            self.has_begun = True
            self._read_message(choice["message"] or {})
            finish = choice["finish_reason"]
            if isinstance(finish, str) and finish != "null":
                self.finish = finish

    def _read_message(self, message: Mapping[str, Any]) -> None:
        content = message.get("content")
        for part in content if isinstance(content, list) else [{"text": content}]:
            self.say(part.get("text"))
        self.think(message.get("reasoning_content"))
        for call in message.get("tool_calls") or ():
            self.call_piece(call)


@contextmanager
def _translate_errors(endpoint: ModelEndpoint, builder: ReplyBuilder) -> Iterator[None]:
    import aiohttp

    try:
        yield
    except asyncio.TimeoutError:
        raise errors.silence_error(endpoint) from None
    except aiohttp.ClientError as error:
        if builder.has_begun:
            raise errors.connection_lost_error() from None
        if isinstance(error, aiohttp.ServerDisconnectedError):
            raise errors.hung_up_error(endpoint) from None
        raise errors.unreachable_error(endpoint, os_reason(error)) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        # the SDK or `_Received` got an answer of another shape
        raise errors.not_json_error() from None
