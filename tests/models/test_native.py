"""A provider's own computer tool: offered for the dialect that speaks it, and answered in kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cua.dialects import registry
from cua.models import registry as models
from cua.types import ChatMessage, Click, Done, Model, ParsedReply, Step, Task
from tests.models import FRAME, KEY
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.genai_server import SIGNATURE, GenAIServer
from tests.servers.responses_server import ResponsesServer

CLICK = {
    "openai_computer": {
        "name": "computer",
        "arguments": {"actions": [{"type": "click", "button": "left", "x": 64, "y": 36}]},
    },
    "claude": {"name": "left_click", "arguments": {"coordinate": [64, 36]}},
    "gemini": {"name": "click", "arguments": {"x": 50, "y": 50}},
}


def model(api_type: str, server: Any, dialect: str) -> Model:
    address = {"base_url": server.base_url, "api_key": KEY, "model_name": "model-x"}
    return models.create(api_type, dialect=dialect, **address)


async def turn(speaker: Model, name: str, task: Task) -> ParsedReply:
    """One round of the loop without its hands."""
    dialect = registry.create(name)
    step = Step(len(task.steps) + 1, "Carried out." if task.steps else "", FRAME)
    task.steps.append(step)
    messages = dialect.messages(registry.default_prompt(name), task, 3)
    step.reply = await speaker.complete(messages, dialect.schema)
    step.parsed = dialect.parse(step.reply, (FRAME.width, FRAME.height))
    return step.parsed


@pytest.mark.parametrize(
    ("api_type", "name", "kind"),
    [
        ("anthropic", "claude", AnthropicServer),
        ("genai", "gemini", GenAIServer),
        ("responses", "openai_computer", ResponsesServer),
    ],
)
async def test_calls_are_acted_upon_and_answered(api_type: str, name: str, kind: Any) -> None:
    task = Task("Click the corner.")
    async with kind(
        [{"calls": [CLICK[name]]}, {"text": "DONE: It is clicked."}], key=KEY
    ) as server:
        speaker = model(api_type, server, name)
        try:
            first, last = await turn(speaker, name, task), await turn(speaker, name, task)
        finally:
            await speaker.aclose()
    (click,) = first.actions
    assert isinstance(click, Click)
    assert click.at is not None
    assert (click.at.x, click.at.y) == pytest.approx((0.05, 0.05), abs=0.001)
    assert last.actions == (Done(answer="It is clicked."),)
    assert all(request.get("tools") for request in server.requests)
    answered = str(server.requests[1])
    assert any(name in answered for name in ("tool_result", "functionResponse", "call_output"))


@pytest.mark.parametrize(
    ("api_type", "kind"),
    [("anthropic", AnthropicServer), ("genai", GenAIServer), ("responses", ResponsesServer)],
)
async def test_no_tool_is_offered_for_another_dialect(api_type: str, kind: Any) -> None:
    async with kind([{"text": "Done"}], key=KEY) as server:
        speaker = model(api_type, server, "kvm")
        try:
            await turn(speaker, "kvm", Task("Do nothing."))
        finally:
            await speaker.aclose()
    assert "tools" not in server.requests[0]


THOUGHTS = {"openai_computer": "sealed", "claude": "sig", "gemini": SIGNATURE}


@pytest.mark.parametrize(
    ("api_type", "name", "kind"),
    [
        ("anthropic", "claude", AnthropicServer),
        ("genai", "gemini", GenAIServer),
        ("responses", "openai_computer", ResponsesServer),
    ],
)
async def test_a_second_opinion_takes_nothing_out_of_the_conversation(
    api_type: str, name: str, kind: Any
) -> None:
    task = Task("Click the corner.")
    first = {"reasoning": "There is a corner.", "calls": [CLICK[name]]}
    async with kind([first, {"text": "NO."}, {"text": "DONE: It is."}], key=KEY) as server:
        speaker = model(api_type, server, name)
        try:
            await turn(speaker, name, task)
            await speaker.complete([ChatMessage("user", ("Is it done?", FRAME))])
            await turn(speaker, name, task)
        finally:
            await speaker.aclose()
    _, _, last = server.requests
    assert THOUGHTS[name] in json.dumps(last)
