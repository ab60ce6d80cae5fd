"""Claude, through the `anthropic` SDK and with its own computer tool.

The tool has had three generations and each model knows some of them; they are offered from the
newest down, until the server takes one. What the model said is sent back as it was, thinking and
signatures included: a newer model refuses a conversation in which they are missing, so each reply
with calls is kept for as long as the conversation contains it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall, mapping

from . import faults, verbatim
from .conceding import conceding
from .draft import Draft, plain
from .encoding import Picture, encode
from .peer import Peer

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_URL = "https://api.anthropic.com"
TOOLS = (
    ("computer_toolset_20260801", ""),
    ("computer_20251124", "computer-use-2025-11-24"),
    ("computer_20250124", "computer-use-2025-01-24"),
)
"""Types of the computer tool, newest first, each with its beta header."""
UNUSED = ("cursor_position", "hold_key", "left_mouse_down", "left_mouse_up")
"""Members of the toolset for which there are no hands here."""
TOKENS = 4096
"""Longest reply, unless `sampling` says otherwise; this API wants to be told."""
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
CACHED = {"cache_control": {"type": "ephemeral"}}


class Anthropic:
    def __init__(self, peer: Peer) -> None:
        self._peer = replace(peer, url=peer.url or DEFAULT_URL)
        self._client: AsyncAnthropic | None = None
        self._tools = list(TOOLS) if peer.native else []
        self._said: dict[str, list[dict[str, Any]]] = {}
        self._verbatim = True
        self._remade = True
        """Whether calls go back as such where the words around them are not known any more."""
        self._schemas = True

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        return await conceding(lambda: self._ask(messages, schema), self._concede)

    def _concede(self, refused: ModelError) -> bool:
        error = str(refused)
        if "computer_" in error and len(self._tools) > 1:
            self._tools.pop(0)
        elif "thinking" in error and self._verbatim and self._said:
            self._verbatim = False  # it wants its old thoughts left out
        elif "thinking" in error and self._remade:
            self._verbatim, self._remade = True, False
        elif "output_config" in error and self._schemas:
            self._schemas = False
            self._peer.notify("The server knows no reply schema: going on without it.")
        else:
            return False
        return True

    async def list_models(self) -> list[str]:
        client = await self._connected()
        import anthropic

        from . import wire

        with wire.in_words(anthropic, self._peer, Draft()):
            return wire.listed(await client.get("/v1/models", cast_to=object))

    async def aclose(self) -> None:
        if self._client:
            await self._client.close()

    async def _connected(self) -> AsyncAnthropic:
        if self._client is None:
            self._client = await asyncio.to_thread(_connect, self._peer)
        return self._client

    async def _ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        client, heard = await self._connected(), _Heard(Draft(self._peer.show))
        import anthropic

        from . import wire

        with wire.in_words(anthropic, self._peer, heard.draft):
            stream = await client.post(
                "/v1/messages",
                cast_to=object,
                content=encode(self._body(messages, schema)),
                options={"headers": self._headers()},
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
            async with stream:
                if "event-stream" not in stream.response.headers.get("content-type", ""):
                    raise ModelError(faults.NO_STREAM)
                await wire.follow(stream.__aiter__(), heard.draft, heard.read)
        reply = heard.draft.reply()
        if reply.calls and (blocks := heard.whole(len(reply.calls))):
            self._said[reply.calls[0].id] = blocks
        return reply

    def _headers(self) -> dict[str, str]:
        beta = self._tools[0][1] if self._tools else ""
        return {"content-type": "application/json"} | ({"anthropic-beta": beta} if beta else {})

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> object:
        self._said = verbatim.alive(self._said, messages)
        body: dict[str, Any] = {"model": self._peer.model, "max_tokens": TOKENS, "stream": True}
        if system := [text for m in messages if m.role == "system" for text in _texts(m)]:
            body["system"] = system
        if self._tools:
            body["tools"] = [self._tool(messages)]
        if schema is not None and self._schemas:
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        turns = self._turns([m for m in messages if m.role != "system"])
        return {**body, "messages": turns, **self._peer.sampling}

    def _tool(self, messages: Sequence[Message]) -> dict[str, object]:
        kind = self._tools[0][0]
        if kind.startswith("computer_toolset"):
            return {"type": kind, "configs": {name: {"enabled": False} for name in UNUSED}}
        frames = [p for m in messages for p in m.parts if isinstance(p, Frame) and not p.area]
        width, height = (frames[-1].width, frames[-1].height) if frames else (1280, 720)
        size = {"display_width_px": width, "display_height_px": height}
        return {"type": kind, "name": "computer", **size}

    def _turns(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        for message in messages:
            if message.role == "assistant":
                content = self._spoken(message)
            else:
                content = _answer(message, calls)
            calls = [block for block in content if block.get("type") == "tool_use"]
            turns.append({"role": message.role, "content": content})
        if turns and turns[-1]["role"] == "user":
            turns[-1]["content"][-1].update(CACHED)
        return turns

    def _spoken(self, message: Message) -> list[dict[str, Any]]:
        """What the model said, in its own words if they are still known."""
        calls = [part for part in message.parts if isinstance(part, ToolCall)]
        if calls and self._verbatim and (said := self._said.get(calls[0].id)):
            return said
        if not self._remade:
            return _texts(message)
        toolset = bool(self._tools) and self._tools[0][0].startswith("computer_toolset")
        return [
            _call(part, toolset) if isinstance(part, ToolCall) else {"type": "text", "text": part}
            for part in message.parts
            if not isinstance(part, Frame)
        ]


def _connect(peer: Peer) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic

    from . import wire

    return AsyncAnthropic(
        base_url=peer.url.rstrip("/").removesuffix("/v1"),
        api_key=peer.key or "none",  # explicit, so that none is taken from elsewhere
        max_retries=0,
        open_telemetry=False,
        http_client=wire.client(peer),
    )


def _texts(message: Message) -> list[dict[str, Any]]:
    parts = (part for part in message.parts if not isinstance(part, Frame))
    return [{"type": "text", "text": plain(part)} for part in parts]


def _call(call: ToolCall, toolset: bool) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
    return {**block, "toolset_name": "computer"} if toolset else block


def _answer(message: Message, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A turn of the person; after calls their results come first, the screenshot in the last."""
    frames = [_picture(part) for part in message.parts if isinstance(part, Frame)]
    if not calls:
        return [*_texts(message), *frames]
    results = [_result(call) for call in calls]
    if frames:
        results[-1]["content"] = frames
    return [*results, *_texts(message)]


