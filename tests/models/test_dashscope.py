"""What is particular to DashScope."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.models.dashscope import DashScope
from cua.models.endpoint import ModelEndpoint
from cua.types import ChatMessage, ModelError
from tests.models import FRAME, KEY, REQUEST, json_of
from tests.servers.dashscope_server import DashScopeServer, error
from tests.servers.http import Call


async def ask(server: DashScopeServer, *messages: ChatMessage, url: str = "") -> str:
    model = DashScope(
        ModelEndpoint(url or server.base_url, "qwen3-vl-plus", KEY, sampling={"seed": 7})
    )
    try:
        return (await model.complete(messages or REQUEST)).text
    finally:
        await model.aclose()


async def test_it_is_asked_and_read_as_the_sdk_does() -> None:
    sdk = pytest.importorskip("dashscope").AioMultiModalConversation
    session = pytest.importorskip("aiohttp").ClientSession()
    picture = f"data:image/jpeg;base64,{base64.b64encode(FRAME.jpeg).decode()}"
    reply = {"text": "I see a désktop, 一个桌面."}
    async with DashScopeServer([reply, reply], key=KEY) as server:
        said = await ask(server)
        chunks = await sdk.call(
            model="qwen3-vl-plus",
            messages=[
                {"role": "system", "content": [{"text": "You are a pair of hands."}]},
                {"role": "user", "content": [{"text": "Look."}, {"image": picture}]},
            ],
            api_key=KEY,
            base_address=server.base_url,
            stream=True,
            incremental_output=True,
            result_format="message",
            seed=7,
            session=session,
        )
        contents = [each.output.choices[0].message.content async for each in chunks]
        await session.close()
        asked, reference = map(sent, server.calls)
    assert server.calls[0].headers["content-type"] == "application/json"
    assert asked == reference
    assert said == "".join(part["text"] for content in contents for part in content)


def sent(call: Call) -> tuple[Any, ...]:
    names = ("authorization", "accept", "x-dashscope-sse", "x-accel-buffering")
    return call.path, call.json(), *(call.headers[name] for name in names)


async def test_the_address_of_its_openai_mode_is_understood() -> None:
    async with DashScopeServer([{"text": "Done"}]) as server:
        url = f"{server.url}/compatible-mode/v1"
        assert await ask(server, url=url) == "Done"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"status": 400, "body": error("Arrearage", "Access denied.")}, "no credit"),
        ({"status": 404, "body": error("ModelNotFound", "x")}, "No model `qwen3-vl-plus`"),
        ({"status": 500, "body": "<html>"}, "failed"),
        ({"status": 400, "body": [1]}, "refused"),
        ({"chunks": [error("InvalidParameter", "x")], "chunk_status": 400}, "refused the request"),
    ],
)
async def test_errors_are_raised(reply: dict[str, Any], words: str) -> None:
    async with DashScopeServer([reply]) as server:
        with pytest.raises(ModelError, match=words):
            await ask(server)


anything = json_of(
    "output",
    "choices",
    "message",
    "content",
    "text",
    "tool_calls",
    "usage",
    "finish_reason",
    "code",
)


@settings(max_examples=40, deadline=None)
@given(st.lists(anything | st.builds(lambda x: {"output": x}, anything), max_size=4))
async def test_chunks_of_any_shape_make_a_reply_or_an_error(chunks: list[object]) -> None:
    async with DashScopeServer([{"chunks": chunks}]) as server:
        with pytest.raises(ModelError):
            await ask(server)
