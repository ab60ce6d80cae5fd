"""Gemini, with its own computer-use functions.

Its thoughts are signed, so replies with calls are sent back unchanged; they are kept while the
conversation contains them.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from cua.messages import Message
from cua.types import ChatMessage, Frame, Schema, ToolCall, as_object, as_objects

from . import errors
from .message_parts import as_base64, build_content, split_system
from .provider import CALL_RESULT, TOOL, HttpProvider, Request
from .reply_builder import ReplyBuilder

UNSIGNED = base64.b64encode(b"skip_thought_signature_validator").decode()
"""Google's placeholder for a call whose signature is no longer stored."""
OWN_ID = "local-"
"""Prefix of our ID for a call without one."""
FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
BLOCKED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")


@dataclass
class _Received(ReplyBuilder):
    """Also keeps the parts, to send them back."""

    parts: list[Any] = field(default_factory=list)

    def output(self) -> list[Any]:
        return self.parts

    def read(self, event: Mapping[str, Any]) -> None:
        if usage := as_object(event.get("usageMetadata")):
            counts = map(usage.get, ("candidatesTokenCount", "thoughtsTokenCount"))
            spoken = sum(count for count in counts if isinstance(count, int))
            self.count(usage.get("promptTokenCount"), spoken, usage.get("cachedContentTokenCount"))
        if as_object(event.get("promptFeedback")).get("blockReason"):
            raise errors.filtered_reply_error()
        for candidate in as_objects(event.get("candidates"))[:1]:
            self.has_begun = True
            for part in as_objects(as_object(candidate.get("content")).get("parts")):
                self._read_part(part)
            if isinstance(reason := candidate.get("finishReason"), str):
                self.finish = _finish(reason)

    def _read_part(self, part: Mapping[str, Any]) -> None:
        if part.get("thoughtSignature") or not part.get("thought"):
            self.parts.append(part)
        (self.think if part.get("thought") else self.say)(part.get("text"))
        if call := as_object(part.get("functionCall")):
            key = str(call.get("id") or OWN_ID + secrets.token_hex(8))
            self.call_object(key, str(call.get("name")), as_object(call.get("args")))


class GenAI(HttpProvider):
    """The person confirmed a call in the history with a `safety_decision` only if its argument
    `safety_acknowledgement` is true.
    """

    BUILDER = _Received
    TOOLS = (
        ("ENVIRONMENT_DESKTOP", ("mouse_down", "mouse_up", "key_down", "key_up")),
        ("ENVIRONMENT_BROWSER", ("open_web_browser", "search")),
    )
    """Environment -> its functions that are not supported here."""
    DEFAULT_URL = "https://generativelanguage.googleapis.com"
    ENDINGS = ("/v1beta",)
    LIST_PATH = "/v1beta/models?pageSize=1000"
    OPTIONAL_PARTS = (("thinking", "thinkingConfig"), ("environment", TOOL))

    def _authentication(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key}

    def _make_request(self, messages: Sequence[ChatMessage], schema: Schema) -> Request:
        model = quote(self._endpoint.model.removeprefix("models/"), safe="")
        system, turns = split_system(messages)
        body: dict[str, Any] = {"contents": self._contents(turns)}
        if system:
            body["systemInstruction"] = {"parts": [{"text": "\n".join(system)}]}
        if self._tools:
            name, unused = self._tools[0]
            use = {"environment": name, "excludedPredefinedFunctions": list(unused)}
            body["tools"] = [{"computerUse": use}]
        config: dict[str, Any] = {}
        if "thinkingConfig" not in self._left_out:
            config["thinkingConfig"] = {"includeThoughts": True}
        if schema is not None:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = schema
        body["generationConfig"] = {**config, **self._endpoint.sampling}
        return f"/v1beta/models/{model}:streamGenerateContent?alt=sse", body, {}

    def _contents(self, messages: Sequence[ChatMessage]) -> list[Any]:
        contents, made = [], list[ToolCall]()
        for message in messages:
            if message.role == "assistant":
                made = message.calls
                contents.append({"role": "model", "parts": self._model_turn(message)})
            else:
                contents.append({"role": "user", "parts": _answer(message, made)})
                made = []
        return contents

    def _model_turn(self, message: ChatMessage) -> list[Any]:
        signed = {"thoughtSignature": UNSIGNED}
        return self._output_of(message.calls) or [
            {"text": part} if isinstance(part, str) else {**_call(part), **signed}
            for part in message.texts_and_calls
        ]


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {k: v for k, v in call.arguments.items() if k != "safety_acknowledgement"}
    return {"functionCall": {"name": call.name, "args": arguments, **_id(call)}}


def _id(call: ToolCall) -> dict[str, str]:
    return {} if call.id.startswith(OWN_ID) else {"id": call.id}


def _answer(message: ChatMessage, answered: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Return a user turn; after calls it begins with their results, the last with a screenshot."""
    pictures = list(map(_picture, message.screenshots))
    said = build_content(message, lambda text: {"text": text}, _picture)
    if not answered:
        return [*said, *pictures]
    results: list[dict[str, Any]] = [
        {"name": call.name, "response": _outcome(call), **_id(call)} for call in answered
    ]
    if pictures:
        results[-1]["parts"] = pictures
    return [*({"functionResponse": result} for result in results), *said]


def _outcome(call: ToolCall) -> dict[str, Any]:
    if call.arguments.get("safety_acknowledgement") is True:
        return {"output": CALL_RESULT, "safety_acknowledgement": True}
    if call.arguments.get("safety_decision") is not None:
        return {"error": "The person has not confirmed this."}
    return {"output": CALL_RESULT}


def _picture(frame: Frame) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/jpeg", "data": as_base64(frame)}}


def _finish(reason: str) -> str:
    if reason in MALFORMED:
        raise errors.TransientError(Message("model.malformed_call"))
    return "content_filter" if reason in BLOCKED else FINISH.get(reason, reason)
