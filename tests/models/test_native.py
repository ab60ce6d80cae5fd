"""A provider's own computer tool: offered to its family's dialect, and answered in its form."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cua.dialects import prompting, registry
from cua.events.log import EventLog
from cua.models import registry as models
from cua.types import ChatMessage, Click, Done, Model, ParsedReply, Step, Task
from tests.models import FRAME, KEY
from tests.models import server as server_of
from tests.servers.genai_server import SIGNATURE

CLICK = {
    "openai_computer": {
        "name": "computer",
        "arguments": {"actions": [{"type": "click", "button": "left", "x": 64, "y": 36}]},
    },
    "claude": {"name": "left_click", "arguments": {"coordinate": [64, 36]}},
    "gemini": {"name": "click", "arguments": {"x": 50, "y": 50}},
}


KINDS = {"anthropic": "claude", "genai": "gemini", "responses": "openai_computer"}
"""The dialect of each kind of provider that has a computer tool."""
of_each = pytest.mark.parametrize(("kind", "dialect"), KINDS.items())


@asynccontextmanager
async def connected(kind: str, dialect: str, *script: Any) -> AsyncIterator[tuple[Any, Model]]:
    """Yield a scripted server and the model that the registry makes for it."""
    async with server_of(kind, *script, key=KEY) as server:
        address = {"base_url": server.base_url, "api_key": KEY, "model_name": "model-x"}
        model = models.create(kind, dialect=dialect, log=EventLog(), **address)
        try:
            yield server, model
        finally:
            await model.aclose()


async def turn(model: Model, name: str, task: Task) -> ParsedReply:
    """One round of the agent's loop, without executing anything."""
    dialect = registry.create(name)
    step = Step(len(task.steps) + 1, "Carried out." if task.steps else "", FRAME)
    task.steps.append(step)
    messages = dialect.messages(prompting.default_prompt(name), task, 3)
    step.reply = await model.complete(messages, dialect.schema)
    step.parsed = dialect.parse(step.reply, (FRAME.width, FRAME.height))
    return step.parsed


@of_each
async def test_calls_are_executed_and_answered(kind: str, dialect: str) -> None:
    task = Task("Click the corner.")
    script = [{"calls": [CLICK[dialect]]}, {"text": "DONE: It is clicked."}]
    async with connected(kind, dialect, *script) as (server, model):
        first, last = await turn(model, dialect, task), await turn(model, dialect, task)
    (click,) = first.actions
    assert isinstance(click, Click)
    assert click.at is not None
    assert (click.at.x, click.at.y) == pytest.approx((0.05, 0.05), abs=0.001)
    assert last.actions == (Done(answer="It is clicked."),)
    assert all(request.get("tools") for request in server.requests)
    answered = str(server.requests[1])
    assert any(name in answered for name in ("tool_result", "functionResponse", "call_output"))


@pytest.mark.parametrize("kind", KINDS)
async def test_no_tool_is_offered_for_another_dialect(kind: str) -> None:
    async with connected(kind, "kvm", {"text": "Done"}) as (server, model):
        await turn(model, "kvm", Task("Do nothing."))
    assert "tools" not in server.requests[0]


THOUGHTS = {"openai_computer": "sealed", "claude": "sig", "gemini": SIGNATURE}


@of_each
async def test_second_opinion_leaves_the_conversation_as_it_was(kind: str, dialect: str) -> None:
    task = Task("Click the corner.")
    first = {"reasoning": "There is a corner.", "calls": [CLICK[dialect]]}
    script = [first, {"text": "NO."}, {"text": "DONE: It is."}]
    async with connected(kind, dialect, *script) as (server, model):
        await turn(model, dialect, task)
        await model.complete([ChatMessage("user", ("Is it done?", FRAME))])
        await turn(model, dialect, task)
    assert THOUGHTS[dialect] in json.dumps(server.requests[2])
