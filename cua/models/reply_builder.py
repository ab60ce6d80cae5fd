"""Build a reply from the pieces that a server streams; the same for every provider.

Servers are not trusted: text is bounded and has no broken characters, arguments are objects, and an
incomplete reply is an error.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cua.dialects import tool_calls
from cua.dialects.prose import find_sentences
from cua.messages import Message
from cua.types import ModelError, Reply, ToolCall, as_object, replace_surrogates

from . import errors

MAX_CHARS = 256 * 1024
"""Characters of text, reasoning and calls together; 20 actions have less than 8 K."""
CALL_CHARS = 4 * 1024
"""Characters that each call counts in addition, as empty ones take memory too."""
SHOWN_CHARS = 600
"""Characters at the end of a reply that are shown while it arrives."""
SHOW_INTERVAL_S = 0.15


@dataclass
class _Call:
    """A call in pieces: appending to a long string would copy all of it."""

    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    id: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The arguments, not parsed."""
        return replace_surrogates("".join(self.arguments))

    @property
    def markup(self) -> str:
        return tool_calls.format_call("".join(self.name), self.text)


@dataclass
class ReplyBuilder:
    """Fill it with `say`, `think`, `call` and `count`, set `finish`, then take the `reply`.

    `finish` is OpenAI's finish reason: stop, length, tool_calls, content_filter. `show` gets the
    sentences at the end of the reply so far, or of its reasoning, every `SHOW_INTERVAL_S`.
    """

    show: Callable[[str], None] = lambda _: None
    finish: str = ""
    has_begun: bool = False
    """Whether the stream had a piece of a reply, though it may be empty."""
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _calls: dict[object, _Call] = field(default_factory=dict)
    _size: int = 0
    _tokens: tuple[int, int, int] = (0, 0, 0)
    _started: float = field(default_factory=time.monotonic)
    _first: float = 0.0
    _shown: float = 0.0

    def read(self, event: Mapping[str, Any]) -> None:
        """Add an event of the stream, of unknown shape; each protocol has its own."""
        raise NotImplementedError

    def output(self) -> list[Any]:
        """Return the reply to send back unchanged; empty: it is built from its text and calls."""
        return []

    def say(self, text: object) -> None:
        self._add(self._text, text)
        self._show(self._text, find_sentences)

    def think(self, text: object) -> None:
        self._add(self._reasoning, text)
        self._show(self._reasoning)

    def call(self, index: object, name: object, arguments: object, call_id: object = "") -> None:
        """Add a piece of the function call `index`."""
        if (call := self._calls.get(index)) is None:
            self._count_chars(CALL_CHARS)
            call = self._calls[index] = _Call()
        self._add(call.name, name)
        self._add(call.arguments, arguments)
        if not call.id:
            self._add(call.id, call_id)
        self._show(self._text, find_sentences)

    def call_piece(self, piece: Mapping[str, Any]) -> None:
        """Add a piece of a call in OpenAI's form, which is of unknown shape."""
        function, index = as_object(piece.get("function")), str(piece.get("index"))
        self.call(index, function.get("name"), function.get("arguments"), piece.get("id"))

    def call_object(self, key: str, name: str, arguments: Mapping[str, Any]) -> None:
        self.call(key, name, json.dumps(arguments), key)

    def count(self, tokens_in: object, tokens_out: object, cached: object = 0) -> None:
        self._tokens = (_number(tokens_in), _number(tokens_out), _number(cached))

    def reply(self) -> Reply:
        """Return the complete reply. Raises `ModelError`."""
        try:
            return self._build()
        except ModelError as error:
            error.tokens_in, error.tokens_out, _ = self._tokens
            raise

    def _build(self) -> Reply:
        if not (self.finish or self.has_begun):
            raise errors.TransientError(Message("model.no_choices"), setting="model_name")
        if not self.finish:
            raise errors.TransientError(Message("model.unfinished"))
        if self.finish == "content_filter":
            raise errors.filtered_reply_error()
        text, calls = replace_surrogates("".join(self._text)), self._valid_calls()
        if len(calls) < len(self._calls):  # as text: the dialect refuses all of it
            text, calls = "\n".join([text, *(call.markup for call in self._calls.values())]), []
        reasoning = replace_surrogates("".join(self._reasoning))
        if not (text.strip() or calls or reasoning.strip()):
            raise _empty_reply_error(self.finish)
        seconds = time.monotonic() - self._started
        head = (text, reasoning, tuple(calls), self.finish)
        return Reply(*head, *self._tokens, seconds=seconds, first=self._first)

    def _valid_calls(self) -> list[ToolCall]:
        """Return the calls whose arguments are JSON objects."""
        read = ((call, _object(call.text)) for call in self._calls.values())
        return [
            ToolCall("".join(call.name), arguments, "".join(call.id))
            for call, arguments in read
            if arguments is not None
        ]

    def _add(self, pieces: list[str], text: object) -> None:
        if isinstance(text, str) and text:
            pieces.append(text)
            self._first = self._first or time.monotonic() - self._started
            self._count_chars(len(text))

    def _count_chars(self, characters: int) -> None:
        self._size += characters
        if self._size > MAX_CHARS:
            raise errors.long_reply_error(MAX_CHARS // 1024)

    def _show(self, pieces: list[str], find: Callable[[str], str] = str) -> None:
        now = time.monotonic()
        if now - self._shown >= SHOW_INTERVAL_S:
            self._shown = now
            end = replace_surrogates("".join(pieces[-SHOWN_CHARS:]))[-SHOWN_CHARS:]
            self.show(find(end))


def _empty_reply_error(finish: str) -> ModelError:
    if finish == "length":
        return ModelError(Message("model.cut_empty"))
    return errors.EmptyReplyError(Message("model.empty"), setting="model_name")


def _object(arguments: str) -> dict[str, Any] | None:
    try:
        value = json.loads(arguments or "{}")
        value = json.loads(
            replace_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
