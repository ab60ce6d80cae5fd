"""Gemini, through the `google-genai` SDK and with its own computer-use functions.

Its thoughts are signed: what the model said has to go back untouched, so each reply with calls is
kept for as long as the conversation contains it. Closing the SDK's stream does not close the
connection, and its requests have no time limits of their own; both are seen to below.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall

from . import faults, verbatim
from .conceding import conceding
from .draft import Draft, plain
from .peer import Peer

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.types import GenerateContentResponse

DEFAULT_URL = "https://generativelanguage.googleapis.com"
ENVIRONMENTS = (
    ("ENVIRONMENT_DESKTOP", ("mouse_down", "mouse_up", "key_down", "key_up")),
    ("ENVIRONMENT_BROWSER", ("open_web_browser", "search")),
)
"""What the models may be told they sit at, the best first, each without what hands cannot do."""
UNSIGNED = b"skip_thought_signature_validator"
"""Google's word for a call whose signature is not known any more."""
OURS = "local-"
"""How the id of a call begins to which the server gave none."""
FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
BLOCKED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")


class GenAI:
    """A call in the history is confirmed by the person if its arguments say so, under the name
    `safety_acknowledgement`; one that came with a `safety_decision` and does not is not.
    """

    def __init__(self, peer: Peer) -> None:
        self._peer = replace(peer, url=peer.url or DEFAULT_URL)
        self._client: Client | None = None
        self._http: httpx2.AsyncClient | None = None
        self._responses: list[httpx2.Response] = []
        self._environments = list(ENVIRONMENTS) if peer.native else []
        self._thinking = True
        self._said: dict[str, list[Any]] = {}

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        return await conceding(lambda: self._ask(messages, schema), self._concede)

    def _concede(self, refused: ModelError) -> bool:
        error = str(refused).lower()
        if "thinking" in error and self._thinking:
            self._thinking = False
        elif "environment" in error and len(self._environments) > 1:
            self._environments.pop(0)
        else:
            return False
        return True

    async def list_models(self) -> list[str]:
        client = await self._connected()
        with _in_words(self._peer, Draft()):
            pager = await client.aio.models.list()
            return [(model.name or "").removeprefix("models/") async for model in pager]

    async def aclose(self) -> None:
        if self._client and self._http:
            self._client.close()
            await self._http.aclose()

    async def _connected(self) -> Client:
        if self._client is None:
            made = await asyncio.to_thread(_connect, self._peer, self._responses)
            self._client, self._http = made
        return self._client

    async def _ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        client, draft = await self._connected(), Draft(self._peer.show)
        said: list[Any] = []
        try:
            with _in_words(self._peer, draft):
                stream = await client.aio.models.generate_content_stream(
                    model=self._peer.model,
                    contents=self._contents(messages),
                    config=self._config(messages, schema),  # type: ignore[arg-type]
                )
                async for chunk in stream:
                    said += _read(chunk, draft)
        finally:
            while self._responses:
                await self._responses.pop().aclose()
        reply = draft.reply()
        if reply.calls:
            self._said[reply.calls[0].id] = said
        return reply

    def _config(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        system = [plain(p) for m in messages if m.role == "system" for p in _texts(m)]
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

    def _contents(self, messages: Sequence[Message]) -> list[Any]:
        self._said = verbatim.alive(self._said, messages)
        contents, calls = [], list[ToolCall]()
        for message in messages:
            if message.role == "assistant":
                calls = [part for part in message.parts if isinstance(part, ToolCall)]
                contents.append({"role": "model", "parts": self._spoken(message, calls)})
            elif message.role == "user":
                contents.append({"role": "user", "parts": _answer(message, calls)})
                calls = []
        return contents

    def _spoken(self, message: Message, calls: Sequence[ToolCall]) -> list[Any]:
        if calls and (said := self._said.get(calls[0].id)):
            return said
        signed = {"thought_signature": UNSIGNED}
        return [
            {"text": part} if isinstance(part, str) else {**_call(part), **signed}
            for part in _texts(message)
        ]


def _connect(peer: Peer, responses: list[httpx2.Response]) -> tuple[Client, httpx2.AsyncClient]:
    """The import takes a second; to be run in a thread."""
    from google.genai import Client, types

    from . import wire

    http = wire.client(peer, responses)
    url = peer.url.rstrip("/").removesuffix("/v1beta")
    options = types.HttpOptions(base_url=url, api_version="v1beta", httpx_async_client=http)
    return Client(vertexai=False, api_key=peer.key or "none", http_options=options), http


def _texts(message: Message) -> list[str | ToolCall]:
    return [part for part in message.parts if not isinstance(part, Frame)]


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {k: v for k, v in call.arguments.items() if k != "safety_acknowledgement"}
    return {"function_call": {"name": call.name, "args": arguments, **_id(call)}}


def _id(call: ToolCall) -> dict[str, str]:
    return {} if call.id.startswith(OURS) else {"id": call.id}


def _answer(message: Message, calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """A turn of the person; after calls their results come first, the screenshot in the last."""
    frames = [_picture(part) for part in message.parts if isinstance(part, Frame)]
    texts = [{"text": plain(part)} for part in _texts(message)]
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
        return {"output": verbatim.ANSWERED, "safety_acknowledgement": True}
    if "safety_decision" in call.arguments:
        return {"error": "The person has not confirmed this."}
    return {"output": verbatim.ANSWERED}


def _picture(frame: Frame) -> dict[str, Any]:
    return {"inline_data": {"mime_type": "image/jpeg", "data": frame.jpeg}}


def _read(chunk: GenerateContentResponse, draft: Draft) -> list[Any]:
    """One chunk; returns the parts that have to go back."""
    if usage := chunk.usage_metadata:
        spoken = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        draft.count(usage.prompt_token_count, spoken, usage.cached_content_token_count)
    if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
        raise ModelError(faults.FILTERED)
    said: list[Any] = []
    for candidate in (chunk.candidates or ())[:1]:
        draft.choices += 1
        for part in (candidate.content and candidate.content.parts) or ():
            _read_part(part, draft)
            said += [part] if part.thought_signature or not part.thought else []
        if candidate.finish_reason:
            draft.finish = _finish(candidate.finish_reason.value)
    return said


def _read_part(part: Any, draft: Draft) -> None:
    (draft.think if part.thought else draft.say)(part.text)
    if call := part.function_call:
        key = call.id or OURS + secrets.token_hex(8)
        draft.call_object(key, call.name or "", call.args or {})


def _finish(reason: str) -> str:
    if reason in MALFORMED:
        raise faults.TransientError(faults.MALFORMED)
    return "content_filter" if reason in BLOCKED else FINISH.get(reason, reason)


@contextmanager
def _in_words(peer: Peer, draft: Draft) -> Iterator[None]:
    import httpx2
    from google.genai import errors

    from . import wire

    try:
        yield
    except errors.APIError as error:
        headers = getattr(error.response, "headers", {})
        after = headers.get("retry-after")
        raise faults.refusal(peer, int(error.code or 500), error.details, after) from None
    except httpx2.HTTPError as error:
        raise wire.problem(peer, error, draft.choices > 0) from None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        # what the SDK makes of an answer in a shape that nobody expects
        raise ModelError(faults.NOT_JSON) from None
