"""OpenAI's Responses API, through the `openai` SDK and with its own computer tool.

Nothing is stored at the server: each request holds the whole conversation, and what the model said
goes back item by item as it was, its sealed reasoning included. A call is answered with the
screenshot that follows it; once that is dropped, the call goes back as text, because the tool takes
no answer without a picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cua.types import Frame, Message, ModelError, Reply, ToolCall, mapping

from . import faults, verbatim
from .conceding import conceding
from .draft import Draft, plain
from .encoding import Picture
from .openai_client import OpenAIClient
from .peer import Peer

TOOLS = ("computer", "computer_use_preview")
"""Types of the computer tool, newest first."""
SEALED = "reasoning.encrypted_content"
FINISH = {"max_output_tokens": "length", "content_filter": "content_filter"}


class OpenAIResponses(OpenAIClient):
    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)
        self._tools = list(TOOLS) if peer.native else []
        self._sealed = True
        self._schemas = True
        self._said: dict[str, list[Mapping[str, Any]]] = {}

    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        return await conceding(lambda: self._ask(messages, schema), self._concede)

    def _concede(self, refused: ModelError) -> bool:
        error = str(refused)
        if "computer" in error and len(self._tools) > 1:
            self._tools.pop(0)
        elif ("encrypted" in error or "reasoning" in error) and self._sealed:
            self._sealed, self._said = False, {}
        elif "text.format" in error and self._schemas:
            self._schemas = False
            self._peer.notify("The server knows no reply schema: going on without it.")
        else:
            return False
        return True

    async def _ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        heard = _Heard(self._peer, Draft(self._peer.show))
        await self.stream("/responses", self._body(messages, schema), heard.draft, heard.read)
        if heard.failure:
            raise heard.failure
        reply = heard.draft.reply()
        if reply.calls:
            self._said[reply.calls[0].id] = heard.items
        return reply

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> object:
        self._said = verbatim.alive(self._said, messages)
        body: dict[str, Any] = {"model": self._peer.model, "stream": True, "store": False}
        if system := [plain(p) for m in messages if m.role == "system" for p in _words(m)]:
            body["instructions"] = "\n".join(system)
        if self._tools:
            body |= {"tools": [self._tool(messages)], "truncation": "auto"}
        if self._sealed:
            body["include"] = [SEALED]
        if schema is not None and self._schemas:
            fit = {"type": "json_schema", "name": "reply", "strict": True, "schema": schema}
            body["text"] = {"format": fit}
        turns = [message for message in messages if message.role != "system"]
        return {**body, "input": self._items(turns), **self._peer.sampling}

    def _tool(self, messages: Sequence[Message]) -> dict[str, object]:
        kind = self._tools[0]
        if kind == "computer":
            return {"type": kind}
        frames = [p for m in messages for p in m.parts if isinstance(p, Frame) and not p.area]
        width, height = (frames[-1].width, frames[-1].height) if frames else (1280, 720)
        size = {"display_width": width, "display_height": height}
        return {"type": kind, "environment": "linux", **size}

    def _items(self, turns: Sequence[Message]) -> list[Mapping[str, Any]]:
        items: list[Mapping[str, Any]] = []
        calls: list[ToolCall] = []
        for turn, after in zip(turns, [*turns[1:], None], strict=True):
            if turn.role == "user":
                items += _answer(turn, calls)
                continue
            calls = self._calls(turn) if after and _frames(after) else []
            items += self._spoken(turn, calls)
        return items

    def _calls(self, turn: Message) -> list[ToolCall]:
        """Those of the computer tool, if it is offered: the others go as text."""
        calls = [part for part in turn.parts if isinstance(part, ToolCall)]
        ours = all(call.name == "computer" and call.id for call in calls)
        return calls if self._tools and ours else []

    def _spoken(self, turn: Message, calls: Sequence[ToolCall]) -> list[Mapping[str, Any]]:
        """What the model said, in its own items if they are still known."""
        if calls and (said := self._said.get(calls[0].id)):
            return said
        words = [plain(part) for part in _words(turn) if part not in calls]
        text = [{"role": "assistant", "content": "\n".join(words)}] if words else []
        return [*text, *map(_call, calls)]


def _frames(message: Message) -> list[Frame]:
    return [part for part in message.parts if isinstance(part, Frame)]


def _words(message: Message) -> list[str | ToolCall]:
    return [part for part in message.parts if not isinstance(part, Frame)]


def _call(call: ToolCall) -> dict[str, Any]:
    known = {k: v for k, v in call.arguments.items() if k in ("action", "actions")}
    checks = call.arguments.get("pending_safety_checks", [])
    rest = {"status": "completed", "pending_safety_checks": checks}
    return {"type": "computer_call", "call_id": call.id, **known, **rest}


def _answer(turn: Message, calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """A turn of the person; calls are answered first, with the screenshot that came after them."""
    frames = [_picture(frame) for frame in _frames(turn)]
    outputs = [_output(call, frames[-1]) for call in calls]
    parts: list[dict[str, Any]] = [
        {"type": "input_text", "text": plain(part)} for part in _words(turn)
    ]
    if not outputs:
        parts += [{"type": "input_image", **frame} for frame in frames]
    return [*outputs, *([{"role": "user", "content": parts}] if parts else [])]


def _output(call: ToolCall, picture: Mapping[str, Any]) -> dict[str, Any]:
    confirmed = call.arguments.get("safety_acknowledgement") is True
    checks = call.arguments.get("pending_safety_checks") if confirmed else None
    return {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", **picture},
        **({"acknowledged_safety_checks": checks} if checks else {}),
    }


def _picture(frame: Frame) -> dict[str, Any]:
    return {
        "image_url": Picture(frame.jpeg, b"data:image/jpeg;base64,"),
        "detail": "original",  # anything else makes it smaller, and clicks drift
    }


@dataclass
class _Heard:
    """The stream's events, both as a draft and as the items that have to go back."""

    peer: Peer
    draft: Draft
    items: list[Mapping[str, Any]] = field(default_factory=list)
    failure: ModelError | None = None
    """What the stream ended with; raised when it has been read to its end."""

    def read(self, event: Mapping[str, Any], draft: Draft) -> None:
        kind = event.get("type")
        if kind == "response.output_item.added":
            draft.choices += 1
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            draft.say(event.get("delta"))
        elif kind == "response.reasoning_summary_text.delta":
            draft.think(event.get("delta"))
        elif kind == "response.output_item.done":
            self._item(mapping(event.get("item")), draft)
        elif kind in ("response.completed", "response.incomplete"):
            _end(mapping(event.get("response")), draft)
        elif kind == "response.failed":
            error = mapping(event.get("response")).get("error")
            self.failure = faults.refusal(self.peer, 500, {"error": error})
            draft.finish = "error"

    def _item(self, item: Mapping[str, Any], draft: Draft) -> None:
        self.items.append({k: v for k, v in item.items() if k != "status"})
        key = str(item.get("call_id") or len(self.items))
        if item.get("type") == "computer_call":
            names = ("action", "actions", "pending_safety_checks")
            arguments = {name: item[name] for name in names if item.get(name)}
            draft.call_object(key, "computer", arguments)
        elif item.get("type") == "function_call":
            draft.call(key, item.get("name"), item.get("arguments"), key)


def _end(response: Mapping[str, Any], draft: Draft) -> None:
    usage = mapping(response.get("usage"))
    cached = mapping(usage.get("input_tokens_details")).get("cached_tokens")
    draft.count(usage.get("input_tokens"), usage.get("output_tokens"), cached)
    why = mapping(response.get("incomplete_details")).get("reason")
    if draft.choices:
        draft.finish = FINISH.get(why, why) if isinstance(why, str) else "stop"
