"""What is particular to OpenAI's Responses: sealed items go back, calls want a picture."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cua.models.endpoint import ModelEndpoint
from cua.models.openai_responses import OpenAIResponses
from cua.types import ChatMessage, ModelError, Reply, ToolCall
from tests import models
from tests.models import FRAME, KEY, REQUEST, after, json_of

CLICK: dict[str, Any] = {
    "name": "computer",
    "arguments": {"actions": [{"type": "click", "x": 1, "y": 2}]},
}
CHECKS = [{"id": "sc1", "code": "malicious_instructions", "message": "The page gives orders."}]


talking = partial(models.talking, "responses", native=True)


async def test_request_has_the_form_of_the_service() -> None:
    async with talking({"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
    (body,) = server.requests
    assert (body["store"], body["stream"], body["truncation"]) == (False, True, "auto")
    assert body["tools"] == [{"type": "computer"}]
    assert body["instructions"] == "You are a pair of hands."
    (turn,) = body["input"]
    text, image = turn["content"]
    assert text == {"type": "input_text", "text": "Look."}
    assert (image["type"], image["detail"]) == ("input_image", "original")
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (1000, 900, 7)


async def test_an_image_of_the_person_is_not_taken_for_the_screen() -> None:
    theirs = replace(FRAME, jpeg=b"theirs", name="a.png")
    async with talking({"calls": [CLICK]}, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        await model.complete(after(reply, "Like this:", theirs, "Now:", FRAME))
    output, turn = server.requests[1]["input"][-2:]
    assert output["output"]["image_url"].endswith(base64.b64encode(FRAME.jpeg).decode())
    said, image, now = turn["content"]
    assert (said["text"], now["text"]) == ("Like this:", "Now:")
    assert image["image_url"].endswith(base64.b64encode(b"theirs").decode())


async def test_items_go_back_unchanged_and_the_call_gets_its_screenshot() -> None:
    first = {"reasoning": "I see a field.", "text": "I click it.", "calls": [CLICK]}
    async with talking(first, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        assert reply.reasoning == "I see a field."
        assert (await model.complete(after(reply))).text == "Done"
    _, thought, message, call, output, told = server.requests[1]["input"]
    assert thought["encrypted_content"] == "sealed"
    assert message["content"][0]["text"] == "I click it."
    assert call["actions"] == CLICK["arguments"]["actions"]
    assert (output["call_id"], output["output"]["detail"]) == (call["call_id"], "original")
    assert told["content"] == [{"type": "input_text", "text": "Clicked."}]


async def test_call_with_forgotten_items_is_rebuilt() -> None:
    """As after a change of the settings, which makes another client."""
    async with talking({"calls": [CLICK]}, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        other = OpenAIResponses(ModelEndpoint(server.base_url, "scripted", KEY, native=True))
        assert (await other.complete(after(reply))).text == "Done"
        await other.aclose()
    (first,) = reply.calls
    call = server.requests[1]["input"][1]
    assert (call["id"], call["call_id"]) == (f"cu_{first.id}", first.id)


async def test_call_of_another_vendor_goes_back_as_text() -> None:
    other = ToolCall("computer", {"action": "left_click", "coordinate": [1, 2]}, "toolu_1")
    async with talking({"text": "Done"}) as (server, model):
        await model.complete(after(Reply("", calls=(other,))))
    assert "left_click" in server.requests[0]["input"][1]["content"]


async def test_a_call_whose_screenshot_was_dropped_goes_back_as_text() -> None:
    first = {"reasoning": "I see.", "calls": [CLICK]}
    async with talking(first, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        assert (await model.complete(after(reply, "Clicked.", "(no longer shown)"))).text == "Done"
    _, said, _ = server.requests[1]["input"]
    assert said["role"] == "assistant"
    assert '"x": 1' in said["content"]


async def test_older_tool_is_offered_where_required() -> None:
    async with talking({"text": "Done"}, server={"tools": ["computer_use_preview"]}) as (
        server,
        model,
    ):
        await model.complete(REQUEST)
    (tool,) = server.requests[-1]["tools"]
    assert (tool["display_width"], tool["display_height"]) == (FRAME.width, FRAME.height)


async def test_only_what_a_person_confirmed_is_acknowledged() -> None:
    checked = {
        "name": "computer",
        "arguments": {**CLICK["arguments"], "pending_safety_checks": CHECKS},
    }
    async with talking({"calls": [checked]}, {"text": "a"}, {"text": "b"}) as (server, model):
        reply = await model.complete(REQUEST)
        (call,) = reply.calls
        await model.complete(after(reply))
        yes = ToolCall(call.name, {**call.arguments, "safety_acknowledgement": True}, call.id)
        await model.complete(
            [*REQUEST, ChatMessage("assistant", (yes,)), ChatMessage("user", (FRAME,))]
        )
    outputs = [
        item
        for request in server.requests[1:]
        for item in request["input"]
        if item.get("type") == "computer_call_output"
    ]
    assert [output.get("acknowledged_safety_checks") for output in outputs] == [None, CHECKS]


EVENTS = json_of(
    "type", "delta", "item", "response", "error", "call_id", "name", "arguments", "actions",
    "usage", "incomplete_details", "reason", "status",
)  # fmt: skip
TYPES = st.sampled_from([
    "response.output_item.added", "response.output_item.done", "response.output_text.delta",
    "response.completed", "response.incomplete", "response.failed", "error",
])  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(TYPES, st.dictionaries(st.just("item"), EVENTS)), max_size=6))
async def test_events_of_any_shape_make_a_reply_or_an_error(events: Any) -> None:
    chunks = [{**rest, "type": kind} for kind, rest in events]
    async with talking({"chunks": chunks}) as (_, model):
        with suppress(ModelError):
            assert (await model.complete(REQUEST)).finish_reason
