"""The base of all dialects: the conversation as chat turns, and rules for every reply.

A reply is parsed as a whole or refused as a whole; the error tells the model what to write instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from ..messages import Message, sentences
from ..types import (
    Action,
    Ask,
    ChatMessage,
    Done,
    Fail,
    FormatError,
    NoAction,
    ParsedReply,
    Reply,
    Schema,
    Step,
    Task,
    ToolCall,
    replace_surrogates,
)
from . import conversation, endings, tool_calls
from .action_readers import Reader
from .arguments import Arguments
from .coordinates import THOUSANDTHS, CoordinateSpace, fit_size, pixel_space, quote
from .press_release import Part, join_parts
from .reasoning import FindCallEnd, split_reasoning

MAX_ACTIONS = 20
"""Actions in a reply; the model sees the screen only after the last one."""
MAX_REPLY_CHARS = 16 * 1024
"""Characters of a reply without its reasoning; parsing more would block the event loop."""
NO_ANSWER = "(no answer)"
ACKNOWLEDGED = "safety_acknowledgement"
"""The argument that tells a provider that a person confirmed a call."""
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
_FILTERED = {"content_filter", "safety", "refusal", "recitation"}


class BaseDialect:
    """A dialect in chat turns; subclasses have tables of their actions and of the arguments."""

    format_hint: str = ""
    """Last sentence of format errors: how to write a call."""
    actions: Mapping[str, Reader] = MappingProxyType({})
    aliases: Mapping[str, Reader] = MappingProxyType({})
    """Actions that are accepted, but not in the prompt."""
    argument_names: Mapping[str, str] = MappingProxyType({})
    """See `Arguments`."""
    schema: Schema = None
    """The JSON schema of a reply, for servers that support one; None: replies are not JSON."""
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
    coordinate_space: CoordinateSpace | None = THOUSANDTHS
    """The coordinates; None: pixels of the screenshot that was sent."""
    factor = 0
    """The family's servers resize to multiples of this; 0: they do not resize."""
    find_call_end: FindCallEnd = staticmethod(tool_calls.find_call_end)
    """Raises `FormatError` for a call that cannot be read."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        """The name of the row in the registry and of the prompt's file."""

    def sent_size(self, width: int, height: int) -> tuple[int, int]:
        return fit_size(width, height, self.factor) if self.factor else (width, height)

    def messages(self, prompt: str, task: Task, keep: int) -> list[ChatMessage]:
        """Fill the size of the first screenshot into `{width}` and `{height}` of the prompt."""
        around = (self.around_first, self.around)
        sizes = self.coordinate_space is None
        return conversation.build_messages(prompt, task, keep, self.assistant_parts, around, sizes)

    def parse(self, reply: Reply, sent: tuple[int, int]) -> ParsedReply:
        _refuse_cut(reply)
        reasoning, text = self._split_reasoning(replace_surrogates(reply.text))
        if not text.strip() and not reply.calls:
            thought = reply.reasoning.strip() or reply.text.strip()
            raise FormatError(Message("format.only_reasoning" if thought else "format.empty"))
        if len(text) > MAX_REPLY_CHARS:
            raise FormatError(Message("format.too_long"))
        try:
            reply = replace(reply, text=text)
            parsed = self.read(reply, self.coordinate_space or pixel_space(sent))
        except ValidationError as error:
            raise FormatError(_describe(error)) from None
        _check_actions(parsed.actions)
        thought = f"{reasoning}\n{parsed.thought}" if self.shows_thinking else parsed.thought
        notes = tuple(map(replace_surrogates, parsed.notes))
        return replace(parsed, thought=replace_surrogates(thought).strip(), notes=notes)

    def assistant_parts(self, step: Step) -> tuple[str | ToolCall, ...]:
        """Return the reply of a step as parts of an assistant turn."""
        reply = step.reply
        assert reply is not None
        if not (self.returns_calls and reply.calls):
            return (self.assistant_text(reply),)
        confirmed = bool(step.parsed.caution and step.actions_started)
        calls = [_with_acknowledgement(call, confirmed) for call in reply.calls]
        return (*filter(str.strip, [self._split_reasoning(reply.text)[1]]), *calls)

    def assistant_text(self, reply: Reply) -> str:
        """Return a reply as later requests contain it."""
        text = reply.text if self.shows_thinking else self._split_reasoning(reply.text)[1]
        calls = [self.call_text(call) for call in reply.calls]
        return "\n".join([text, *calls] if text.strip() else calls) or NO_ANSWER

    def call_text(self, call: ToolCall) -> str:
        """Return a call that the server removed from the text, in the model's own format."""
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        return tool_calls.format_call(call.name, arguments)

    def _split_reasoning(self, text: str) -> tuple[str, str]:
        return split_reasoning(text, self.find_call_end)

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        """Parse a reply without its reasoning.

        Raises `FormatError`, or `ValidationError` for a value out of range.
        """
        if self.ends_by_text and not reply.calls:
            text = reply.text.strip()
            if end := endings.find_explicit(text):  # calls in it are examples
                return ParsedReply(text, (end,))
        words, calls = self.split_calls(reply)
        if calls:
            cautions = sentences(*(each for call in calls for each in self.find_cautions(call)))
            return ParsedReply(words, self.join_calls(calls, space), caution=cautions)
        if self.ends_by_text:
            return ParsedReply(words, (endings.parse_ending(words),))
        raise NoAction(sentences(Message("format.no_call"), self.format_hint), words)

    def split_calls(self, reply: Reply) -> tuple[str, list[ToolCall]]:
        """Return the words and the calls of a reply. Raises `FormatError`."""
        return tool_calls.read_calls(reply, self.format_hint, last=self.ends_by_text)

    def find_cautions(self, _: ToolCall) -> Iterator[str]:
        """Yield the reasons why a person has to confirm the call."""
        return iter(())

    def join_calls(self, calls: Sequence[ToolCall], space: CoordinateSpace) -> tuple[Action, ...]:
        """Return the actions of the calls. Raises like `read`."""
        return join_parts([part for call in calls for part in self.read_call(call, space)])

    def read_call(self, call: ToolCall, space: CoordinateSpace) -> list[Part]:
        return self.read_action(call.name, call.arguments, space)

    def read_action(
        self, name: object, given: Mapping[str, Any], space: CoordinateSpace
    ) -> list[Part]:
        reader = self.find_reader(name) if isinstance(name, str) else None
        if reader is None:
            known = list(self.actions)
            raise FormatError(Message("format.unknown_action", name=quote(name), names=known))
        found = reader(Arguments(given, self.argument_names, space))
        return found if isinstance(found, list) else [found]

    def find_reader(self, name: str) -> Reader | None:
        """Find a name as it is written, else without its case."""
        readers = {**self.aliases, **self.actions}
        return readers.get(name) or readers.get(name.strip().lower())


