"""What is particular to chat completions, against a scripted server over real sockets."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from functools import partial
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.events.log import EventLog
from cua.models.endpoint import ModelEndpoint
from cua.models.openai_chat import OpenAIChat
from cua.types import ChatMessage, ModelError, Reply
from tests import models
from tests.models import KEY, REQUEST, json_of, listen
from tests.servers.openai_server import ENGINE_DEAD, OpenAIServer

talking = partial(models.talking, "openai", server={"key": ""})


async def ask(*script: Any, **endpoint: Any) -> Reply:
    async with talking(*script, **endpoint) as (_, model):
        return await model.complete(REQUEST)


def chunk(delta: object, finish: object = None) -> dict[str, Any]:
    return {"choices": [{"delta": delta, "finish_reason": finish}]}


async def test_request_has_the_form_of_chat_completions() -> None:
    async with talking({"text": "Done"}, sampling={"temperature": 0, "max_tokens": 9}) as pair:
        server, model = pair
        await model.complete([*REQUEST, ChatMessage("assistant", ("one", "ü\ud83d"))])
    (request,) = server.requests
    assert request["authorization"] == f"Bearer {KEY}"
    assert request["images"] == 1
    body = request["body"]
    assert (body["model"], body["stream"], body["temperature"], body["max_tokens"]) == (
        "scripted",
        True,
        0,
        9,
    )
    assert body["stream_options"] == {"include_usage": True}
    system, user, assistant = body["messages"]
    assert system == {"role": "system", "content": "You are a pair of hands."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert user["content"][1]["image_url"]["url"].startswith("<image of")
    assert assistant == {"role": "assistant", "content": "one\nü\ud83d"}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
async def test_reasoning_under_all_its_names(field: str) -> None:
    reply = await ask({"reasoning": "I see.", "reasoning_field": field, "text": "Done"})
    assert (reply.reasoning, reply.text) == ("I see.", "Done")


async def test_cached_tokens() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    reply = await ask({"text": "x", "usage": usage})
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (9, 2, 4)


async def test_stream_options_are_left_out_where_refused() -> None:
    unknown = {"status": 422, "body": {"detail": "Unexpected fields: {'stream_options'}"}}
    async with talking(unknown, {"text": "a"}, {"text": "b"}) as (server, model):
        assert (await model.complete(REQUEST)).text == "a"
        assert (await model.complete(REQUEST)).text == "b"
    asked = ["stream_options" in request["body"] for request in server.requests]
    assert asked == [True, False, False]


SCHEMA = {"type": "object", "properties": {"action": {"type": "string"}}}


async def test_schema_is_sent_as_response_format() -> None:
    async with talking({"text": "{}"}) as (server, model):
        await model.complete(REQUEST, SCHEMA)
    fit = server.requests[0]["body"]["response_format"]
    assert fit["type"] == "json_schema"
    assert fit["json_schema"]["schema"] == SCHEMA


async def test_schema_is_left_out_where_refused_and_the_person_told() -> None:
    unknown = {"status": 400, "body": {"error": "Unrecognized argument: response_format"}}
    log = EventLog()
    told = listen(log, "log", itemgetter("text"))
    async with talking(unknown, {"text": "{}"}, log=log) as (server, model):
        await model.complete(REQUEST, SCHEMA)
    asked = ["response_format" in request["body"] for request in server.requests]
    assert asked == [True, False]
    assert told == ["The server does not support `response_format`. Continuing without it."]


async def test_the_models_of_a_server() -> None:
    async with OpenAIServer(models=("a", "b"), key=KEY) as server:
        model = OpenAIChat(ModelEndpoint(server.base_url, "m", KEY))
        assert await model.list_models() == ["a", "b"]
        await model.aclose()
    with pytest.raises(ModelError, match="Cannot connect"):
        await OpenAIChat(ModelEndpoint(server.base_url, "m")).list_models()


async def test_key_is_optional() -> None:
    async with talking({"text": "Done"}, key="") as (server, model):
        await model.complete(REQUEST)
    assert server.requests[0]["authorization"] == "Bearer none"


async def test_full_address_of_the_endpoint_is_accepted() -> None:
    async with OpenAIServer([{"text": "Done"}]) as server:
        model = OpenAIChat(ModelEndpoint(f"{server.base_url}/chat/completions", "m"))
        assert (await model.complete(REQUEST)).text == "Done"
        await model.aclose()


async def test_a_reply_without_done_and_usage_is_whole() -> None:
    reply = await ask({"chunks": [chunk({"content": "Done"}), chunk({}, "stop")]})
    assert (reply.text, reply.tokens_in) == ("Done", 0)


async def test_a_finished_reply_is_whole_though_the_server_hangs_then() -> None:
    assert (await ask({"text": "Done", "fault": "hang"})).text == "Done"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"chunks": [chunk({"content": "a"}), ENGINE_DEAD, "[DONE]"]}, "EngineCore encountered"),
        ({"chunks": [{"error": "out of memory"}]}, "out of memory"),
        ({"fault": "not_json", "text": "x"}, "not valid JSON"),
        ({"fault": "html"}, "not a stream of chat messages"),
        ({"fault": "null"}, "reply is empty"),
        ({"fault": "endless"}, "was stopped at"),
        ({"chunks": []}, "contains no choices"),
        ({"chunks": [chunk({"content": None}, "content_filter")]}, "content filter"),
        ({"status": 404, "body": {"detail": "Not Found"}}, "Correct the base URL"),
    ],
)
async def test_faults_of_this_protocol(script: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        await ask(script)


anything = json_of(
    "choices",
    "delta",
    "content",
    "tool_calls",
    "function",
    "index",
    "finish_reason",
    "usage",
    "error",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(anything | st.builds(chunk, anything, anything), max_size=5))
async def test_chunks_of_any_shape_make_a_reply_or_an_error(chunks: list[object]) -> None:
    try:
        reply = await ask({"chunks": [*map(json.dumps, chunks), chunk({"content": "x"}, "stop")]})
    except ModelError:
        return
    assert reply.text.endswith("x") or reply.finish_reason != "stop"


async def test_the_first_request_does_not_hold_the_loop_for_the_import() -> None:
    """In a process of its own, where httpx has not been imported yet."""
    program = """
import asyncio, sys, time
from cua.models.openai_chat import OpenAIChat
from cua.models.endpoint import ModelEndpoint
from cua.types import ModelError

async def main():
    assert "httpx2" not in sys.modules
    gaps, model = [], OpenAIChat(ModelEndpoint("http://127.0.0.1:9/v1", "m"))
    task = asyncio.create_task(model.complete([]))
    while not task.done():
        before = time.monotonic()
        await asyncio.sleep(0.001)
        gaps.append(time.monotonic() - before)
    assert isinstance(task.exception(), ModelError)
    print(len(gaps), max(gaps))

asyncio.run(main())
"""
    began = time.monotonic()
    run = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    wakings, longest = run.stdout.split()
    assert int(wakings) > 20
    assert float(longest) < (time.monotonic() - began) / 3
