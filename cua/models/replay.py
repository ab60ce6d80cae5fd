"""Send a model's own output back unchanged: its reasoning is signed or encrypted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from cua.types import ChatMessage, ToolCall

CALL_RESULT = "What came of it is said below."
"""The result of every call: the next user message says whether it was carried out."""
Output = TypeVar("Output")


def still_used(outputs: Mapping[str, Output], messages: Sequence[ChatMessage]) -> dict[str, Output]:
    """The `outputs`, by the ID of their first call, that `messages` still contain.

    All of them if no message contains a call: that is a request beside the conversation, such as a
    verifier's, and the conversation continues after it.
    """
    calls = {part.id for m in messages for part in m.parts if isinstance(part, ToolCall)}
    return {key: output for key, output in outputs.items() if not calls or key in calls}
