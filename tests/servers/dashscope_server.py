"""DashScope's own multimodal protocol, scripted: SSE with id, event, status and data.

A reply's keys are those of `openai_server`; `fault` knows silent, stall, drop, no_finish,
no_choices and error (an `event:error` in the middle, HTTP status still 200).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.servers.http import Call, Server, main

PATH = "/api/v1/services/aigc/multimodal-generation/generation"


class DashScopeServer(Server):
    def __init__(self, script: Sequence[dict[str, Any]] = (), *, key: str = "") -> None:
        super().__init__()
        self.script, self.key = list(script), key

    @property
    def base_url(self) -> str:
        return f"{self.url}/api/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [call.json() for call in self.calls if call.path == PATH]

    async def answer(self, call: Call) -> None:
        if call.path != PATH:
            await call.send(404, error("InvalidURL", "Invalid URL provided in your request."))
        elif self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            await call.send(401, error("InvalidApiKey", "Invalid API-key provided."))
        else:
            await self._generate(call, self.script.pop(0))

    async def _generate(self, call: Call, reply: dict[str, Any]) -> None:
        await asyncio.sleep(reply.get("delay", 0))
        fault = reply.get("fault", "")
        if fault == "silent":
            await asyncio.Event().wait()
        if reply.get("status", 200) != 200:
            return await call.send(reply["status"], reply.get("body", {}), reply.get("headers"))
        await call.start("text/event-stream;charset=UTF-8")
        for raw in reply.get("chunks", ()):
            await call.chunk(_event(1, "result", 200, raw))
        messages = [] if "chunks" in reply else list(_messages(reply))
        half = fault in ("stall", "drop", "error")
        for number, message in enumerate(messages[: len(messages) // 2 if half else None]):
            last = number == len(messages) - 1 and fault != "no_finish"
            finish = reply.get("finish", "stop") if last else "null"
            choices = (
                [] if fault == "no_choices" else [{"message": message, "finish_reason": finish}]
            )
            data = {"output": {"choices": choices}, "usage": _usage(reply), "request_id": "r"}
            await call.chunk(_event(number + 1, "result", 200, data))
            await asyncio.sleep(reply.get("pace", 0))
        await _finish(call, fault)
        return None


async def _finish(call: Call, fault: str) -> None:
    if fault == "stall":
        await asyncio.Event().wait()
    if fault == "drop":
        return call.drop()
    if fault == "error":
        await call.chunk(_event(9, "error", 500, error("InternalError.Algo", "inference failed")))
    await call.end()
    return None


def error(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message, "request_id": "r"}


def _event(number: int, name: str, status: int, data: object) -> str:
    return f"id:{number}\nevent:{name}\n:HTTP_STATUS/{status}\ndata:{json.dumps(data)}\n\n"


def _messages(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if reasoning := reply.get("reasoning"):
        yield {"role": "assistant", "content": [], "reasoning_content": reasoning}
    text = reply.get("text", "")
    size = max(1, -(-len(text) // reply.get("pieces", 4)))
    for start in range(0, len(text), size):
        yield {"role": "assistant", "content": [{"text": text[start : start + size]}]}
    for index, tool in enumerate(reply.get("calls", ())):
        function = {"name": tool["name"], "arguments": json.dumps(tool["arguments"])}
        calls = [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]
        yield {"role": "assistant", "content": [], "tool_calls": calls}
    yield {"role": "assistant", "content": []}


def _usage(reply: dict[str, Any]) -> dict[str, Any]:
    default = {"input_tokens": 1000, "output_tokens": 7, "image_tokens": 900}
    return dict(reply.get("usage", default))


if __name__ == "__main__":
    main(DashScopeServer)
