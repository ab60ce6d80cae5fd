"""What every provider promises, against a scripted server of its own kind over real sockets."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import pytest

from cua.events.log import EventLog
from cua.types import ChatMessage, ModelError, ToolCall
from tests.models import FRAME, KEY, KINDS, REQUEST, listen, provider, refusal, server, talking
from tests.support.kvm_hardware import ROOT
from tests.support.waiting import until

pytestmark = pytest.mark.parametrize("kind", KINDS)


async def test_a_reply_is_put_together_from_its_pieces(kind: str) -> None:
    script = {"text": "Sì, 明白 – the button is at the right.", "reasoning": "hm", "pieces": 9}
    async with talking(kind, script) as (_, made):
        reply = await made.complete(REQUEST)
    assert (reply.text, reply.reasoning) == (script["text"], "hm")
    assert reply.calls == ()
    assert reply.tokens_in == 1000
    assert reply.tokens_out > 0
    assert reply.finish_reason
    assert reply.seconds > 0


async def test_function_calls_arrive_as_calls(kind: str) -> None:
    calls = [{"name": "click", "arguments": {"x": 1, "y": [2]}}, {"name": "wait", "arguments": {}}]
    async with talking(kind, {"calls": calls}) as (_, made):
        reply = await made.complete(REQUEST)
    first, second = reply.calls
    assert (first.name, first.arguments) == ("click", {"x": 1, "y": [2]})
    assert isinstance(second, ToolCall)
    assert (second.name, second.arguments) == ("wait", {})


async def test_the_screenshot_goes_out_untouched_and_the_words_in_order(kind: str) -> None:
    messages = [
        *REQUEST,
        ChatMessage("assistant", ("Clicked.",)),
        ChatMessage("user", ("And now?", FRAME)),
    ]
    async with talking(kind, {"text": "Done"}) as (peer, made):
        await made.complete(messages)
    body = peer.calls[0].body
    assert body.count(base64.b64encode(FRAME.jpeg)) == 2
    said = [body.index(words) for words in (b"Look.", b"Clicked.", b"And now?")]
    assert said == sorted(said)
    assert b"pair of hands" in body


async def test_an_image_of_the_person_stays_with_their_words(kind: str) -> None:
    mine, yours = (replace(FRAME, jpeg=FRAME.jpeg + name.encode(), name=name) for name in "ab")
    call = ToolCall("wait", {}, "call_1")
    messages = [
        REQUEST[0],
        ChatMessage("user", ("Like this:", mine, "The screen:", FRAME)),
        ChatMessage("assistant", (call,)),
        ChatMessage("user", ("Or this:", yours, "Now:", FRAME)),
    ]
    async with talking(kind, {"text": "Done"}) as (peer, made):
        await made.complete(messages)
    body = peer.calls[0].body
    first, second = (base64.b64encode(each.jpeg) for each in (mine, yours))
    screens = base64.b64encode(FRAME.jpeg) + b'"'
    assert [body.count(each) for each in (first, second, screens)] == [1, 1, 2]
    order = [b"Like this:", first, b"The screen:", screens, b"Or this:", second, b"Now:"]
    found = [body.index(each) for each in order]
    assert found == sorted(found)


async def test_what_was_sent_is_told_without_the_picture_and_the_key(kind: str) -> None:
    log = EventLog()
    told = listen(log, "request")
    large = replace(FRAME, jpeg=FRAME.jpeg * 30)
    first = [
        ChatMessage("system", ("You are a pair of hands.",)),
        ChatMessage("user", ("Look.", large)),
    ]
    second = [
        *first,
        ChatMessage("assistant", ("Clicked.",)),
        ChatMessage("user", ("And now?", large)),
    ]
    async with talking(kind, {"text": "one"}, {"text": "two"}, log=log) as (peer, made):
        await made.complete(first)
        await made.complete(second)
    before, after = told
    assert all(each["url"].startswith(peer.base_url[:20]) for each in told)
    assert before["same"] == 0
    whole = before["text"].splitlines()[: after["same"]] + after["text"].splitlines()
    assert json.loads("\n".join(whole))
    text = "\n".join(whole)
    assert text.count("[picture, 1 KB]") == 2
    assert all(words in text for words in ("Look.", "Clicked.", "And now?"))
    assert "Look." not in after["text"]
    assert KEY not in before["text"] + text


@pytest.mark.parametrize("reply", [{"fault": "silent"}, {"text": "x" * 4000, "pieces": 400}])
async def test_cancelling_ends_the_request_on_the_wire(kind: str, reply: dict[str, Any]) -> None:
    async with talking(kind, {**reply, "pace": 0.02}, {"text": "Done"}) as (peer, made):
        task = asyncio.create_task(made.complete(REQUEST))
        await until(lambda: peer.calls)
        await asyncio.sleep(0.2)
        cancelled = time.monotonic()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        call = peer.calls[0]
        await until(lambda: call.hung_up is not None)
        assert call.arrived + (call.hung_up or 99) - cancelled < 0.5
        assert (await made.complete(REQUEST)).text == "Done"


@pytest.mark.parametrize("fault", ["silent", "stall"])
async def test_a_server_that_says_nothing_is_given_up(kind: str, fault: str) -> None:
    reply = {"fault": fault, "text": "abcdefgh"}
    async with talking(kind, reply, idle_s=0.3) as (peer, made):
        with pytest.raises(ModelError, match="sent nothing for 0 s"):
            await made.complete(REQUEST)
        await until(lambda: peer.calls[0].hung_up is not None)
        assert len(peer.calls) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("drop", "connection was lost during the reply"),
        ("no_finish", "without a finish reason"),
        ("no_choices", "contains no choices"),
        ("error", r"The server (failed|is busy \(503\))"),
    ],
)
async def test_half_a_reply_is_no_reply(kind: str, fault: str, words: str) -> None:
    refused = await refusal(kind, {"fault": fault, "text": "mouse 500 500 1"})
    assert re.search(words, str(refused))


async def test_an_empty_reply_is_an_error_that_says_so(kind: str) -> None:
    assert "reply is empty" in str(await refusal(kind, {"text": ""}))
    cut = await refusal(kind, {"text": "", "finish": "length"})
    assert "max_tokens" in str(cut)


async def test_a_reply_without_end_is_stopped(kind: str) -> None:
    assert "was stopped at 256 KB" in str(
        await refusal(kind, {"text": "x" * 300_000, "pieces": 30})
    )


async def test_a_wrong_key_is_named_and_never_shown(kind: str) -> None:
    async with server(kind, key="another") as peer:
        made = provider(kind, peer)
        with pytest.raises(ModelError, match="API key is wrong") as caught:
            await made.complete(REQUEST)
        await made.aclose()
    assert "401" in str(caught.value)
    assert KEY not in repr(caught.value)


async def test_an_error_that_echoes_the_key_does_not_reach_the_person(kind: str) -> None:
    body = {"error": {"message": f"no quota for {KEY}"}, "message": f"no quota for {KEY}"}
    error = await refusal(kind, {"status": 418, "body": body})
    assert "no quota for •••" in str(error)
    assert error.__cause__ is None


async def test_a_call_of_the_past_goes_out_as_text_or_as_a_call(kind: str) -> None:
    said = ChatMessage("assistant", ("I click.", ToolCall("click", {"x": 17}, "id1")))
    async with talking(kind, {"text": "Done"}) as (peer, made):
        await made.complete([*REQUEST, said, ChatMessage("user", ("Clicked.", FRAME))])
    body = peer.calls[0].body
    assert b"click" in body
    assert b"17" in body
    assert body.index(b"I click.") < body.index(b"17") < body.index(b"Clicked.")


PREPARED = """
import asyncio, sys
from cua.events.log import EventLog
from cua.models import registry as models
from cua.types import Task

async def prepared():
    server = {"base_url": "http://127.0.0.1:9", "api_key": "k", "model_name": "m"}
    model = models.create(sys.argv[1], **server, log=EventLog())
    await model.begin(Task(""))
    await model.aclose()

asyncio.run(prepared())
sys.exit(sys.argv[2] not in sys.modules)
"""


def test_what_a_request_needs_is_imported_before_it(kind: str) -> None:
    package = "dashscope" if kind == "dashscope" else "httpx2"
    command = [sys.executable, "-c", PREPARED, kind, package]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
