"""DashScope's own multimodal protocol, scripted: SSE with id, event, status and data.

The fault `error` is an `event:error` in the middle; the HTTP status is still 200.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.servers.http import Call, main
from tests.servers.scripted import ScriptedServer, send_reply, split_text


class DashScopeServer(ScriptedServer):
    PREFIX = "/api/v1"
    PATH = f"{PREFIX}/services/aigc/multimodal-generation/generation"

    async def answer(self, call: Call) -> None:
        if call.path != self.PATH:
            await call.send(404, error("InvalidURL", "Invalid URL provided in your request."))
        elif self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            await call.send(401, error("InvalidApiKey", "Invalid API-key provided."))
        else:
            await self._generate(call, self.script.pop(0))

    async def _generate(self, call: Call, reply: dict[str, Any]) -> None:
        failed = _event(9, "error", 500, error("InternalError.Algo", "inference failed"))
        events = [_event(number, "result", 200, each) for number, each in enumerate(_data(reply))]
        await send_reply(call, reply, events, failed)


def error(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message, "request_id": "r"}


def _event(number: int, name: str, status: int, data: object) -> str:
    return f"id:{number}\nevent:{name}\n:HTTP_STATUS/{status}\ndata:{json.dumps(data)}\n\n"


def _data(reply: dict[str, Any]) -> Iterator[Any]:
    if "chunks" in reply:
        yield from reply["chunks"]
        return
    fault, messages = reply.get("fault", ""), list(_messages(reply))
    for number, message in enumerate(messages):
        is_end = number == len(messages) - 1 and fault != "no_finish"
        finish = reply.get("finish", "stop") if is_end else "null"
        choices = [] if fault == "no_choices" else [{"message": message, "finish_reason": finish}]
        yield {"output": {"choices": choices}, "usage": _usage(reply), "request_id": "r"}


def _messages(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if reasoning := reply.get("reasoning"):
        yield {"role": "assistant", "content": [], "reasoning_content": reasoning}
    for piece in split_text(reply):
        yield {"role": "assistant", "content": [{"text": piece}]}
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
