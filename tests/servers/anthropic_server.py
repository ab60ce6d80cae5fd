"""Claude's Messages API, scripted: named events, content blocks that grow, tool generations.

`tools` are the types of the computer tool that the model takes, `signed` makes it refuse a
conversation whose thinking was left out or changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.servers.http import Call, main
from tests.servers.scripted import ScriptedServer, send_reply, split_text

FINISH = {"length": "max_tokens", "content_filter": "refusal"}


class AnthropicServer(ScriptedServer):
    PATH = "/v1/messages"

    def __init__(
        self,
        script: Sequence[dict[str, Any]] = (),
        *,
        key: str = "",
        tools: Sequence[str] = ("computer_toolset_20260801",),
        signed: bool = True,
    ) -> None:
        super().__init__(script, key=key)
        self.tools, self.signed = tools, signed
        self._thoughts: dict[str, dict[str, Any]] = {}

    async def answer(self, call: Call) -> None:
        shown = call.headers.get("x-api-key") or call.headers.get("authorization", "")
        if self.key and shown.removeprefix("Bearer ") != self.key:
            await call.send(401, error("authentication_error", "invalid x-api-key"))
        elif call.path == "/v1/models":
            await call.send(200, {"data": [{"type": "model", "id": "claude-scripted"}]})
        elif call.path != "/v1/messages":
            await call.send(404, error("not_found_error", "Not found"))
        elif wrong := self._wrong(call.json()):
            await call.send(400, error("invalid_request_error", wrong))
        else:
            await self._say(call, self.script.pop(0))

    def _wrong(self, body: dict[str, Any]) -> str:
        for tool in body.get("tools", ()):
            if tool["type"] not in self.tools:
                return f"'{body['model']}' does not support tool types: {tool['type']}."
        open_calls: list[str] = []
        for turn in body["messages"]:
            answered = [b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result"]
            if turn["role"] == "user" and answered != open_calls:
                return "`tool_use` ids were found without `tool_result` blocks"
            open_calls = [b["id"] for b in turn["content"] if b["type"] == "tool_use"]
            wanted = [self._thoughts[id_] for id_ in open_calls if id_ in self._thoughts]
            if self.signed and any(thought not in turn["content"] for thought in wanted):
                return "`thinking` blocks in the latest assistant message cannot be modified"
        return ""

    async def _say(self, call: Call, reply: dict[str, Any]) -> None:
        failure = _event(error("overloaded_error", "Overloaded"))
        await send_reply(call, reply, [*map(_event, self._events(reply))], failure)

    def _events(self, reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "chunks" in reply:
            yield from reply["chunks"]
            return
        fault = reply.get("fault", "")
        usage = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 1}
        yield {"type": "message_start", "message": {"role": "assistant", "usage": usage}}
        yield {"type": "ping"}
        for index, (block, deltas) in enumerate(
            self._blocks(reply) if fault != "no_choices" else ()
        ):
            yield {"type": "content_block_start", "index": index, "content_block": block}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        if fault not in ("no_finish", "no_choices"):
            default = "tool_use" if reply.get("calls") else "end_turn"
            stop = FINISH.get(reply.get("finish", ""), default)
            yield {
                "type": "message_delta",
                "delta": {"stop_reason": stop},
                "usage": {"output_tokens": 7},
            }
            yield {"type": "message_stop"}

    def _blocks(self, reply: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
        calls = reply.get("calls", ())
        if reasoning := reply.get("reasoning"):
            thought = {"type": "thinking", "thinking": reasoning, "signature": "sig"}
            for number in range(len(calls)):
                self._thoughts[f"toolu_{number}"] = thought
            yield (
                {"type": "thinking", "thinking": "", "signature": ""},
                [
                    {"type": "thinking_delta", "thinking": reasoning},
                    {"type": "signature_delta", "signature": "sig"},
                ],
            )
        if texts := split_text(reply):
            deltas = [{"type": "text_delta", "text": piece} for piece in texts]
            yield {"type": "text", "text": ""}, deltas
        for number, tool in enumerate(calls):
            given = json.dumps(tool["arguments"]) if tool["arguments"] else ""
            half = len(given) // 2
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": tool["name"], "input": {}}
            if tool["name"] != "computer":
                block["toolset_name"] = "computer"
            pieces = [given[:half], given[half:]]
            yield block, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _event(event: dict[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


if __name__ == "__main__":
    main(AnthropicServer)