def _with_acknowledgement(call: ToolCall, confirmed: bool) -> ToolCall:
    """Replace the model's own acknowledgement with the person's."""
    arguments = {k: v for k, v in call.arguments.items() if k != ACKNOWLEDGED}
    return replace(call, arguments={**arguments, ACKNOWLEDGED: True} if confirmed else arguments)


def _refuse_cut(reply: Reply) -> None:
    reason = reply.finish_reason.lower()
    if reason in _CUT | _FILTERED:
        raise FormatError(Message("format.cut" if reason in _CUT else "format.filtered"))


def _check_actions(actions: Sequence[Action]) -> None:
    if not actions:
        raise FormatError(Message("format.no_action"))
    if len(actions) > MAX_ACTIONS:
        raise FormatError(Message("format.too_many", count=len(actions), most=MAX_ACTIONS))
    if any(isinstance(action, (Done, Fail, Ask)) for action in actions[:-1]):
        raise FormatError(Message("format.after_ending"))
    for action in actions:
        try:
            action.model_dump_json()
        except ValueError:
            raise FormatError(Message("format.half_character")) from None


def _describe(error: ValidationError) -> Message:
    first = error.errors()[0]
    if first["type"] == "modifier":
        return Message("format.only_modifiers", name=first["ctx"]["name"])
    where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    return Message("format.bad_value", name=where, reason=first["msg"].lower())