def _result(call: Mapping[str, Any]) -> dict[str, Any]:
    toolset = {"toolset_name": call["toolset_name"]} if "toolset_name" in call else {}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": verbatim.ANSWERED}
    return {**result, **toolset}


def _picture(frame: Frame) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/jpeg", "data": Picture(frame.jpeg)}
    return {"type": "image", "source": source}


@dataclass
class _Heard:
    """The stream's events, both as a draft and block by block as they have to go back."""

    draft: Draft
    _blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    _pieces: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """What is added to the fields of each block; those of its arguments under `partial_json`."""
    _usage: dict[str, Any] = field(default_factory=dict)

    def read(self, event: Mapping[str, Any], draft: Draft) -> None:
        kind, index = event.get("type"), str(event.get("index"))
        if kind == "message_start":
            self._count(mapping(event.get("message")).get("usage"))
        elif kind == "content_block_start":
            draft.choices += 1
            self._start(index, mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            self._grow(index, mapping(event.get("delta")))
        elif kind == "message_delta":
            self._count(event.get("usage"))
            reason = mapping(event.get("delta")).get("stop_reason")
            draft.finish = FINISH.get(reason, reason) if isinstance(reason, str) else draft.finish

    def whole(self, calls: int) -> list[dict[str, Any]]:
        """The blocks as they have to go back; nothing if not all `calls` of them were sound."""
        used = [key for key, block in self._blocks.items() if block.get("type") == "tool_use"]
        if len(used) != calls:
            return []
        for (key, name), pieces in self._pieces.items():
            if name != "partial_json":
                self._blocks[key][name] = str(self._blocks[key].get(name) or "") + "".join(pieces)
        for key in used:
            arguments = "".join(self._pieces.get((key, "partial_json"), ()))
            self._blocks[key]["input"] = json.loads(arguments or "{}")
        return list(self._blocks.values())

    def _start(self, index: str, block: Mapping[str, Any]) -> None:
        self._blocks[index] = dict(block)
        if block.get("type") == "tool_use":
            self.draft.call(index, block.get("name"), "", block.get("id"))
        self.draft.say(block.get("text"))

    def _grow(self, index: str, delta: Mapping[str, Any]) -> None:
        self._blocks.setdefault(index, {})
        self.draft.say(delta.get("text"))
        self.draft.think(delta.get("thinking"))
        if "partial_json" in delta:
            self.draft.call(index, "", delta["partial_json"])
        for name in ("text", "thinking", "signature", "partial_json"):
            if isinstance(piece := delta.get(name), str):
                self._pieces.setdefault((index, name), []).append(piece)

    def _count(self, usage: object) -> None:
        self._usage.update({k: v for k, v in mapping(usage).items() if isinstance(v, int)})
        cached = self._usage.get("cache_read_input_tokens", 0)
        written = self._usage.get("cache_creation_input_tokens", 0)
        tokens_in = self._usage.get("input_tokens", 0) + cached + written
        self.draft.count(tokens_in, self._usage.get("output_tokens", 0), cached)
