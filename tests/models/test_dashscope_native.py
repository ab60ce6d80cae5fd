"""What is particular to DashScope: mostly, what its SDK must be kept from doing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cua.models.dashscope_native import DashScope
from cua.models.endpoint import ModelEndpoint
from cua.types import ChatMessage, ModelError
from tests.models import FRAME, KEY, REQUEST, json_of
from tests.servers.dashscope_server import DashScopeServer, error
from tests.support.kvm_hardware import any_free_port


async def ask(server: DashScopeServer, *messages: ChatMessage, url: str = "") -> str:
    model = DashScope(
        ModelEndpoint(url or server.base_url, "qwen3-vl-plus", KEY, sampling={"seed": 7})
    )
    try:
        return (await model.complete(messages or REQUEST)).text
    finally:
        await model.aclose()


async def test_the_request_as_the_service_wants_it() -> None:
    async with DashScopeServer([{"text": "Done"}], key=KEY) as server:
        assert await ask(server) == "Done"
        (body,) = server.requests
        headers = server.calls[0].headers
    assert headers["accept"] == "text/event-stream"
    assert body["model"] == "qwen3-vl-plus"
    wanted = {"incremental_output": True, "result_format": "message", "seed": 7}
    assert body["parameters"] == wanted
    system, user = body["input"]["messages"]
    assert system == {"role": "system", "content": [{"text": "You are a pair of hands."}]}
    text, image = user["content"]
    assert text == {"text": "\nLook."}
    assert image["image"].startswith("data:image/jpeg;base64,")


async def test_a_task_that_is_the_name_of_a_file_is_sent_and_not_the_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    tasks = [str(secret), f"file://{secret}", "file:///not/there", "oss://bucket/x", "~"]
    async with DashScopeServer([{"text": "Done"}] * len(tasks)) as server:
        for task in tasks:
            assert await ask(server, ChatMessage("user", (task, FRAME))) == "Done"
        told = [body["input"]["messages"][0]["content"][0]["text"] for body in server.requests]
    assert told == [f"\n{task}" for task in tasks]
    assert len(server.calls) == len(tasks)


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
        ({"status": 400, "body": [1]}, "not valid JSON|refused"),
    ],
)
async def test_errors_are_raised(reply: dict[str, Any], words: str) -> None:
    async with DashScopeServer([reply]) as server:
        with pytest.raises(ModelError, match=words):
            await ask(server)


async def test_a_server_that_is_not_there_leaves_no_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(ModelError, match="Connection refused"):
        await ask(DashScopeServer(), url=f"http://127.0.0.1:{any_free_port()}/api/v1")
    assert caplog.records == []


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


@settings(max_examples=25, deadline=None)
@given(st.lists(anything | st.builds(lambda x: {"output": x}, anything), max_size=4))
async def test_chunks_of_any_shape_make_a_reply_or_an_error(chunks: list[object]) -> None:
    async with DashScopeServer([{"chunks": chunks}]) as server:
        with pytest.raises(ModelError):
            await ask(server)
