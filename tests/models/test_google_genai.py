"""What is particular to Gemini: signed thoughts, environments, and decisions for the person."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.models.google_genai import UNSIGNED
from cua.models.provider import CALL_RESULT
from cua.types import ModelError
from tests import models
from tests.models import FRAME, KEY, REQUEST, after, json_of
from tests.servers.genai_server import SIGNATURE

TWO = [
    {"name": "click", "arguments": {"x": 500, "y": 250, "intent": "the field"}},
    {"name": "type", "arguments": {"text": "hello", "press_enter": True}},
]
RISKY = {
    "name": "click",
    "arguments": {"x": 1, "y": 2, "safety_decision": {"decision": "require_confirmation"}},
}


talking = partial(models.talking, "genai", native=True)


async def test_request_has_the_form_of_the_service() -> None:
    async with talking({"text": "Done"}, sampling={"temperature": 0}) as (
        server,
        model,
    ):
        await model.complete(REQUEST)
    call = server.calls[0]
    assert call.path == "/v1beta/models/scripted:streamGenerateContent?alt=sse"
    assert KEY not in call.path
    body = call.json()
    assert body["systemInstruction"]["parts"] == [{"text": "You are a pair of hands."}]
    (content,) = body["contents"]
    text, image = content["parts"]
    assert text == {"text": "Look."}
    assert base64.b64decode(image["inlineData"]["data"]) == FRAME.jpeg
    assert body["tools"][0]["computerUse"]["environment"] == "ENVIRONMENT_DESKTOP"
    assert body["generationConfig"]["temperature"] == 0


async def test_tokens_and_reasoning() -> None:
    async with talking({"text": "Done", "reasoning": "I see."}) as (_, model):
        reply = await model.complete(REQUEST)
    assert (reply.reasoning, reply.text) == ("I see.", "Done")
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (1000, 600, 7)


async def test_reply_goes_back_signed_with_a_result_for_each_call() -> None:
    first = {"reasoning": "hm", "text": "I fill it in.", "pieces": 1, "calls": TWO}
    async with talking(first, {"text": "Done"}) as (server, model):
        reply = await model.complete(REQUEST)
        assert [call.name for call in reply.calls] == ["click", "type"]
        assert (await model.complete(after(reply))).text == "Done"
    _, said, told = server.requests[1]["contents"]
    assert said["role"] == "model"
    text, click, typing = said["parts"]
    assert text["text"] == "I fill it in."
    assert click["thoughtSignature"] == SIGNATURE
    assert click["functionCall"]["args"]["x"] == 500
    assert typing["functionCall"]["name"] == "type"
    one, two, words = told["parts"]
    assert one["functionResponse"] == {"name": "click", "response": {"output": CALL_RESULT}}
    picture = two["functionResponse"]["parts"][0]["inlineData"]
    assert base64.b64decode(picture["data"]) == FRAME.jpeg
    assert words == {"text": "Clicked."}


async def test_call_without_its_signature_is_marked() -> None:
    """As after a restart: another provider goes on with the conversation."""
    async with talking({"calls": TWO}) as (_, model):
        reply = await model.complete(REQUEST)
    async with talking({"text": "Done"}) as (server, other):
        assert (await other.complete(after(reply))).text == "Done"
    call = server.requests[0]["contents"][1]["parts"][0]
    assert call["thoughtSignature"] == UNSIGNED


async def test_safety_decision_is_acknowledged_only_after_the_persons_yes() -> None:
    async with talking({"calls": [RISKY]}, {"text": "No?"}, {"text": "Yes"}) as (server, model):
        reply = await model.complete(REQUEST)
        (call,) = reply.calls
        assert call.arguments["safety_decision"] == {"decision": "require_confirmation"}
        await model.complete(after(reply))
        confirmed = replace(call, arguments={**call.arguments, "safety_acknowledgement": True})
        await model.complete(after(replace(reply, calls=(confirmed,))))
    refused, agreed = (
        request["contents"][2]["parts"][0]["functionResponse"]["response"]
        for request in server.requests[1:]
    )
    assert refused == {"error": "The person has not confirmed this."}
    assert agreed == {"output": CALL_RESULT, "safety_acknowledgement": True}


async def test_older_model_gets_the_browser_environment() -> None:
    script = [{"text": "a"}, {"text": "b"}]
    async with talking(*script, server={"environments": ["ENVIRONMENT_BROWSER"]}) as (
        server,
        model,
    ):
        await model.complete(REQUEST)
        await model.complete(REQUEST)
    used = [request["tools"][0]["computerUse"] for request in server.requests]
    names = [use["environment"].removeprefix("ENVIRONMENT_") for use in used]
    assert names == ["DESKTOP", "BROWSER", "BROWSER"]
    assert "open_web_browser" in used[-1]["excludedPredefinedFunctions"]


async def test_thinking_is_left_out_where_refused() -> None:
    refusal = {"error": {"code": 400, "message": "Thinking is not enabled for this model"}}
    async with talking({"status": 400, "body": refusal}, {"text": "Done"}) as (server, model):
        assert (await model.complete(REQUEST)).text == "Done"
    asked = ["thinkingConfig" in request["generationConfig"] for request in server.requests[:1]]
    assert asked == [True]
    assert "thinkingConfig" not in server.requests[1].get("generationConfig", {})


async def test_a_schema_is_sent() -> None:
    async with talking({"text": "{}"}, native=False) as (server, model):
        await model.complete(REQUEST, {"type": "object"})
    config = server.requests[0]["generationConfig"]
    assert config["responseJsonSchema"] == {"type": "object"}
    assert "tools" not in server.requests[0]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"text": "x", "finish": "MALFORMED_FUNCTION_CALL"}, "function call was malformed"),
        ({"text": "x", "finish": "PROHIBITED_CONTENT"}, "content filter"),
        ({"chunks": [{"promptFeedback": {"blockReason": "SAFETY"}}]}, "content filter"),
        ({"chunks": ["nonsense"]}, "contains no choices"),
        ({"chunks": [{"candidates": 5}]}, "contains no choices"),
    ],
)
async def test_unusable_reply_is_an_error(reply: dict[str, Any], words: str) -> None:
    async with talking(reply) as (_, model):
        with pytest.raises(ModelError, match=words):
            await model.complete(REQUEST)


async def test_its_models_are_listed() -> None:
    async with talking() as (_, model):
        assert await model.list_models() == ["gemini-scripted"]


anything = json_of(
    "candidates",
    "content",
    "parts",
    "text",
    "functionCall",
    "args",
    "name",
    "finishReason",
    "error",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(anything | st.builds(lambda x: {"candidates": [x]}, anything), max_size=4))
async def test_chunks_of_any_shape_make_an_error(chunks: list[Any]) -> None:
    async with talking({"chunks": chunks}) as (_, model):
        with pytest.raises(ModelError):
            await model.complete(REQUEST)
