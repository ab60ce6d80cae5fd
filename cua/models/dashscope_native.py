"""DashScope's own multimodal protocol, through the `dashscope` SDK.

The SDK returns errors instead of raising them and has habits that do not suit an agent: it uploads
a user's text that happens to be the name of a local file, follows redirects, and sends a request
that timed out once more. What is odd below is the answer to one of these.
"""

from __future__ import annotations

import asyncio
import base64
import errno
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cua import reach
from cua.types import Frame, Message, ModelError, Reply, ToolCall
from cua.within import within

from . import faults
from .bodies import reason
from .draft import Draft, plain
from .peer import Peer

if TYPE_CHECKING:
    import aiohttp

DEFAULT_URL = "https://dashscope.aliyuncs.com/api/v1"
HERE = ("localhost", "127.0.0.1", "::1")


class DashScope:
    def __init__(self, peer: Peer) -> None:
        url = (peer.url or DEFAULT_URL).replace("/compatible-mode/", "/api/")
        self._peer = replace(peer, url=url)
        self._session: aiohttp.ClientSession | None = None

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """`schema` is not sent: the vision models here take none."""
        del schema
        api = await asyncio.to_thread(_api)
        self._session = self._session or _connect(self._peer)
        return await self._ask(api, messages)

    async def list_models(self) -> list[str]:
        """Nothing: this protocol does not tell."""
        return []

    async def aclose(self) -> None:
        if self._session:
            await self._session.close()

    async def _ask(self, api: Any, messages: Sequence[Message]) -> Reply:
        peer, draft = self._peer, Draft(self._peer.show)
        with _in_words(peer, draft):
            request = api.call(
                model=peer.model,
                messages=[_turn(message) for message in messages],
                api_key=peer.key or "none",
                stream=True,
                incremental_output=True,
                result_format="message",
                base_address=peer.url,
                session=self._session,
                request_timeout=2 * peer.idle,  # ours comes first; after its own it asks again
                **peer.sampling,
            )
            async with within(peer.idle):
                chunks = await request
            async for chunk in _each(chunks, peer.idle):
                if chunk.status_code != 200:
                    raise faults.refusal(peer, chunk.status_code, dict(chunk))
                _read(chunk, draft)
        return draft.reply()


def _api() -> Any:
    """The import takes a second; to be run in a thread."""
    from dashscope import AioMultiModalConversation

    return AioMultiModalConversation


def _connect(peer: Peer) -> aiohttp.ClientSession:
    """A session that bounds the time of connecting, follows no redirects and is ours to close."""
    import aiohttp

    class Pinned(aiohttp.ThreadedResolver):
        """The addresses that are connected to are those that were looked at."""

        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> Any:
            found = await super().resolve(host, port, family)
            for each in found:
                if objection := reach.of_address(each["host"], port, peer.kvm_ports):
                    raise OSError(errno.EACCES, objection)
            return found

    class Connector(aiohttp.TCPConnector):
        async def connect(self, *args: Any, **kwargs: Any) -> Any:
            async with within(peer.connect):
                return await super().connect(*args, **kwargs)

    async def stay(_: object, __: SimpleNamespace, params: Any) -> None:
        raise faults.refusal(peer, params.response.status, "")

    async def show(_: object, __: SimpleNamespace, params: Any) -> None:
        await peer.sent(str(params.url), params.chunk)

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(stay)
    trace.on_request_chunk_sent.append(show)
    proxies = urlsplit(peer.url).hostname not in HERE
    return aiohttp.ClientSession(
        connector=Connector(resolver=Pinned()), trace_configs=[trace], trust_env=proxies
    )


def _turn(message: Message) -> dict[str, Any]:
    guard = "\n" if message.role == "user" else ""  # no text that starts so is a file's name
    return {"role": message.role, "content": [_part(part, guard) for part in message.parts]}


def _part(part: str | Frame | ToolCall, guard: str) -> dict[str, str]:
    if not isinstance(part, Frame):
        return {"text": guard + plain(part)}
    return {"image": "data:image/jpeg;base64," + base64.b64encode(part.jpeg).decode()}


async def _each(chunks: AsyncIterator[Any], idle: float) -> AsyncIterator[Any]:
    while True:
        async with within(idle):
            chunk = await anext(chunks, None)
        if chunk is None:
            return
        yield chunk


def _read(chunk: Mapping[str, Any], draft: Draft) -> None:
    usage = chunk["usage"] or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    draft.count(usage.get("input_tokens"), usage.get("output_tokens"), cached)
    for choice in (chunk["output"]["choices"] or ())[:1]:
        draft.choices += 1
        _read_message(choice["message"] or {}, draft)
        finish = choice["finish_reason"]
        if isinstance(finish, str) and finish != "null":
            draft.finish = finish


def _read_message(message: Mapping[str, Any], draft: Draft) -> None:
    content = message.get("content")
    for part in content if isinstance(content, list) else [{"text": content}]:
        draft.say(part.get("text"))
    draft.think(message.get("reasoning_content"))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        index = str(call.get("index"))
        draft.call(index, function.get("name"), function.get("arguments"), call.get("id"))


@contextmanager
def _in_words(peer: Peer, draft: Draft) -> Iterator[None]:
    import aiohttp

    try:
        yield
    except asyncio.TimeoutError:
        raise faults.silent(peer) from None
    except aiohttp.ClientError as error:
        begun = draft.choices > 0
        raise (faults.torn() if begun else faults.unreachable(peer, reason(error))) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        # what the SDK's and our reading make of an answer in a shape that nobody expects
        raise ModelError(faults.NOT_JSON) from None
