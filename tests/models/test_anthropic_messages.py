"""What is particular to Claude: generations of its tool, and that its words go back unchanged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.models.anthropic_messages import TOOLS, Anthropic
from cua.models.endpoint import ModelEndpoint
from cua.models.provider import CALL_RESULT
from cua.types import ChatMessage, ModelError, Reply
from tests.models import FRAME, KEY, REQUEST, json_of
from tests.servers.anthropic_server import AnthropicServer

TWO = [
    {"name": "left_click", "arguments": {"coordinate": [10, 20]}},
    {"name": "type", "arguments": {"text": "hello"}},
]


@asynccontextmanager
async def talking(*script: Any, **server: Any) -> AsyncIterator[tuple[AnthropicServer, Anthropic]]:
    limits = server.pop("endpoint", {})
    async with AnthropicServer(script, key=KEY, **server) as running:
        model = Anthropic(
            ModelEndpoint(running.base_url, "claude-x", KEY, **{"native": True, **limits})
        )
        try:
            yield running, model
        finally:
            await model.aclose()


def after(reply: Reply, words: str = "Clicked and typed.") -> list[ChatMessage]:
    said = ChatMessage("assistant", (reply.text, *reply.calls) if reply.text else reply.calls)
    return [*REQUEST, said, ChatMessage("user", (words, FRAME))]


async def test_the_request_as_the_service_wants_it() -> None:
    async with talking({"text": "Done"}) as (server, model):
        await model.complete(REQUEST)
    (body,) = server.requests
    headers = server.calls[0].headers
    assert "anthropic-beta" not in headers
    assert (body["model"], body["max_tokens"], body["stream"]) == ("claude-x", 4096, True)
    assert body["system"] == [{"type": "text", "text": "You are a pair of hands."}]
    (turn,) = body["messages"]
    text, image = turn["content"]
    assert text == {"type": "text", "text": "Look."}
    assert image["source"]["media_type"] == "image/jpeg"
    assert image["cache_control"] == {"type": "ephemeral"}
    (tool,) = body["tools"]
    assert tool["type"] == "computer_toolset_20260801"
    assert tool["configs"] == {name: {"enabled": False} for name in ("cursor_position", "hold_key")}


async def test_tokens_count_those_from_the_cache_too() -> None:
    async with talking({"text": "Done"}) as (_, model):
        reply = await model.complete(REQUEST)
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (1000, 900, 7)


async def test_what_was_said_goes_back_as_it_was_with_a_result_for_each_call() -> None:
    first = {"reasoning": "I see a field.", "text": "I fill it in.", "calls": TWO}
    async with talking(first, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        assert reply.reasoning == "I see a field."
        assert (await model.complete(after(reply))).text == "Done"
    _, said, told = server.requests[1]["messages"]
    thinking, text, click, typing = said["content"]
    assert thinking == {"type": "thinking", "thinking": "I see a field.", "signature": "sig"}
    assert text["text"] == "I fill it in."
    assert (click["input"], click["toolset_name"]) == ({"coordinate": [10, 20]}, "computer")
    one, two, words = told["content"]
    assert (one["tool_use_id"], one["content"]) == (click["id"], CALL_RESULT)
    assert two["tool_use_id"] == typing["id"]
    assert two["content"][0]["type"] == "image"
    assert words["text"] == "Clicked and typed."


async def test_without_the_words_themselves_the_calls_are_put_together_again() -> None:
    """As after a restart: another provider goes on with the conversation."""
    async with talking({"calls": TWO}) as (_, model):
        reply = await model.complete(REQUEST)
    async with talking({"text": "Done"}) as (server, other):
        assert (await other.complete(after(reply))).text == "Done"
    _, said, _ = server.requests[0]["messages"]
    assert [block["name"] for block in said["content"]] == ["left_click", "type"]
    assert said["content"][0]["toolset_name"] == "computer"


async def test_a_server_that_wants_old_thoughts_left_out_gets_them_left_out() -> None:
    refusal = {"error": {"message": "Invalid `signature` in `thinking` block"}}
    script = [{"reasoning": "hm", "calls": TWO}, {"status": 400, "body": refusal}, {"text": "Done"}]
    async with talking(*script, signed=False) as (server, model):
        reply = await model.complete(REQUEST)
        assert (await model.complete(after(reply))).text == "Done"
    kinds = [[b["type"] for b in r["messages"][1]["content"]] for r in server.requests[1:]]
    assert kinds == [["thinking", "tool_use", "tool_use"], ["tool_use", "tool_use"]]


async def test_calls_whose_thoughts_are_lost_go_back_as_text_where_they_are_wanted() -> None:
    """As after a new key in the middle of a task."""
    script = [{"reasoning": "hm", "calls": TWO}, {"text": "Done"}]
    async with talking(*script) as (server, model):
        reply = await model.complete(REQUEST)
        other = Anthropic(ModelEndpoint(server.base_url, "claude-x", KEY, native=True))
        try:
            assert (await other.complete(after(reply))).text == "Done"
        finally:
            await other.aclose()
    _, said, told = server.requests[-1]["messages"]
    assert [block["type"] for block in said["content"]] == ["text", "text"]
    assert "left_click" in said["content"][0]["text"]
    assert [block["type"] for block in told["content"]] == ["text", "image"]


@pytest.mark.parametrize("generation", TOOLS)
async def test_the_newest_tool_that_the_model_takes_is_used(generation: tuple[str, str]) -> None:
    kind, beta = generation
    async with talking({"text": "a"}, {"text": "b"}, tools=[kind]) as (server, model):
        await model.complete(REQUEST)
        asked = len(server.calls)
        await model.complete(REQUEST)
    assert len(server.calls) == asked + 1  # and it is remembered
    call = server.calls[-1]
    assert call.headers.get("anthropic-beta", "") == beta
    (tool,) = call.json()["tools"]
    assert tool["type"] == kind
    assert tool.get("enable_zoom", False) is (kind == "computer_20251124")
    if beta:
        assert (tool["name"], tool["display_width_px"], tool["display_height_px"]) == (
            "computer",
            1280,
            720,
        )


async def test_a_model_that_takes_none_of_them_says_so() -> None:
    async with talking(tools=[]) as (server, model):
        with pytest.raises(ModelError, match="does not support tool types: computer_20250124"):
            await model.complete(REQUEST)
    assert len(server.calls) == 3


async def test_a_schema_and_a_model_that_knows_none() -> None:
    told: list[str] = []
    refusal = {"error": {"message": "output_config: Extra inputs are not permitted"}}
    script = [{"status": 400, "body": refusal}, {"text": "{}"}]
    async with talking(*script, endpoint={"notify": told.append}) as (server, model):
        await model.complete(REQUEST, {"type": "object"})
    first, second = server.requests
    assert first["output_config"]["format"]["schema"] == {"type": "object"}
    assert "output_config" not in second
    assert len(told) == 1


async def test_its_models_are_listed() -> None:
    async with talking() as (_, model):
        assert await model.list_models() == ["claude-scripted"]


async def test_a_refusal_is_not_a_reply() -> None:
    async with talking({"text": "I will not", "finish": "content_filter"}) as (_, model):
        with pytest.raises(ModelError, match="content filter"):
            await model.complete(REQUEST)


anything = json_of(
    "type", "index", "content_block", "delta", "text", "partial_json", "usage", "message", "id"
)
kinds = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "message_delta", "x"]
)
events = st.builds(
    lambda kind, rest: {**(rest if isinstance(rest, dict) else {}), "type": kind}, kinds, anything
)


@settings(max_examples=40, deadline=None)
@given(st.lists(events, max_size=5))
async def test_events_of_any_shape_make_a_reply_or_an_error(chunks: list[Any]) -> None:
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    async with talking({"chunks": [*chunks, stop]}) as (_, model):
        try:
            reply = await model.complete(REQUEST)
        except ModelError:
            return
    assert reply.text or reply.calls or reply.reasoning
