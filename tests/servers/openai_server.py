"""An OpenAI-compatible chat server that says what its script tells it to, faults included.

    async with OpenAIServer([{"text": "mouse 1 2 1"}, {"status": 429}, {"text": "Done"}]) as server:
        ... base_url = server.base_url

    python -m tests.servers.openai_server --port 8123 --script replies.json

One reply (all keys optional): `text`, `reasoning` (under `reasoning_field`), `calls` [{name,
arguments}], `finish`, `usage`, `pieces` (into how many deltas the text is cut), `delay` (s before
the first byte), `pace` (s between deltas), `status` + `body` + `headers` (an HTTP error), `fault`
(see FAULTS), `chunks` (the stream's JSON as it is), `repeat` (this reply for ever). The script may
be a function from the request's body to a reply. What was asked: `server.requests`, or as JSON at
GET /requests.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.servers.http import Call, Server, main
from tests.servers.scripted import split_text

Script = Sequence[dict[str, Any]] | Callable[[dict[str, Any]], dict[str, Any]]

FAULTS = {
    "silent": "accepts the request and never says a byte",
    "stall": "says half and then nothing, the connection stays open",
    "drop": "says half and tears the connection",
    "no_finish": "ends properly, but without a finish_reason and [DONE]",
    "error": "an error object in the middle of the 200 stream",
    "no_choices": "only chunks with an empty list of choices",
    "null": "content null and nothing else",
    "hang": "all that it has to say, then nothing: no usage, no end",
    "endless": "a line that never ends",
    "not_json": "data that is not JSON",
    "html": "a web page with status 200",
}
ENGINE_DEAD = {
    "error": {
        "message": "EngineCore encountered an issue. See stack trace (above) for the root cause.",
        "type": "InternalServerError",
        "param": None,
        "code": 500,
    }
}


class OpenAIServer(Server):
    def __init__(self, script: Script = (), *, key: str = "", models: Sequence[str] = ()) -> None:
        super().__init__()
        self.script, self.key, self.models = script, key, models or ("scripted",)
        self._next = 0

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The chat requests so far, images replaced by their size in bytes."""
        return [_record(call) for call in self.calls if call.path.endswith("/chat/completions")]

    async def answer(self, call: Call) -> None:
        if call.path == "/requests":
            await call.send(200, self.requests)
        elif self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            await call.send(401, {"error": "Unauthorized"})
        elif call.path == "/v1/models":
            listed = [{"id": name, "object": "model"} for name in self.models]
            await call.send(200, {"object": "list", "data": listed})
        elif call.path != "/v1/chat/completions":
            await call.send(404, {"detail": "Not Found"})
        else:
            await self._chat(call, self._reply(call.json()))

    def _reply(self, body: dict[str, Any]) -> dict[str, Any]:
        if callable(self.script):
            return self.script(body)
        if self._next >= len(self.script):
            return {"status": 500, "body": {"error": {"message": "the script is used up"}}}
        reply = self.script[self._next]
        self._next += not reply.get("repeat")
        return reply

    async def _chat(self, call: Call, reply: dict[str, Any]) -> None:
        await asyncio.sleep(reply.get("delay", 0))
        if reply.get("fault") == "silent":
            await asyncio.Event().wait()
        elif reply.get("status", 200) != 200:
            await call.send(reply["status"], reply.get("body", {}), reply.get("headers"))
        elif reply.get("fault") == "html":
            await call.send(200, "<html>It works!</html>", {"content-type": "text/html"})
        elif not call.json().get("stream"):
            await call.send(200, _whole(reply))
        else:
            await _stream(call, reply)


async def _stream(call: Call, reply: dict[str, Any]) -> None:
    fault = reply.get("fault", "")
    await call.start()
    while fault == "endless":
        await call.chunk("x" * 2**20)
    for event in _beginning(reply, fault):
        await call.event(event)
        await asyncio.sleep(reply.get("pace", 0))
    if fault == "stall":
        await asyncio.Event().wait()
    if fault == "drop":
        return call.drop()
    for event in () if "chunks" in reply else _ending(reply, fault, call.json()):
        await call.event(event)
        if fault == "hang":
            await asyncio.Event().wait()
    return await call.end()


def _beginning(reply: dict[str, Any], fault: str) -> Iterator[object]:
    deltas = list(_deltas(reply))
    if fault in ("stall", "drop", "error"):
        deltas = deltas[: (len(deltas) + 1) // 2]
    if "chunks" in reply:
        yield from reply["chunks"]
    elif fault not in ("no_choices", "null"):
        yield from map(_chunk, deltas)


def _ending(reply: dict[str, Any], fault: str, body: dict[str, Any]) -> Iterator[object]:
    if fault == "no_finish":
        return
    if fault in ("error", "not_json"):
        yield ENGINE_DEAD if fault == "error" else "{nonsense"
    elif fault != "no_choices":
        default = "tool_calls" if reply.get("calls") else "stop"
        yield _chunk({"content": None} if fault == "null" else {}, reply.get("finish", default))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**_chunk({}), "choices": [], "usage": _usage(reply)}
    yield "[DONE]"


def _deltas(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    if reasoning := reply.get("reasoning"):
        yield {reply.get("reasoning_field", "reasoning_content"): reasoning}
    for piece in split_text(reply):
        yield {"content": piece}
    for index, tool in enumerate(reply.get("calls", ())):
        yield from _call(index, tool)


def _call(index: int, tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The name with the first half of the arguments, then the other half, as servers do."""
    given = tool["arguments"]
    arguments = given if isinstance(given, str) else json.dumps(given)
    half = len(arguments) // 2
    function = {"name": tool["name"], "arguments": arguments[:half]}
    yield {"tool_calls": [{"index": index, "id": f"call_{index}", "function": function}]}
    yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def _whole(reply: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.get("text", "")}
    choice = {"index": 0, "message": message, "finish_reason": reply.get("finish", "stop")}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": _usage(reply)}


def _usage(reply: dict[str, Any]) -> dict[str, Any]:
    spoken = len(reply.get("text", "")) // 4
    default = {"prompt_tokens": 1000, "completion_tokens": spoken, "total_tokens": 1000 + spoken}
    return dict(reply.get("usage", default))


def _record(call: Call) -> dict[str, Any]:
    body = call.json()
    images = re.findall(rb"data:image/jpeg;base64,([^\"]*)", call.body)
    return {
        "path": call.path,
        "authorization": call.headers.get("authorization", ""),
        "images": len(images),
        "hung_up": call.hung_up,
        "answered": call.answered,
        "body": _without_images(body),
    }


def _without_images(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_images(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_images(item) for item in value]
    if isinstance(value, str) and value.startswith("data:image/"):
        return f"<image of {len(value)} characters>"
    return value


if __name__ == "__main__":
    main(OpenAIServer)
