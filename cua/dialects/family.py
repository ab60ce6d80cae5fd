"""The base of all dialects: the conversation as chat turns, and rules for every reply.

A reply is parsed as a whole or refused as a whole; the error tells the model what to write instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError

from ..types import (
    Action,
    Ask,
    ChatMessage,
    Done,
    Fail,
    FormatError,
    ParsedReply,
    Reply,
    Step,
    Task,
    ToolCall,
)
from . import endings, history, tool_calls, wrapping
from .coordinates import THOUSANDTHS, CoordinateSpace, excerpt, fit_size, pixels
from .received_reply import ReceivedReply

MAX_ACTIONS = 20
"""Of one reply; the model sees the screen only after the last of them."""
MAX_REPLY_CHARS = 16 * 1024
"""Of a reply without its reasoning; parsing more would block the event loop."""
Part = TypeVar("Part")
NO_ANSWER = "(no answer)"
ACKNOWLEDGED = "safety_acknowledgement"
"""The argument that tells a provider that a person confirmed a call."""
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
_FILTERED = {"content_filter", "safety", "refusal", "recitation"}


_NO_ACTION = "There was reasoning, but no action in the reply. Answer with the next action."
_EMPTY = "There was nothing in the reply. Answer with the next action."


class Family:
    """A dialect in chat turns; subclasses parse the text of a reply."""

    name = ""
    schema: dict[str, Any] | None = None
    """For servers that support JSON schemas; None: the model's format is not JSON."""

    sampling: Mapping[str, float] = MappingProxyType({})
    """The family's recommended sampling; empty: there is none."""
    shows_thinking = False
    """Whether inline thinking is part of the answer: shown, and sent back."""
    returns_calls = False
    """Whether calls are sent back as calls: a provider's own tool requires it."""
    ends_by_text = False
    """Whether a reply can end the task without a call, in the form of `endings`."""
    around_first = around = ("", "")
    """Texts around the first screenshot, and around the others."""
    scale: CoordinateSpace | None = THOUSANDTHS
    """The coordinates; None: pixels of the screenshot that was sent."""

    factor = 0
    """The family's servers resize to multiples of this; 0: they do not resize."""

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        if not self.factor:
            return width, height
        tile = self.factor**2
        return fit_size(width, height, self.factor, least=4 * tile, most=16384 * tile)

    def messages(self, prompt: str, task: Task, keep: int) -> list[ChatMessage]:
        """Fill the size of the first screenshot into `{width}` and `{height}` of the prompt."""
        around = (self.around_first, self.around)
        sizes = self.scale is None
        return history.conversation(prompt, task, keep, self.assistant_parts, around, sizes)

    def parse(self, reply: Reply, sent: tuple[int, int]) -> ParsedReply:
        _refuse_cut(reply)
        reasoning, text = self._split(wrapping.whole_characters(reply.text))
        if not text.strip() and not reply.calls:
            raise FormatError(_NO_ACTION if _has_thought(reply) else _EMPTY)
        if len(text) > MAX_REPLY_CHARS:
            raise FormatError("The reply was too long. Answer with the next action only.")
        try:
            turn = self._explicit_end(reply, text) or self.read(
                ReceivedReply(text, reply.calls, self.scale or pixels(sent))
            )
        except ValidationError as error:
            raise FormatError(_describe(error)) from None
        _check_actions(turn.actions)
        thought = f"{reasoning}\n{turn.thought}" if self.shows_thinking else turn.thought
        notes = tuple(wrapping.whole_characters(note) for note in turn.notes)
        return replace(turn, thought=wrapping.whole_characters(thought).strip(), notes=notes)

    def assistant_parts(self, step: Step) -> tuple[str | ToolCall, ...]:
        """The reply of a step as parts of an assistant turn."""
        reply = step.reply
        assert reply is not None
        if not (self.returns_calls and reply.calls):
            return (self.assistant_text(reply),)
        confirmed = _is_confirmed(step)
        calls = [_with_acknowledgement(call, confirmed) for call in reply.calls]
        return (*filter(str.strip, [self._split(reply.text)[1]]), *calls)

    def assistant_text(self, reply: Reply) -> str:
        """A reply as it is sent back in later requests."""
        text = reply.text if self.shows_thinking else self._split(reply.text)[1]
        calls = [self.call_text(call) for call in reply.calls]
        return "\n".join([text, *calls] if text.strip() else calls) or NO_ANSWER

    def call_text(self, call: ToolCall) -> str:
        """A call that the server took out of the text, in the model's own format."""
        body = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
        return f"<tool_call>\n{body}\n</tool_call>"

    def _explicit_end(self, reply: Reply, text: str) -> ParsedReply | None:
        """An explicit end of the task; calls in its text are examples."""
        if not self.ends_by_text or reply.calls:
            return None
        end = endings.find_explicit(text.strip())
        return ParsedReply(text.strip(), (end,)) if end else None

    def _split(self, text: str) -> tuple[str, str]:
        return wrapping.split(text, self.call_end)

    def call_end(self, text: str, at: int, before: int) -> int | None:
        """See `wrapping.CallEnd`. Raises `FormatError` for a call that cannot be read."""
        return tool_calls.call_end(text, at, before)

    def read(self, reply: ReceivedReply) -> ParsedReply:
        """Parse a reply. Raises `FormatError`, or `ValidationError` for a value out of range."""
        raise NotImplementedError


def read_action(
    readers: Mapping[str, Callable[[Any, CoordinateSpace], Part | list[Part]]],
    verb: object,
    arguments: Mapping[str, Any],
    space: CoordinateSpace,
    taught: str,
) -> list[Part]:
    """Call the reader of `verb`. Raises `FormatError` with the `taught` actions if it has none."""
    reader = readers.get(verb.strip().lower()) if isinstance(verb, str) else None
    if reader is None:
        raise FormatError(f"There is no action {excerpt(verb)}. The actions are {taught}.")
    found = reader(arguments, space)
    return found if isinstance(found, list) else [found]


def _is_confirmed(step: Step) -> bool:
    """Whether a person confirmed what the provider wanted to have confirmed."""
    return bool(step.parsed and step.parsed.caution and step.actions_started)


def _with_acknowledgement(call: ToolCall, confirmed: bool) -> ToolCall:
    """Replace the model's own acknowledgement with the person's."""
    arguments = {k: v for k, v in call.arguments.items() if k != ACKNOWLEDGED}
    return replace(call, arguments={**arguments, ACKNOWLEDGED: True} if confirmed else arguments)


def _refuse_cut(reply: Reply) -> None:
    reason = reply.finish_reason.lower()
    if reason in _CUT:
        raise FormatError(
            "The reply was cut off because it was too long. Answer again, with fewer words."
        )
    if reason in _FILTERED:
        raise FormatError("The reply was cut off by the server's content filter. Answer again.")


def _has_thought(reply: Reply) -> bool:
    return bool(reply.reasoning.strip() or reply.text.strip())


def _check_actions(actions: Sequence[Action]) -> None:
    if not actions:
        raise FormatError("The reply had no action. Answer with the next action.")
    if len(actions) > MAX_ACTIONS:
        raise FormatError(
            f"The reply had {len(actions)} actions; at most {MAX_ACTIONS} are carried out at once. "
            "Answer with the next few."
        )
    for action in actions[:-1]:
        if isinstance(action, (Done, Fail, Ask)):
            raise FormatError("After ending the task or asking, no other action may follow.")
    for action in actions:
        try:
            action.model_dump_json()
        except ValueError:
            raise FormatError("A text has half a character in it. Write whole ones.") from None


def _describe(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    return f"A value is not allowed: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}."
