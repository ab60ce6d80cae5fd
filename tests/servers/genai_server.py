"""Gemini's generateContent, scripted: SSE of candidates whose parts may be signed.

`environments` are those of the computer tool that the model takes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.servers.http import Call, main
from tests.servers.scripted import ScriptedServer, send_reply, split_text

FINISH = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "stop": "STOP"}
SIGNATURE = base64.urlsafe_b64encode(b"signed by the model").decode()


class GenAIServer(ScriptedServer):
    PATH = ":streamGenerateContent"

    def __init__(
        self,
        script: Sequence[dict[str, Any]] = (),
        *,
        key: str = "",
        environments: Sequence[str] = ("ENVIRONMENT_DESKTOP",),
    ) -> None:
        super().__init__(script, key=key)
        self.environments = environments

    async def answer(self, call: Call) -> None:
        if self.key and call.headers.get("x-goog-api-key") != self.key:
            await call.send(401, error(401, "UNAUTHENTICATED", "API key not valid."))
        elif call.path.startswith("/v1beta/models?") or call.path == "/v1beta/models":
            await call.send(200, {"models": [{"name": "models/gemini-scripted"}]})
        elif ":streamGenerateContent?alt=sse" not in call.path:
            await call.send(404, error(404, "NOT_FOUND", "no such page"))
        elif wrong := self._wrong(call.json()):
            await call.send(400, error(400, "INVALID_ARGUMENT", wrong))
        else:
            await self._generate(call, self.script.pop(0))

    def _wrong(self, body: dict[str, Any]) -> str:
        for tool in body.get("tools", ()):
            environment = tool["computerUse"]["environment"]
            if environment not in self.environments:
                return f"Unsupported computer use environment: {environment}"
        for content in body["contents"]:
            calls = [part for part in content["parts"] if "functionCall" in part]
            if calls and "thoughtSignature" not in calls[0]:
                return "Function call is missing a thought_signature"
        return ""

    async def _generate(self, call: Call, reply: dict[str, Any]) -> None:
        failure = _event(error(503, "UNAVAILABLE", "The model is overloaded."))
        await send_reply(call, reply, [*map(_event, _chunks(reply))], failure)


def _event(chunk: Any) -> str:
    return f"data: {json.dumps(chunk)}\r\n\r\n"


def _chunks(reply: dict[str, Any]) -> Iterator[Any]:
    if "chunks" in reply:
        yield from reply["chunks"]
        return
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 7, "cachedContentTokenCount": 600}
    if reply.get("fault") != "no_choices":
        for part in _parts(reply):
            yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
        if reply.get("fault") != "no_finish":
            reason = FINISH.get(reply.get("finish", "stop"), reply.get("finish"))
            last = {"content": {"role": "model", "parts": []}, "finishReason": reason}
            yield {"candidates": [last], "usageMetadata": usage}
    else:
        yield {"usageMetadata": usage}


def _parts(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if reasoning := reply.get("reasoning"):
        yield {"text": reasoning, "thought": True}
    for piece in split_text(reply):
        yield {"text": piece}
    for number, tool in enumerate(reply.get("calls", ())):
        call = {"name": tool["name"], "args": tool["arguments"]}
        yield {"functionCall": call} | ({} if number else {"thoughtSignature": SIGNATURE})


def error(code: int, status: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}


if __name__ == "__main__":
    main(GenAIServer)
