"""Gemini, through the `google-genai` SDK and with its own computer-use functions.

Its thoughts are signed, so replies with calls are sent back unchanged; they are kept while the
conversation contains them. The SDK does not close its connections and has no timeouts: the code
below does both.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cua.types import ChatMessage, Frame, ModelError, Reply, ToolCall

from . import errors, replay
from .endpoint import ModelEndpoint
from .provider import Provider
from .reply_builder import ReplyBuilder, as_text

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.types import GenerateContentResponse

DEFAULT_URL = "https://generativelanguage.googleapis.com"
ENVIRONMENTS = (
    ("ENVIRONMENT_DESKTOP", ("mouse_down", "mouse_up", "key_down", "key_up")),
    ("ENVIRONMENT_BROWSER", ("open_web_browser", "search")),
)
"""Environments, the best first, each with its functions that are not supported here."""
UNSIGNED = b"skip_thought_signature_validator"
"""Google's placeholder for a call whose signature is not known any more."""
OWN_ID = "local-"
"""Prefix of the ID of a call to which the server gave none."""
FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
BLOCKED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")


class GenAI(Provider["Client"]):
    """A call in the history with a `safety_decision` counts as confirmed by the person only if its
    argument `safety_acknowledgement` is true.
    """

    def __init__(self, peer: ModelEndpoint) -> None:
        super().__init__(peer, DEFAULT_URL)
        self._http: httpx2.AsyncClient | None = None
        self._responses: list[httpx2.Response] = []
        self._environments = list(ENVIRONMENTS) if peer.native else []
        self._thinking = True
        self._outputs: dict[str, list[Any]] = {}

    def _fall_back(self, refusal: ModelError) -> bool:
        error = errors.quote(refusal).lower()
        if "thinking" in error and self._thinking:
            self._thinking = False
        elif "environment" in error and len(self._environments) > 1:
            self._environments.pop(0)
        else:
            return False
        return True

    async def list_models(self) -> list[str]:
        client = await self._connected()
        with _translate_errors(self._peer, ReplyBuilder()):
            pager = await client.aio.models.list()
            return [(model.name or "").removeprefix("models/") async for model in pager]

    async def aclose(self) -> None:
        if self._client and self._http:
            self._client.close()
            await self._http.aclose()

    def _connect(self) -> Client:
        from google.genai import Client, types

        from . import http_client

        self._http = http = http_client.client(self._peer, self._responses)
        url = self._peer.url.rstrip("/").removesuffix("/v1beta")
        options = types.HttpOptions(base_url=url, api_version="v1beta", httpx_async_client=http)
        return Client(vertexai=False, api_key=self._peer.key or "none", http_options=options)

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply:
        client, builder = await self._connected(), ReplyBuilder(self._peer.show)
        parts: list[Any] = []
        try:
            with _translate_errors(self._peer, builder):
                stream = await client.aio.models.generate_content_stream(
                    model=self._peer.model,
                    contents=self._contents(messages),
                    config=self._config(messages, schema),  # type: ignore[arg-type]
                )
                async for chunk in stream:
                    parts += _read(chunk, builder)
        finally:
            while self._responses:
                await self._responses.pop().aclose()
        reply = builder.reply()
        if reply.calls:
            self._outputs[reply.calls[0].id] = parts
        return reply

    def _config(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        system = [as_text(p) for m in messages if m.role == "system" for p in _texts(m)]
        config: dict[str, Any] = {"automatic_function_calling": {"disable": True}}
        if system:
            config["system_instruction"] = "\n".join(system)
        if self._thinking:
            config["thinking_config"] = {"include_thoughts": True}
        if self._environments:
            name, unused = self._environments[0]
            use = {"environment": name, "excluded_predefined_functions": list(unused)}
            config["tools"] = [{"computer_use": use}]
        if schema is not None:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = schema
        return {**config, **self._peer.sampling}

    def _contents(self, messages: Sequence[ChatMessage]) -> list[Any]:
        self._outputs = replay.still_used(self._outputs, messages)
        contents, calls = [], list[ToolCall]()
        for message in messages:
            if message.role == "assistant":
                calls = [part for part in message.parts if isinstance(part, ToolCall)]
                contents.append({"role": "model", "parts": self._model_turn(message, calls)})
            elif message.role == "user":
                contents.append({"role": "user", "parts": _answer(message, calls)})
                calls = []
        return contents

    def _model_turn(self, message: ChatMessage, calls: Sequence[ToolCall]) -> list[Any]:
        if calls and (said := self._outputs.get(calls[0].id)):
            return said
        signed = {"thought_signature": UNSIGNED}
        return [
            {"text": part} if isinstance(part, str) else {**_call(part), **signed}
            for part in _texts(message)
        ]


def _texts(message: ChatMessage) -> list[str | ToolCall]:
    return [part for part in message.parts if not isinstance(part, Frame)]


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {k: v for k, v in call.arguments.items() if k != "safety_acknowledgement"}
    return {"function_call": {"name": call.name, "args": arguments, **_id(call)}}


def _id(call: ToolCall) -> dict[str, str]:
    return {} if call.id.startswith(OWN_ID) else {"id": call.id}


def _answer(message: ChatMessage, calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """A user turn; after calls their results come first, the last with the screenshot."""
    frames = [_picture(part) for part in message.parts if isinstance(part, Frame)]
    texts = [{"text": as_text(part)} for part in _texts(message)]
    if not calls:
        return [*texts, *frames]
    results: list[dict[str, Any]] = [
        {"name": call.name, "response": _outcome(call), **_id(call)} for call in calls
    ]
    if frames:
        results[-1]["parts"] = frames
    return [*({"function_response": result} for result in results), *texts]


def _outcome(call: ToolCall) -> dict[str, Any]:
    if call.arguments.get("safety_acknowledgement") is True:
        return {"output": replay.CALL_RESULT, "safety_acknowledgement": True}
    if call.arguments.get("safety_decision") is not None:
        return {"error": "The person has not confirmed this."}
    return {"output": replay.CALL_RESULT}


def _picture(frame: Frame) -> dict[str, Any]:
    return {"inline_data": {"mime_type": "image/jpeg", "data": frame.jpeg}}


def _read(chunk: GenerateContentResponse, builder: ReplyBuilder) -> list[Any]:
    """Read a chunk; return its parts to send back."""
    if usage := chunk.usage_metadata:
        spoken = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        builder.count(usage.prompt_token_count, spoken, usage.cached_content_token_count)
    if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
        raise errors.reply_filtered()
    parts: list[Any] = []
    for candidate in (chunk.candidates or ())[:1]:
        builder.choices += 1
        for part in (candidate.content and candidate.content.parts) or ():
            _read_part(part, builder)
            parts += [part] if part.thought_signature or not part.thought else []
        if candidate.finish_reason:
            builder.finish = _finish(candidate.finish_reason.value)
    return parts


def _read_part(part: Any, builder: ReplyBuilder) -> None:
    (builder.think if part.thought else builder.say)(part.text)
    if call := part.function_call:
        key = call.id or OWN_ID + secrets.token_hex(8)
        builder.call_object(key, call.name or "", call.args or {})


def _finish(reason: str) -> str:
    if reason in MALFORMED:
        raise errors.malformed_call()
    return "content_filter" if reason in BLOCKED else FINISH.get(reason, reason)


@contextmanager
def _translate_errors(peer: ModelEndpoint, builder: ReplyBuilder) -> Iterator[None]:
    import httpx2
    from google.genai.errors import APIError

    from . import http_client

    try:
        yield
    except APIError as error:
        headers = getattr(error.response, "headers", {})
        after = headers.get("retry-after")
        raise errors.refusal(peer, int(error.code or 500), error.details, after) from None
    except httpx2.HTTPError as error:
        raise http_client.translate_error(peer, error, builder) from None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        # the SDK met an answer of another shape
        raise errors.not_json() from None
