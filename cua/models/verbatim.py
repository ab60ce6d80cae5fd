"""What a model said, kept as it came: thoughts are signed or sealed, and have to go back so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from cua.types import Message, ToolCall

ANSWERED = "What came of it is said below."
"""The result of every call: the person's turn tells whether it was carried out."""
Words = TypeVar("Words")


def alive(said: Mapping[str, Words], messages: Sequence[Message]) -> dict[str, Words]:
    """Of what was `said`, by the id of its first call, what `messages` still contain.

    All of it where they contain no call: that is a word beside the conversation, such as a second
    opinion, and the conversation goes on after it.
    """
    calls = {part.id for m in messages for part in m.parts if isinstance(part, ToolCall)}
    return {key: words for key, words in said.items() if not calls or key in calls}
