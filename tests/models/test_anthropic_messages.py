"""What is particular to Claude: generations of its tool, and that its words go back unchanged."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.events.log import EventLog
from cua.models.anthropic_messages import Anthropic
from cua.models.endpoint import ModelEndpoint
from cua.models.provider import CALL_RESULT
from cua.types import ModelError
from tests import models
from tests.models import KEY, REQUEST, after, json_of, listen

TWO = [
    {"name": "left_click", "arguments": {"coordinate": [10, 20]}},
    {"name": "type", "arguments": {"text": "hello"}},
]


talking = partial(models.talking, "anthropic", native=True)


async def test_request_has_the_form_of_the_service() -> None:
    async with talking({"text": "Done"}) as (server, model):
        await model.complete(REQUEST)
    (body,) = server.requests
    headers = server.calls[0].headers
    assert "anthropic-beta" not in headers
    assert (body["model"], body["max_tokens"], body["stream"]) == ("scripted", 4096, True)
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


async def test_reply_goes_back_unchanged_with_a_result_for_each_call() -> None:
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
    assert words["text"] == "Clicked."


async def test_another_provider_rebuilds_the_calls() -> None:
    """As after a restart: another provider goes on with the conversation."""
    async with talking({"calls": TWO}) as (_, model):
        reply = await model.complete(REQUEST)
    async with talking({"text": "Done"}) as (server, other):
        assert (await other.complete(after(reply))).text == "Done"
    _, said, _ = server.requests[0]["messages"]
    assert [block["name"] for block in said["content"]] == ["left_click", "type"]
    assert said["content"][0]["toolset_name"] == "computer"


async def test_old_reasoning_is_left_out_where_the_server_refuses_it() -> None:
    refusal = {"error": {"message": "Invalid `signature` in `thinking` block"}}
    script = [{"reasoning": "hm", "calls": TWO}, {"status": 400, "body": refusal}, {"text": "Done"}]
    async with talking(*script, server={"signed": False}) as (server, model):
        reply = await model.complete(REQUEST)
        assert (await model.complete(after(reply))).text == "Done"
    kinds = [[b["type"] for b in r["messages"][1]["content"]] for r in server.requests[1:]]
    assert kinds == [["thinking", "tool_use", "tool_use"], ["tool_use", "tool_use"]]


async def test_calls_without_their_reasoning_go_back_as_text() -> None:
    """As after a new key in the middle of a task."""
    script = [{"reasoning": "hm", "calls": TWO}, {"text": "Done"}]
    async with talking(*script) as (server, model):
        reply = await model.complete(REQUEST)
        other = Anthropic(ModelEndpoint(server.base_url, "scripted", KEY, native=True))
        try:
            assert (await other.complete(after(reply))).text == "Done"
        finally:
            await other.aclose()
    _, said, told = server.requests[-1]["messages"]
    assert [block["type"] for block in said["content"]] == ["text", "text"]
    assert "left_click" in said["content"][0]["text"]
    assert [block["type"] for block in told["content"]] == ["text", "image"]


@pytest.mark.parametrize("generation", Anthropic.TOOLS)
async def test_newest_supported_tool_is_used(generation: tuple[str, str]) -> None:
    kind, beta = generation
    async with talking({"text": "a"}, {"text": "b"}, server={"tools": [kind]}) as (server, model):
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


async def test_model_without_a_supported_tool_is_an_error() -> None:
    async with talking(server={"tools": []}) as (server, model):
        with pytest.raises(ModelError, match="does not support tool types: computer_20250124"):
            await model.complete(REQUEST)
    assert len(server.calls) == 3


async def test_schema_is_left_out_where_refused_and_the_person_told() -> None:
    log = EventLog()
    told = listen(log, "log", itemgetter("text"))
    refusal = {"error": {"message": "output_config: Extra inputs are not permitted"}}
    script = [{"status": 400, "body": refusal}, {"text": "{}"}]
    async with talking(*script, log=log) as (server, model):
        await model.complete(REQUEST, {"type": "object"})
    first, second = server.requests
    assert first["output_config"]["format"]["schema"] == {"type": "object"}
    assert "output_config" not in second
    assert len(told) == 1


async def test_its_models_are_listed() -> None:
    async with talking() as (_, model):
        assert await model.list_models() == ["claude-scripted"]


async def test_refusal_is_an_error() -> None:
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


@settings(max_examples=25, deadline=None)
@given(st.lists(events, max_size=5))
async def test_events_of_any_shape_make_a_reply_or_an_error(chunks: list[Any]) -> None:
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    async with talking({"chunks": [*chunks, stop]}) as (_, model):
        try:
            reply = await model.complete(REQUEST)
        except ModelError:
            return
    assert reply.text or reply.calls or reply.reasoning
