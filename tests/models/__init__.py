"""What the tests of the providers share: a screenshot, a request, a scripted server for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

import pytest
from hypothesis import strategies as st

from cua.events.log import Event, EventLog
from cua.models.anthropic_messages import Anthropic
from cua.models.dashscope_native import DashScope
from cua.models.endpoint import ModelEndpoint
from cua.models.google_genai import GenAI
from cua.models.openai_chat import OpenAIChat
from cua.models.openai_responses import OpenAIResponses
from cua.models.provider import Provider
from cua.types import ChatMessage, Frame, ModelError, Reply
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.dashscope_server import DashScopeServer
from tests.servers.genai_server import GenAIServer
from tests.servers.http import Call
from tests.servers.openai_server import OpenAIServer
from tests.servers.responses_server import ResponsesServer

KEY = "sk-a-very-secret-key-1234"
FRAME = Frame(b"a picture that no provider looks at", 1280, 720, 1, 0.0)
REQUEST = [
    ChatMessage("system", ("You are a pair of hands.",)),
    ChatMessage("user", ("Look.", FRAME)),
]

KINDS: dict[str, tuple[Any, Any]] = {
    "openai": (OpenAIChat, OpenAIServer),
    "responses": (OpenAIResponses, ResponsesServer),
    "dashscope": (DashScope, DashScopeServer),
    "genai": (GenAI, GenAIServer),
    "anthropic": (Anthropic, AnthropicServer),
}
"""The provider and the scripted server of each kind."""
HTTP_KINDS = ("openai", "dashscope")
"""A kind for each HTTP library: ours, which all others use too, and that of DashScope's SDK."""


class Scripted(Protocol):
    """What every scripted server has."""

    calls: list[Call]

    @property
    def base_url(self) -> str: ...

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Bodies of the requests for a reply."""


def server(kind: str, *script: Any, key: str = "") -> Any:
    return KINDS[kind][1](script, key=key)


def provider(kind: str, server: Scripted, **limits: Any) -> Provider:
    made: Provider = KINDS[kind][0](
        ModelEndpoint(
            **{"url": server.base_url, "model": "scripted", "key": KEY, "idle_s": 10.0, **limits}
        )
    )
    return made


def listen(log: EventLog, kind: str, read: Callable[[dict[str, Any]], Any] = dict) -> list[Any]:
    """Return a list that gets what `read` takes from the data of each event of this kind."""
    found: list[Any] = []

    def note(event: Event) -> None:
        if event.kind == kind:
            found.append(read(event.data))

    log.listeners.append(note)
    return found


Pair = tuple[Scripted, Provider]


@asynccontextmanager
async def talking(
    kind: str, *script: Any, server: Mapping[str, Any] = {}, **limits: Any
) -> AsyncIterator[Pair]:
    """Yield a scripted server, made with `server`, and a provider that is connected to it."""
    async with KINDS[kind][1](script, **{"key": KEY, **server}) as peer:
        made = provider(kind, peer, **limits)
        try:
            yield peer, made
        finally:
            await made.aclose()


def after(reply: Reply, *told: str | Frame) -> list[ChatMessage]:
    """Return the conversation of `REQUEST` and a reply, with what the model is told then."""
    said = ChatMessage("assistant", (reply.text, *reply.calls) if reply.text else reply.calls)
    return [*REQUEST, said, ChatMessage("user", told or ("Clicked.", FRAME))]


async def refusal(kind: str, reply: dict[str, Any], **limits: Any) -> ModelError:
    async with talking(kind, reply, **limits) as (_, made):
        with pytest.raises(ModelError) as caught:
            await made.complete(REQUEST)
    return caught.value


def json_of(*names: str) -> st.SearchStrategy[Any]:
    """Any JSON whose objects have such keys, so that it gets past the first look at it."""
    plain = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
    keys = st.sampled_from(names)
    return st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=10,
    )
