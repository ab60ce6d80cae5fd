"""The official SDK as the reference of our own client: the same requests, the same answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from cua.models.endpoint import ModelEndpoint
from cua.models.openai_chat import OpenAIChat
from cua.models.openai_responses import OpenAIResponses
from cua.types import ChatMessage, Reply, ToolCall
from tests.models import FRAME, KEY, REQUEST
from tests.servers.http import Call
from tests.servers.openai_server import OpenAIServer
from tests.servers.responses_server import ResponsesServer

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}
FORMAT = {"name": "reply", "strict": True, "schema": SCHEMA}
PICTURE = f"data:image/jpeg;base64,{base64.b64encode(FRAME.jpeg).decode()}"
CALL = {"name": "click", "arguments": {"x": 1}}
REPLY = {"text": "I see a désktop, 一个桌面.", "calls": [CALL]}
CONVERSATION = [
    *REQUEST,
    ChatMessage("assistant", ("one", "two")),
    ChatMessage("user", ("Go on.",)),
]


def sent(call: Call) -> tuple[str, str, str, Any]:
    headers = call.headers
    return call.path, headers["authorization"], headers["content-type"], call.json()


def client(base_url: str) -> Any:
    openai = pytest.importorskip("openai")  # here: each worker reads this file, one runs it
    return openai.AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0)


async def test_chat_completions_are_asked_and_read_as_the_sdk_does() -> None:
    async with OpenAIServer([REPLY, REPLY], key=KEY) as server:
        ours = OpenAIChat(ModelEndpoint(server.base_url, "m", KEY, sampling={"temperature": 0.5}))
        reply = await ours.complete(CONVERSATION, SCHEMA)
        await ours.aclose()
        image = {"type": "image_url", "image_url": {"url": PICTURE}}
        async with client(server.base_url) as sdk:
            stream = await sdk.chat.completions.create(
                model="m",
                messages=[
                    {"role": "system", "content": "You are a pair of hands."},
                    {"role": "user", "content": [{"type": "text", "text": "Look."}, image]},
                    {"role": "assistant", "content": "one\ntwo"},
                    {"role": "user", "content": "Go on."},
                ],
                stream=True,
                stream_options={"include_usage": True},
                response_format={"type": "json_schema", "json_schema": FORMAT},
                temperature=0.5,
            )
            chunks = [chunk async for chunk in stream]
        asked, reference = map(sent, server.calls)
    assert asked == reference
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    functions = [call.function for delta in deltas for call in delta.tool_calls or ()]
    assert reply.text == "".join(delta.content or "" for delta in deltas)
    assert reply.calls == (ToolCall("click", {"x": 1}, "call_0"),)
    assert "".join(each.arguments for each in functions) == '{"x": 1}'
    assert counted(reply) == (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens)


async def test_responses_are_asked_and_read_as_the_sdk_does() -> None:
    async with ResponsesServer([REPLY, REPLY], key=KEY) as server:
        ours = OpenAIResponses(ModelEndpoint(server.base_url, "m", KEY, native=True))
        reply = await ours.complete(CONVERSATION)
        await ours.aclose()
        image = {"type": "input_image", "image_url": PICTURE, "detail": "original"}
        async with client(server.base_url) as sdk:
            stream = await sdk.responses.create(
                model="m",
                instructions="You are a pair of hands.",
                input=[
                    {"role": "user", "content": [{"type": "input_text", "text": "Look."}, image]},
                    {"type": "message", "role": "assistant", "content": "one\ntwo"},
                    {"role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
                ],
                tools=[{"type": "computer"}],
                truncation="auto",
                include=["reasoning.encrypted_content"],
                store=False,
                stream=True,
            )
            events = [event async for event in stream]
        asked, reference = map(sent, server.calls)
    assert asked == reference
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert reply.text == "".join(deltas)
    done = [event.item for event in events if event.type == "response.output_item.done"]
    assert [(call.name, call.arguments) for call in reply.calls] == [("click", {"x": 1})]
    assert (done[-1].name, done[-1].arguments) == ("click", '{"x": 1}')
    usage = events[-1].response.usage
    assert counted(reply) == (usage.input_tokens, usage.output_tokens)


def counted(reply: Reply) -> tuple[int, int]:
    return reply.tokens_in, reply.tokens_out
