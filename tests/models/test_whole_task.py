"""Whole tasks over real sockets: a real llama.cpp server, and one with the tightest limits."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from cua.events.log import EventLog
from cua.models import registry
from cua.types import Done, Step
from tests.models.local.simulated_run import simulated_run
from tests.servers.llama_server import KEY, needs_llama, running
from tests.servers.openai_server import OpenAIServer

SMALL = (320, 180)
CONTEXT = 16384
IMAGE = 920
"""Tokens of a 1280 x 720 screenshot, as Qwen3-VL's servers count them."""
LAST = 20


@needs_llama
async def test_a_real_server_holds_a_model_that_knows_nothing_to_the_schema() -> None:
    """Its weights are random, so what it does is; that each reply is an action is the schema's."""
    steps: list[Step] = []
    async with running("plain") as server:
        for seed in range(10):  # some tasks it ends at once
            steps += await take_steps(server.base_url, seed)
            if any(step.outcome and step.outcome.kind == "executed" for step in steps):
                break
        else:
            pytest.fail("nothing was executed")
    replies = [step.reply.text for step in steps if step.reply]
    assert all(json.loads(reply)["action"]["kind"] for reply in replies)


async def take_steps(base_url: str, seed: int) -> list[Step]:
    """At most four."""
    model = registry.create(
        "openai",
        base_url=base_url,
        api_key=KEY,
        model_name="tiny-vl",
        log=EventLog(),
        sampling={"seed": seed, "temperature": 1.0},
    )
    try:
        async with simulated_run(model, "json", SMALL) as machine:
            with suppress(AssertionError):  # it may never say that it is done
                await machine.run("Open the notepad.", max_steps=4)
    finally:
        await model.aclose()
    return machine.task.steps


async def test_a_context_of_16_k_and_two_images_are_enough_for_a_task() -> None:
    async with OpenAIServer(narrow) as server:
        model = registry.create(
            "openai", base_url=server.base_url, api_key="", model_name="narrow", log=EventLog()
        )
        try:
            async with simulated_run(model) as machine:
                ending = await machine.run("Look for a long time.")
        finally:
            await model.aclose()
    assert isinstance(ending, Done), machine.replies()
    assert len(machine.task.steps) == LAST
    assert machine.task.max_images == 2
    assert [request["images"] for request in server.requests].count(3) == 1  # asked once, learnt


def narrow(body: dict[str, Any]) -> dict[str, Any]:
    """Counts as vLLM does with `--max-model-len 16384 --limit-mm-per-prompt '{"image":2}'`."""
    text = json.dumps(body)
    images = text.count("data:image/jpeg")
    words = sum(len(part) for part in text.split('"') if not part.startswith("data:image/"))
    if images > 2:
        return refusal("At most 2 image(s) may be provided in one prompt.")
    if words / 3.6 + images * IMAGE > CONTEXT:
        return refusal(
            f"This model's maximum context length is {CONTEXT} tokens. However, your request has "
            f"{round(words / 3.6 + images * IMAGE)} input tokens. Please reduce the length of the "
            "input messages."
        )
    rounds = sum(turn["role"] == "assistant" for turn in body["messages"])
    thought = "# " + "The screen shows the desktop, and nothing has changed on it so far. " * 6
    return {"text": f"{thought}\n{'Done' if rounds >= LAST - 1 else 'sleep 0.1'}"}


def refusal(words: str) -> dict[str, Any]:
    error = {"message": words, "type": "BadRequestError", "param": None, "code": 400}
    return {"status": 400, "body": {"error": error}}
