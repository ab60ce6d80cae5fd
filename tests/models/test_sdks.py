"""The makers' SDKs as the reference of our own client: the same requests, the same answers."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import httpx2
import pytest

from cua.models.anthropic_messages import MAX_TOKENS, Anthropic
from cua.models.endpoint import ModelEndpoint
from cua.models.google_genai import GenAI
from cua.models.openai_chat import OpenAIChat
from cua.models.openai_responses import OpenAIResponses
from cua.types import ChatMessage, Reply, ToolCall
from tests.models import FRAME, KEY, REQUEST
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.genai_server import GenAIServer
from tests.servers.http import Call
from tests.servers.openai_server import OpenAIServer
from tests.servers.responses_server import ResponsesServer

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}
FORMAT = {"name": "reply", "strict": True, "schema": SCHEMA}
BASE64 = base64.b64encode(FRAME.jpeg).decode()
PICTURE = f"data:image/jpeg;base64,{BASE64}"
CALL = {"name": "click", "arguments": {"x": 1}}
REPLY = {"text": "I see a désktop, 一个桌面.", "calls": [CALL]}
CONVERSATION = [
    *REQUEST,
    ChatMessage("assistant", ("one", "two")),
    ChatMessage("user", ("Go on.",)),
]


def sent(call: Call, *named: str) -> tuple[Any, ...]:
    """The path, the headers that are named (or the usual ones), and the body."""
    shown = [call.headers[name] for name in (*(named or ("authorization",)), "content-type")]
    return call.path, *shown, call.json()


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


async def test_messages_are_asked_and_read_as_anthropics_sdk_does() -> None:
    anthropic = pytest.importorskip("anthropic")
    async with AnthropicServer([REPLY, REPLY], key=KEY) as server:
        ours = Anthropic(ModelEndpoint(server.base_url, "m", KEY))
        reply = await ours.complete(CONVERSATION)
        await ours.aclose()
        picture = {"type": "base64", "media_type": "image/jpeg", "data": BASE64}
        async with anthropic.AsyncAnthropic(
            base_url=server.base_url, api_key=KEY, max_retries=0
        ) as sdk:
            stream = await sdk.messages.create(
                model="m",
                max_tokens=MAX_TOKENS,
                system=[{"type": "text", "text": "You are a pair of hands."}],
                messages=[
                    {
                        "role": "user",
                        "content": [text("Look."), {"type": "image", "source": picture}],
                    },
                    {"role": "assistant", "content": [text("one"), text("two")]},
                    {
                        "role": "user",
                        "content": [text("Go on.") | {"cache_control": {"type": "ephemeral"}}],
                    },
                ],
                stream=True,
            )
            events = [event async for event in stream]
        asked, reference = (
            sent(call, "authorization", "anthropic-version") for call in server.calls
        )
    assert asked == reference
    deltas = [event.delta for event in events if event.type == "content_block_delta"]
    assert reply.text == "".join(each.text for each in deltas if each.type == "text_delta")
    given = [each.partial_json for each in deltas if each.type == "input_json_delta"]
    assert [json.dumps(call.arguments) for call in reply.calls] == ["".join(given)]


async def test_gemini_is_asked_and_read_as_googles_sdk_does() -> None:
    genai = pytest.importorskip("google.genai")
    from google.genai import types

    async with GenAIServer([REPLY, REPLY], key=KEY) as server, httpx2.AsyncClient() as http:
        ours = GenAI(ModelEndpoint(server.base_url, "m", KEY, native=True))
        reply = await ours.complete(CONVERSATION)
        await ours.aclose()
        options = types.HttpOptions(
            base_url=server.base_url, api_version="v1beta", httpx_async_client=http
        )
        use = types.ComputerUse(
            environment="ENVIRONMENT_DESKTOP",
            excluded_predefined_functions=["mouse_down", "mouse_up", "key_down", "key_up"],
        )
        async with genai.Client(vertexai=False, api_key=KEY, http_options=options).aio as sdk:
            stream = await sdk.models.generate_content_stream(
                model="m",
                contents=[
                    types.UserContent(
                        [
                            types.Part(text="Look."),
                            types.Part.from_bytes(data=FRAME.jpeg, mime_type="image/jpeg"),
                        ]
                    ),
                    types.ModelContent([types.Part(text="one"), types.Part(text="two")]),
                    types.UserContent([types.Part(text="Go on.")]),
                ],
                config=types.GenerateContentConfig(
                    system_instruction=types.Content(
                        parts=[types.Part(text="You are a pair of hands.")]
                    ),
                    thinking_config=types.ThinkingConfig(include_thoughts=True),
                    tools=[types.Tool(computer_use=use)],
                ),
            )
            chunks = [chunk async for chunk in stream]
        asked, reference = (sent(call, "x-goog-api-key") for call in server.calls)
    assert asked == camel_case(reference)
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    assert reply.text == "".join(part.text or "" for part in parts if not part.thought)
    made = [part.function_call for part in parts if part.function_call]
    assert [(call.name, call.arguments) for call in reply.calls] == [
        (each.name, each.args) for each in made
    ]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def camel_case(value: Any) -> Any:
    """With Google's names of fields in one of the two spellings, which its SDK mixes."""
    if isinstance(value, dict):
        return {
            re.sub("_([a-z])", lambda found: found[1].upper(), key): camel_case(each)
            for key, each in value.items()
        }
    return type(value)(map(camel_case, value)) if isinstance(value, (list, tuple)) else value
