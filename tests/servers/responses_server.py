"""OpenAI's Responses API, scripted: named events, output items, a computer tool of two generations.

A call named `computer` is a `computer_call`, any other a `function_call`; `tools` are the types of
the computer tool that the model takes. Refused is a conversation in which a computer call has no
answer with a picture, or lacks its reasoning, and an item without a field that the API or llama.cpp
requires.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.servers.http import Call, main
from tests.servers.scripted import ScriptedServer, send_reply, split_text

REQUIRED = {
    "computer_call": {"id", "call_id", "pending_safety_checks", "status"},
    "reasoning": {"id", "summary"},
    "computer_call_output": {"call_id", "output"},
}
FINISH = {"length": "max_output_tokens", "content_filter": "content_filter"}


class ResponsesServer(ScriptedServer):
    PREFIX = "/v1"
    PATH = "/v1/responses"

    def __init__(
        self,
        script: Sequence[dict[str, Any]] = (),
        *,
        key: str = "",
        tools: Sequence[str] = ("computer",),
    ) -> None:
        super().__init__(script, key=key)
        self.tools = tools
        self._sealed: dict[str, str] = {}

    async def answer(self, call: Call) -> None:
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            await call.send(401, error("Incorrect API key provided.", "invalid_api_key"))
        elif call.path == "/v1/models":
            await call.send(200, {"object": "list", "data": [{"id": "gpt-scripted"}]})
        elif call.path != "/v1/responses":
            await call.send(404, error("Invalid URL", None))
        elif wrong := self._wrong(call.json()):
            await call.send(400, error(wrong, None))
        else:
            await self._say(call, self.script.pop(0))

    def _wrong(self, body: dict[str, Any]) -> str:
        for tool in body.get("tools", ()):
            if tool["type"] not in self.tools:
                return f"Tool '{tool['type']}' is not supported with this model."
        items = body["input"]
        if malformed := next(filter(None, map(_malformed, items)), ""):
            return malformed
        outputs = {i["call_id"]: i for i in items if i.get("type") == "computer_call_output"}
        seen = [item.get("id") for item in items if item.get("type") == "reasoning"]
        for item in items:
            if item.get("type") != "computer_call":
                continue
            picture = outputs.get(item["call_id"], {}).get("output", {}).get("image_url", "")
            if not picture.startswith("data:image/jpeg;base64,"):
                return f"No tool output found for computer call {item['call_id']}."
            if self._sealed.get(item["call_id"], seen and seen[-1]) not in (*seen, []):
                return "'computer_call' was provided without its required 'reasoning' item."
        return ""

    async def _say(self, call: Call, reply: dict[str, Any]) -> None:
        failed = {"error": {"code": "server_error", "message": "Something went wrong."}}
        failure = _event({"type": "response.failed", "response": failed})
        await send_reply(call, reply, [*map(_event, self._events(reply))], failure)

    def _events(self, reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "chunks" in reply:
            yield from reply["chunks"]
            return
        yield {"type": "response.created", "response": {"status": "in_progress"}}
        fault = reply.get("fault", "")
        for item, deltas in self._items(reply) if fault != "no_choices" else ():
            yield {"type": "response.output_item.added", "item": {"type": item["type"]}}
            yield from deltas
            yield {"type": "response.output_item.done", "item": item}
        if fault != "no_finish":
            yield _end(reply)

    def _items(self, reply: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
        number = len(self.calls)
        if reasoning := reply.get("reasoning"):
            item = {"type": "reasoning", "id": f"rs_{number}", "encrypted_content": "sealed"}
            event = {"type": "response.reasoning_summary_text.delta", "delta": reasoning}
            yield {**item, "summary": []}, [event]
        text = reply.get("text", "")
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield (
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content},
            [{"type": "response.output_text.delta", "delta": piece} for piece in split_text(reply)],
        )
        for index, tool in enumerate(reply.get("calls", ())):
            key = f"call_{number}_{index}"
            if tool["name"] == "computer":
                if reasoning:
                    self._sealed[key] = f"rs_{number}"
                rest = {"status": "completed", "pending_safety_checks": [], **tool["arguments"]}
                yield {"type": "computer_call", "id": f"cu_{key}", "call_id": key, **rest}, []
            else:
                given = json.dumps(tool["arguments"])
                call = {"call_id": key, "name": tool["name"], "arguments": given}
                yield {"type": "function_call", "id": f"fc_{key}", **call}, []


def _malformed(item: dict[str, Any]) -> str:
    if item.get("role") == "assistant" and item.get("type") != "message":
        return "Cannot determine type of 'item'"
    missing = REQUIRED.get(item.get("type", ""), set()) - item.keys()
    return f"Missing required parameter: '{min(missing)}'." if missing else ""


def _event(event: dict[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def _end(reply: dict[str, Any]) -> dict[str, Any]:
    details = {"input_tokens_details": {"cached_tokens": 900}}
    response: dict[str, Any] = {
        "status": "completed",
        "usage": {"input_tokens": 1000, "output_tokens": 7, **details},
    }
    if why := FINISH.get(reply.get("finish", "")):
        response |= {"status": "incomplete", "incomplete_details": {"reason": why}}
    return {"type": f"response.{response['status']}", "response": response}


def error(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


if __name__ == "__main__":
    main(ResponsesServer)
