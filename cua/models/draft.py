"""A reply while it arrives, piece by piece; the same for every provider.

Whatever a server sends is hostile until it has come through here: text is bounded and has no
broken characters, arguments are objects, and a reply that is not whole is an error and never a
reply.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cua.types import ModelError, Reply, ToolCall

from . import faults

LIMIT = 256 * 1024
"""Characters of text, reasoning and calls together; a screenful of actions is under 8 K."""
A_CALL = 4 * 1024
"""Characters for which each call counts beside its own: an empty one is kept and shown, too."""
SHOWN, SHOWN_EVERY = 600, 0.15
"""Characters of a reply under way that are shown at a time, and how many seconds apart."""


@dataclass
class _Call:
    """Each in the pieces in which it came: adding to a long text copies all of it."""

    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    id: list[str] = field(default_factory=list)


@dataclass
class Draft:
    """Fill it with `say`, `think`, `call` and `count`, set `finish`, then take the `reply`.

    `finish` is one of OpenAI's words: stop, length, tool_calls, content_filter. `show` gets the end
    of what has come so far, now and then, for who watches.
    """

    show: Callable[[str], None] = lambda _: None
    finish: str = ""
    choices: int = 0
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _calls: dict[object, _Call] = field(default_factory=dict)
    _size: int = 0
    _tokens: tuple[int, int, int] = (0, 0, 0)
    _began: float = field(default_factory=time.monotonic)
    _first: float = 0.0
    _shown: float = 0.0

    def say(self, text: object) -> None:
        self._grow(self._text, text)
        self._show(self._text)

    def think(self, text: object) -> None:
        self._grow(self._reasoning, text)
        self._show(self._reasoning)

    def call(self, index: object, name: object, arguments: object, call_id: object = "") -> None:
        """Another piece of the function call `index`."""
        if (call := self._calls.get(index)) is None:
            self._weigh(A_CALL)
            call = self._calls[index] = _Call()
        self._grow(call.name, name)
        self._grow(call.arguments, arguments)
        if not call.id:
            self._grow(call.id, call_id)
        self._show(call.name, [" "], call.arguments)

    def call_object(self, key: str, name: str, arguments: Mapping[str, Any]) -> None:
        """A whole function call, from a server that does not cut them into pieces."""
        self.call(key, name, json.dumps(arguments), key)

    def count(self, tokens_in: object, tokens_out: object, cached: object = 0) -> None:
        """Token counts; the last ones told are the right ones."""
        self._tokens = (_number(tokens_in), _number(tokens_out), _number(cached))

    def reply(self) -> Reply:
        """The finished reply. Raises `ModelError` where it is not one."""
        if not self.finish:
            raise faults.TransientError(faults.UNFINISHED if self.choices else faults.NO_CHOICES)
        if self.finish == "content_filter":
            raise ModelError(faults.FILTERED)
        text, calls = _clean("".join(self._text)), []
        for call in self._calls.values():
            name, written_out = "".join(call.name), _clean("".join(call.arguments))
            arguments = _object(written_out)
            if arguments is None:  # left in the text, where the dialect refuses it in its own words
                text += "\n" + written(name, written_out)
            else:
                calls.append(ToolCall(name, arguments, "".join(call.id)))
        reasoning = _clean("".join(self._reasoning))
        if not (text.strip() or calls or reasoning.strip()):
            raise self._nothing()
        told = self._tokens
        seconds = time.monotonic() - self._began
        return Reply(
            text, reasoning, tuple(calls), self.finish, *told, seconds=seconds, first=self._first
        )

    def _nothing(self) -> ModelError:
        if self.finish == "length":
            return ModelError(faults.CUT_EMPTY)
        return faults.TransientError(faults.EMPTY)

    def _grow(self, pieces: list[str], text: object) -> None:
        if isinstance(text, str) and text:
            pieces.append(text)
            self._first = self._first or time.monotonic() - self._began
            self._weigh(len(text))

    def _weigh(self, characters: int) -> None:
        self._size += characters
        if self._size > LIMIT:
            raise ModelError(faults.TOO_MUCH.format(limit=LIMIT // 1024))

    def _show(self, *parts: list[str]) -> None:
        now = time.monotonic()
        if now - self._shown >= SHOWN_EVERY:
            self._shown = now
            pieces = [piece for part in parts for piece in part[-SHOWN:]]
            self.show(_clean("".join(pieces))[-SHOWN:])


def written(name: str, arguments: str) -> str:
    """A function call as text, in the form that most models were trained on."""
    return f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {arguments}}}\n</tool_call>'


def plain(part: str | ToolCall) -> str:
    """A part that is not a picture, for servers that know no calls in a conversation."""
    if isinstance(part, str):
        return part
    return written(part.name, json.dumps(part.arguments, ensure_ascii=False))


def _clean(text: str) -> str:
    """Without the halves of surrogate pairs, which no log and no page can carry."""
    return text.encode("utf-8", "replace").decode()


def _object(arguments: str) -> dict[str, Any] | None:
    try:
        value = json.loads(arguments or "{}")
        value = json.loads(_clean(json.dumps(value, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
