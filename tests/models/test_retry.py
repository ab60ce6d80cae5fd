"""Trying again, against scripted servers that say how long to wait, so that no test has to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from operator import itemgetter
from typing import Any

import pytest

from cua.events.log import EventLog
from cua.models import registry
from cua.models.retry import RetryingModel
from cua.types import ModelError, ModelLimit, Task
from tests.models import KEY, REQUEST, listen
from tests.servers.openai_server import OpenAIServer

WAIT = itemgetter("seconds", "phase")
SOON = {"Retry-After": "0.02"}


@asynccontextmanager
async def talking(
    *script: Any, names: Sequence[str] = ("qwen3-vl", "other"), **limits: Any
) -> AsyncIterator[tuple[OpenAIServer, RetryingModel, list[str]]]:
    log = limits.pop("log", EventLog())
    told = listen(log, "log", itemgetter("text"))
    async with OpenAIServer(script, models=names) as server:
        model = registry.create(
            "openai",
            base_url=server.base_url,
            api_key=KEY,
            model_name="m",
            connect_s=2.0,
            log=log,
            **limits,
        )
        assert isinstance(model, RetryingModel)
        try:
            yield server, model, told
        finally:
            await model.aclose()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529, 408])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    busy = {"status": status, "body": {"error": "slow down"}, "headers": SOON}
    async with talking(busy, busy, busy, {"text": "Done"}) as (server, model, told):
        assert (await model.complete(REQUEST)).text == "Done"
    assert len(server.requests) == 4
    assert [note[-9:] for note in told] == ["(1 of 3).", "(2 of 3).", "(3 of 3)."]
    assert f"({status})" in told[0]
    assert "Retrying in 0.0 s" in told[0]


async def test_each_wait_is_counted_down() -> None:
    log = EventLog()
    waits = listen(log, "retry", WAIT)
    fault = {"status": 502, "headers": {"Retry-After": "0.2"}}
    async with talking(fault, {"text": "Done"}, log=log) as (_, model, _):
        await model.complete(REQUEST)
    assert waits == [(0.2, "failing"), (0, "failing")]


async def test_a_wait_that_is_ended_is_not_counted_down_any_more() -> None:
    log = EventLog()
    waits = listen(log, "retry", WAIT)
    busy = {"status": 503, "headers": {"Retry-After": "50"}}
    async with talking(busy, log=log) as (server, model, _):
        await cancel_while_it_waits(model, waits)
        assert waits == [(50, "waiting"), (0, "waiting")]
        waits.clear()
        await server.stop()
        await cancel_while_it_waits(model, waits)
    assert waits[0][0] < 1
    assert [phase for _, phase in waits] == ["reconnecting"] * 2


async def cancel_while_it_waits(model: RetryingModel, waits: Sequence[object]) -> None:
    task = asyncio.create_task(model.complete(REQUEST))
    while not waits:
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])


async def test_after_the_last_try_its_failure_stands() -> None:
    """Those before may have had another reason."""
    limited, busy = ({"status": each, "headers": SOON} for each in (429, 503))
    words = r"busy \(503\).*\. All 4 requests failed, the last one for this reason\."
    async with talking(limited, limited, limited, busy) as (server, model, _):
        with pytest.raises(ModelError, match=words):
            await model.complete(REQUEST)
    assert len(server.requests) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 422, 307])
async def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    async with talking({"status": status, "body": {"error": "no"}, "headers": SOON}) as talk:
        server, model, told = talk
        with pytest.raises(ModelError):
            await model.complete(REQUEST)
    assert len(server.requests) == 1
    assert told == []


async def test_a_limit_is_for_the_agent_to_keep_and_not_to_try_again() -> None:
    body = {"error": {"message": "At most 2 image(s) may be provided in one prompt."}}
    async with talking({"status": 400, "body": body}) as (server, model, _):
        with pytest.raises(ModelLimit) as caught:
            await model.complete(REQUEST)
    assert caught.value.max_images == 2
    assert len(server.requests) == 1


async def test_a_connection_that_was_kept_too_long_is_no_failure() -> None:
    """The server hangs up in the moment in which the connection is used again."""

    class Closing(OpenAIServer):
        async def answer(self, call: Any) -> None:
            if len(self.calls) == 2:
                call.drop()
            else:
                await super().answer(call)

    log = EventLog()
    async with Closing([{"text": "one"}, {"text": "two"}]) as server:
        model = registry.create(
            "openai", base_url=server.base_url, api_key="", model_name="m", log=log
        )
        assert [(await model.complete(REQUEST)).text for _ in range(2)] == ["one", "two"]
        await model.aclose()
    assert len(server.calls) == 3
    assert [each.kind for each in log.in_memory_since(0)] == ["request"] * 3


@pytest.mark.parametrize("fault", ["drop", "no_finish", "error", "null"])
async def test_half_a_reply_is_asked_for_again_after_a_moment(fault: str) -> None:
    log = EventLog()
    waits = listen(log, "retry", WAIT)
    script = {"fault": fault, "text": "ab"}, {"text": "Done"}
    async with talking(*script, log=log) as (_, model, told):
        began = time.monotonic()
        assert (await model.complete(REQUEST)).text == "Done"
        assert time.monotonic() - began > 0.3
    assert len(told) == 1
    assert (waits[0][1] == "empty") == (fault == "null")


async def test_replies_that_cannot_be_used_count() -> None:
    empty = {"text": "", "usage": {"prompt_tokens": 900, "completion_tokens": 40}}
    busy = {"status": 503, "headers": SOON}
    async with talking(empty, {"text": "Done"}, empty, *[busy] * 3) as (_, model, _):
        reply = await model.complete(REQUEST)
        assert (reply.tokens_in, reply.tokens_out) == (1900, 41)
        with pytest.raises(ModelError) as caught:
            await model.complete(REQUEST)
    assert (caught.value.tokens_in, caught.value.tokens_out) == (900, 40)


async def test_a_server_that_wants_a_long_pause_is_left_to_the_person() -> None:
    body = {"status": 429, "headers": {"Retry-After": "3600"}}
    async with talking(body) as (server, model, told):
        with pytest.raises(ModelError, match="asks to wait 3600 s"):
            await model.complete(REQUEST)
    assert (len(server.requests), told) == (1, [])


async def test_a_server_that_drips_is_given_up() -> None:
    drip = {"text": "x" * 200, "pieces": 200, "pace": 0.1}
    async with talking(drip, total_s=0.5) as (server, model, _):
        await model.begin(Task(""))
        with pytest.raises(ModelError, match="took longer than 0 s"):
            await model.complete(REQUEST)
        while server.calls[0].hung_up is None:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("idle", "total"), [(60.0, 600.0), (600.0, 60.0)])
async def test_while_nothing_comes_it_is_told_since_when_and_until_when(
    idle: float, total: float
) -> None:
    log, told = EventLog(), list[dict[str, float]]()

    async def follow() -> None:
        async for _, event in log.subscribe(transient=True):
            if event.kind == "silence":
                told.append(event.data)

    limits: dict[str, Any] = {"idle_s": idle, "total_s": total, "silent_s": 0.05, "log": log}
    follower = asyncio.create_task(follow())
    async with talking({"fault": "silent"}, **limits) as (_, model, _):
        task = asyncio.create_task(model.complete(REQUEST))
        while len(told) < 4:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        count = len(told)
        await asyncio.sleep(0.2)
    follower.cancel()
    assert len(told) == count
    assert told[-1]["seconds"] > told[0]["seconds"] >= 0
    assert all(each["seconds"] + each["left"] == pytest.approx(60, abs=0.3) for each in told)


async def test_waiting_can_be_cancelled() -> None:
    async with talking({"status": 429, "headers": {"Retry-After": "50"}}) as (_, model, told):
        task = asyncio.create_task(model.complete(REQUEST))
        while not told:
            await asyncio.sleep(0.01)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=5)
        assert done
        assert task.cancelled()


async def test_a_wrong_name_is_answered_with_the_names_there_are() -> None:
    body = {"error": {"message": "The model `m` does not exist."}}
    async with talking({"status": 404, "body": body}) as (_, model, _):
        with pytest.raises(
            ModelError, match=r"No model `m` .* offers: qwen3-vl and other\. Choose"
        ):
            await model.complete(REQUEST)
        assert await model.list_models() == ["qwen3-vl", "other"]


async def test_a_name_that_only_the_server_behind_the_gateway_does_not_know() -> None:
    body = {"error": {"message": "litellm.NotFoundError: The model `x` does not exist."}}
    async with talking({"status": 404, "body": body}, names=["m"]) as (_, model, _):
        with pytest.raises(ModelError, match="NotFoundError: The model `x` does not"):
            await model.complete(REQUEST)


async def test_a_wrong_name_on_a_server_that_lists_nothing() -> None:
    body = {"error": {"message": "The model `m` does not exist."}}

    class Listless(OpenAIServer):
        async def answer(self, call: Any) -> None:
            if call.path.endswith("/models"):
                await call.send(500, "Internal Server Error")
            else:
                await super().answer(call)

    async with Listless([{"status": 404, "body": body}]) as server:
        model = registry.create(
            "openai", base_url=server.base_url, api_key="", model_name="m", log=EventLog()
        )
        with pytest.raises(ModelError, match="correct the name"):
            await model.complete(REQUEST)
        await model.aclose()
