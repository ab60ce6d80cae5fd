"""A real server: llama.cpp with a tiny model of random weights. Its errors and cuts are real."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PIL import Image

from cua.models.endpoint import ModelEndpoint
from cua.models.errors import TransientError
from cua.models.openai_chat import OpenAIChat
from cua.models.openai_responses import OpenAIResponses
from cua.models.retry import RetryingModel
from cua.types import ChatMessage, Frame, ModelError, ModelLimit
from tests.servers.llama_server import KEY, Running, missing_dependency, needs_llama, running

pytestmark = needs_llama
SCHEMA = {
    "type": "object",
    "properties": {
        "action": {"enum": ["click", "done"]},
        "x": {"type": "integer", "minimum": 0, "maximum": 1000},
    },
    "required": ["action", "x"],
    "additionalProperties": False,
}


def screenshot() -> Frame:
    jpeg = io.BytesIO()
    Image.new("RGB", (640, 360), "navy").save(jpeg, "JPEG")
    return Frame(jpeg.getvalue(), 640, 360, 1, 0.0)


LOOK = [ChatMessage("system", ("Click.",)), ChatMessage("user", ("Look.", screenshot()))]


@asynccontextmanager
async def talking(
    kind: str = "vl", *, key: str = KEY, **sampling: Any
) -> AsyncIterator[tuple[Running, RetryingModel]]:
    async with running(kind) as server:
        endpoint = ModelEndpoint(
            server.base_url, f"tiny-{kind}", key, sampling={"max_tokens": 64, **sampling}
        )
        model = RetryingModel(OpenAIChat(endpoint), endpoint)
        try:
            yield server, model
        finally:
            await model.aclose()


async def test_a_reply_to_a_screenshot_fits_the_schema_it_was_asked_for() -> None:
    async with talking() as (_, model):
        assert await model.list_models() == ["tiny-vl"]
        replies = [await model.complete(LOOK, SCHEMA) for _ in range(3)]
    for reply in replies:
        said = json.loads(reply.text)
        assert said["action"] in ("click", "done")
        assert 0 <= said["x"] <= 1000
        assert (reply.finish_reason, reply.tokens_out > 0) == ("stop", True)
        assert reply.tokens_in > 100  # the picture counts
    assert replies[2].tokens_cached > 0


async def test_a_conversation_over_the_responses_api() -> None:
    async with running("plain") as server:
        model = OpenAIResponses(
            ModelEndpoint(server.base_url, "tiny-vl", KEY, sampling={"max_output_tokens": 8})
        )
        said = ChatMessage("assistant", ("I looked.",))
        again = [*LOOK, said, ChatMessage("user", ("Again.", screenshot()))]
        first, second = [await model.complete(messages) for messages in (LOOK, again)]
        await model.aclose()
    assert 0 < first.tokens_in < second.tokens_in


async def test_a_reply_that_is_cut_says_so() -> None:
    async with talking(max_tokens=40, ignore_eos=True) as (_, model):
        reply = await model.complete(LOOK)
    assert (reply.finish_reason, reply.tokens_out) == ("length", 40)


async def test_a_wrong_key() -> None:
    async with talking(key="sk-wrong-key") as (_, model):
        with pytest.raises(ModelError, match=r"API key is wrong \(401\)"):
            await model.complete(LOOK)


async def test_a_conversation_longer_than_its_context() -> None:
    async with talking() as (_, model):
        with pytest.raises(ModelLimit, match="longer than the server's context"):
            await model.complete([*LOOK, ChatMessage("user", ("too long " * 4000,))])


async def test_a_model_without_eyes() -> None:
    async with talking("text") as (_, model):
        with pytest.raises(ModelError, match="cannot see images: choose a vision model"):
            await model.complete(LOOK)
        assert (await model.complete(LOOK[:1], SCHEMA)).text  # words alone are fine


def test_a_missing_system_library_is_named_with_its_package() -> None:
    assert missing_dependency("libgomp.so.99") == "needs libgomp.so.99: apt-get install libgomp1"


async def test_a_wrong_address() -> None:
    async with running() as server:
        model = OpenAIChat(ModelEndpoint(f"{server.base_url}/v1", "tiny-vl", KEY))
        with pytest.raises(ModelError, match="contains the version twice"):
            await model.complete(LOOK)
        await model.aclose()


async def test_a_server_that_is_killed_in_the_middle_of_a_reply() -> None:
    async with running() as server:
        endless = {"max_tokens": -1, "ignore_eos": True}
        model = OpenAIChat(ModelEndpoint(server.base_url, "tiny-vl", KEY, sampling=endless))
        await model.list_models()  # so that everything is loaded
        task = asyncio.create_task(model.complete(LOOK))
        await asyncio.sleep(0.2)
        assert not task.done()
        server.process.kill()
        with pytest.raises(
            TransientError, match=r"lost during the reply|finish reason|closed the conn"
        ):
            await task
        await model.aclose()


async def test_a_cancelled_request_makes_room_for_the_next() -> None:
    """The server has one slot: what is not cancelled there would be waited for."""
    async with talking(max_tokens=-1, ignore_eos=True) as (server, model):
        task = asyncio.create_task(model.complete(LOOK))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        short = OpenAIChat(
            ModelEndpoint(server.base_url, "tiny-vl", KEY, sampling={"max_tokens": 40})
        )
        reply = await asyncio.wait_for(short.complete(LOOK), 10)
        await short.aclose()
    assert reply.text
