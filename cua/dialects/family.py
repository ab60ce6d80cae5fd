"""What all families share: a conversation of plain turns, and the rules that hold for every reply.

A reply is understood whole or refused whole. What is refused is told to the model, so each refusal
is a sentence that says what to write instead.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..types import (
    Action,
    Ask,
    Done,
    Fail,
    FormatError,
    Message,
    Reply,
    Step,
    Task,
    ToolCall,
    Turn,
)
from . import history, wrapping
from .coordinates import THOUSANDTHS, Space, pixels, whole

MAX_ACTIONS = 20
"""Actions in one reply; what they do to the screen is not seen before the last one is done."""
LONGEST = 16 * 1024
"""Characters of a reply without its reasoning; reading more would hold up the event loop."""
NOTHING = "(no answer)"
ACKNOWLEDGED = "safety_acknowledgement"
"""The argument by which a provider knows that a person confirmed a call."""
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
_FILTERED = {"content_filter", "safety", "refusal", "recitation"}


class Heard(NamedTuple):
    """A reply without reasoning, and the space in which its coordinates are."""

    text: str
    calls: Sequence[ToolCall]
    space: Space


_NO_ACTION = "There was reasoning, but no action in the reply. Answer with the next action."
_NOTHING = "There was nothing in the reply. Answer with the next action."


class Family:
    """A dialect that is spoken in chat turns; a family says how its text is read."""

    name = ""
    schema: dict[str, Any] | None = None
    """For servers that can hold a model to a JSON schema; None: the model's own format is text."""

    sampling: Mapping[str, float] = MappingProxyType({})
    """What the family's makers sample with; empty: they do not say."""
    thinks_aloud = False
    """Whether its inline thinking is part of its answer: shown, and sent back."""
    calls_back = False
    """Whether calls go back as calls: a provider's own tool wants each of them answered."""
    verbatim = "(?!)"
    """Pattern of lines in which thinking tags are just text."""
    around_first = around = ("", "")
    """What stands around the first screenshot, and around the others."""
    scale: Space | None = THOUSANDTHS
    """What coordinates are; None: pixels of the screenshot that was sent."""

    factor = 0
    """The family's servers resize to multiples of this; 0: any size will do."""

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        if not self.factor:
            return width, height
        tile = self.factor**2
        return whole(width, height, self.factor, least=4 * tile, most=16384 * tile)

    def messages(self, prompt: str, task: Task, keep: int) -> list[Message]:
        """`{width}` and `{height}` in the prompt are those of the first screenshot."""
        return history.conversation(
            prompt, task, keep, self.spoken, (self.around_first, self.around), self.scale is None
        )

    def parse(self, reply: Reply, sent: tuple[int, int]) -> Turn:
        _refuse_cut(reply)
        reasoning, text = self._split(wrapping.whole_characters(reply.text))
        if not text.strip() and not reply.calls:
            raise FormatError(_NO_ACTION if _thought(reply) else _NOTHING)
        if len(text) > LONGEST:
            raise FormatError("The reply was too long. Answer with the next action only.")
        try:
            turn = self.read(Heard(text, reply.calls, self.scale or pixels(sent)))
        except ValidationError as error:
            raise FormatError(_in_words(error)) from None
        _check(turn.actions)
        thought = f"{reasoning}\n{turn.thought}" if self.thinks_aloud else turn.thought
        notes = tuple(wrapping.whole_characters(note) for note in turn.notes)
        return replace(turn, thought=wrapping.whole_characters(thought).strip(), notes=notes)

    def spoken(self, step: Step) -> tuple[str | ToolCall, ...]:
        """What the model said in a step that has its reply, as parts of its turn."""
        reply = step.reply
        assert reply is not None
        if not (self.calls_back and reply.calls):
            return (self.said(reply),)
        confirmed = _confirmed(step)
        calls = [_acknowledged(call, confirmed) for call in reply.calls]
        return (*filter(str.strip, [self._split(reply.text)[1]]), *calls)

    def said(self, reply: Reply) -> str:
        """A reply as it is shown to the model again in later requests."""
        text = reply.text if self.thinks_aloud else self._split(reply.text)[1]
        calls = [self.written(call) for call in reply.calls]
        return "\n".join([text, *calls] if text.strip() else calls) or NOTHING

    def written(self, call: ToolCall) -> str:
        """A call that the server took out of the text, as the model would have written it."""
        body = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
        return f"<tool_call>\n{body}\n</tool_call>"

    def _split(self, text: str) -> tuple[str, str]:
        return wrapping.split(text, self.verbatim)

    def read(self, heard: Heard) -> Turn:
        """Raises `FormatError`, or pydantic's error on values that no action can have."""
        raise NotImplementedError


def _confirmed(step: Step) -> bool:
    """Whether a person let happen what the model's maker wanted to have confirmed."""
    return bool(step.turn and step.turn.caution and step.begun)


def _acknowledged(call: ToolCall, confirmed: bool) -> ToolCall:
    """The model's own word for it counts for nothing."""
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


def _thought(reply: Reply) -> bool:
    return bool(reply.reasoning.strip() or reply.text.strip())


def _check(actions: Sequence[Action]) -> None:
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


def _in_words(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    return f"A value is not allowed: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}."
