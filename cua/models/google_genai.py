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

from cua.messages import Message
from cua.types import ChatMessage, Frame, Reply, ToolCall

from . import errors
from .endpoint import ModelEndpoint
from .provider import CALL_RESULT, TOOL, Provider, calls, frames, split_system, texts, words
from .reply_builder import ReplyBuilder

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.types import GenerateContentResponse

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

    DEFAULT_URL = "https://generativelanguage.googleapis.com"
    OPTIONAL_PARTS = (("thinking", "thinking_config"), ("environment", TOOL))

    def __init__(self, endpoint: ModelEndpoint) -> None:
        super().__init__(endpoint, ENVIRONMENTS)
        self._http: httpx2.AsyncClient | None = None
        self._responses: list[httpx2.Response] = []

    async def list_models(self) -> list[str]:
        client = await self._connected()
        with _translate_errors(self._endpoint, ReplyBuilder()):
            pager = await client.aio.models.list()
            return [(model.name or "").removeprefix("models/") async for model in pager]

    async def aclose(self) -> None:
        if self._client and self._http:
            self._client.close()
            await self._http.aclose()

    def _connect(self) -> Client:
        from google.genai import Client, types

        from . import http_client

        self._http = http = http_client.client(self._endpoint, self._responses)
        url = self._endpoint.url.rstrip("/").removesuffix("/v1beta")
        options = types.HttpOptions(base_url=url, api_version="v1beta", httpx_async_client=http)
        return Client(vertexai=False, api_key=self._endpoint.key or "none", http_options=options)

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> Reply:
        client, builder = await self._connected(), ReplyBuilder(self._endpoint.show)
        parts: list[Any] = []
        try:
            with _translate_errors(self._endpoint, builder):
                stream = await client.aio.models.generate_content_stream(
                    model=self._endpoint.model,
                    contents=self._contents(messages),
                    config=self._config(messages, schema),  # type: ignore[arg-type]
                )
                async for chunk in stream:
                    parts += _read(chunk, builder)
        finally:
            while self._responses:
                await self._responses.pop().aclose()
        return self._keep_output(builder.reply(), parts)

    def _config(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        config: dict[str, Any] = {"automatic_function_calling": {"disable": True}}
        if system := split_system(messages)[0]:
            config["system_instruction"] = "\n".join(system)
        if "thinking_config" not in self._left_out:
            config["thinking_config"] = {"include_thoughts": True}
        if self._tools:
            name, unused = self._tools[0]
            use = {"environment": name, "excluded_predefined_functions": list(unused)}
            config["tools"] = [{"computer_use": use}]
        if schema is not None:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = schema
        return {**config, **self._endpoint.sampling}

    def _contents(self, messages: Sequence[ChatMessage]) -> list[Any]:
        self._forget_outputs(messages)
        contents, made = [], list[ToolCall]()
        for message in split_system(messages)[1]:
            if message.role == "assistant":
                made = calls(message)
                contents.append({"role": "model", "parts": self._model_turn(message)})
            else:
                contents.append({"role": "user", "parts": _answer(message, made)})
                made = []
        return contents

    def _model_turn(self, message: ChatMessage) -> list[Any]:
        signed = {"thought_signature": UNSIGNED}
        return self._output_of(calls(message)) or [
            {"text": part} if isinstance(part, str) else {**_call(part), **signed}
            for part in words(message)
        ]


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {k: v for k, v in call.arguments.items() if k != "safety_acknowledgement"}
    return {"function_call": {"name": call.name, "args": arguments, **_id(call)}}


def _id(call: ToolCall) -> dict[str, str]:
    return {} if call.id.startswith(OWN_ID) else {"id": call.id}


def _answer(message: ChatMessage, answered: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """A user turn; after calls their results come first, the last with the screenshot."""
    pictures, said = list(map(_picture, frames(message))), [{"text": it} for it in texts(message)]
    if not answered:
        return [*said, *pictures]
    results: list[dict[str, Any]] = [
        {"name": call.name, "response": _outcome(call), **_id(call)} for call in answered
    ]
    if pictures:
        results[-1]["parts"] = pictures
    return [*({"function_response": result} for result in results), *said]


def _outcome(call: ToolCall) -> dict[str, Any]:
    if call.arguments.get("safety_acknowledgement") is True:
        return {"output": CALL_RESULT, "safety_acknowledgement": True}
    if call.arguments.get("safety_decision") is not None:
        return {"error": "The person has not confirmed this."}
    return {"output": CALL_RESULT}


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
        raise errors.TransientError(Message("model.malformed_call"))
    return "content_filter" if reason in BLOCKED else FINISH.get(reason, reason)


@contextmanager
def _translate_errors(endpoint: ModelEndpoint, builder: ReplyBuilder) -> Iterator[None]:
    import httpx2
    from google.genai.errors import APIError

    from . import http_client

    try:
        yield
    except APIError as error:
        headers = getattr(error.response, "headers", {})
        after = headers.get("retry-after")
        raise errors.refusal(endpoint, int(error.code or 500), error.details, after) from None
    except httpx2.HTTPError as error:
        raise http_client.translate_error(endpoint, error, builder) from None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        # the SDK met an answer of another shape
        raise errors.not_json() from None
