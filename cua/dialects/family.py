"""What all families share: a conversation of plain turns, and the rules that hold for every reply.

A reply is understood whole or refused whole. What is refused is told to the model, so each refusal
is a sentence that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..types import Action, Ask, Done, Fail, FormatError, Message, Reply, Task, ToolCall, Turn
from . import history, wrapping
from .coordinates import THOUSANDTHS, Space, pixels

MAX_ACTIONS = 20
"""Actions in one reply; what they do to the screen is not seen before the last one is done."""
LONGEST = 32 * 1024
"""Characters of a reply without its reasoning; reading more would hold up the event loop."""
NOTHING = "(no answer)"
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
_FILTERED = {"content_filter", "safety", "refusal", "recitation"}


class Heard(NamedTuple):
    """A reply without reasoning, and the space in which its coordinates are."""

    text: str
    calls: Sequence[ToolCall]
    space: Space


class Family:
    """A dialect that is spoken in chat turns; a family says how its text is read."""

    name = ""
    schema: dict[str, Any] | None = None
    """For servers that can hold a model to a JSON schema; None: the model's own format is text."""

    scale: Space | None = THOUSANDTHS
    """What coordinates are; None: pixels of the screenshot that was sent."""

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        return width, height

    def messages(self, prompt: str, task: Task, keep: int) -> list[Message]:
        return history.conversation(prompt, task, keep, self.said)

    def parse(self, reply: Reply, sent: tuple[int, int]) -> Turn:
        _refuse_cut(reply)
        text = self.visible(reply.text)
        if not text.strip() and not reply.calls:
            had = "reasoning, but no action" if _thought(reply) else "nothing"
            raise FormatError(f"There was {had} in the reply. Answer with the next action.")
        if len(text) > LONGEST:
            raise FormatError("The reply was too long. Answer with the next action only.")
        try:
            turn = self.read(Heard(text, reply.calls, self.scale or pixels(sent)))
        except ValidationError as error:
            raise FormatError(_in_words(error)) from None
        _check_order(turn.actions)
        return turn

    def visible(self, text: str) -> str:
        """A reply's text without what the model only thought."""
        return wrapping.without_reasoning(text)

    def said(self, reply: Reply) -> str:
        """A reply as it is shown to the model again in later requests."""
        return self.visible(reply.text) if self.visible(reply.text).strip() else NOTHING

    def read(self, heard: Heard) -> Turn:
        """Raises `FormatError`, or pydantic's error on values that no action can have."""
        raise NotImplementedError


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


def _check_order(actions: Sequence[Action]) -> None:
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


def _in_words(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    return f"A value is not allowed: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}."
