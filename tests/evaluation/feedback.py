"""The loop's feedback with the newest screenshot, as far as a scripted model reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cua.messages import ENGLISH, catalogue
from cua.types import ChatMessage, Frame


def _any_of(*keys: str) -> re.Pattern[str]:
    """The beginnings of these messages, up to their first value."""
    texts = (catalogue(ENGLISH)[key].partition("{")[0] for key in keys)
    return re.compile("|".join(map(re.escape, texts)))


_UNDONE = _any_of(
    "agent.held_back", "agent.not_possible", "agent.not_understood", "agent.refused",
    "agent.repeated", "agent.target_changed",
)  # fmt: skip
_IDLE = _any_of(
    "agent.change.by_itself", "agent.change.clock", "agent.change.nothing", "agent.change.pointer"
)
_DOUBTED = _any_of("agent.objected", "agent.unproven")
_OBJECTED = _any_of("agent.objected")
_REFUSED = _any_of("approval.refused", "approval.refused_why")
_STOPPED = re.compile(_any_of("agent.target_changed").pattern + r"(\d+)")
_STUCK = re.compile(r"you have done this|have changed nothing", re.IGNORECASE)


class Feedback:
    """The newest message of the loop, parsed."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        parts = messages[-1].parts if messages[-1].role == "user" else ()
        words = _text(messages[-1:] if parts else ())
        self.known = _text(messages)
        """All text of the request, its own replies included."""
        self.undone = bool(_UNDONE.search(words))
        """Nothing of the reply was carried out."""
        self.refused = bool(_REFUSED.search(words))
        """The person did not want it."""
        self.idle = bool(_IDLE.search(words))
        """It was carried out and changed nothing."""
        self.stuck = bool(_STUCK.search(words))
        """So did what was tried before."""
        stopped = _STOPPED.search(words)
        self.carried_out = int(stopped[1]) - 1 if stopped else 0
        """Actions of a row that was stopped."""
        self.zoomed = any(isinstance(part, Frame) and part.area for part in parts)
        """It was shown a part of the screen enlarged."""
        self.objected = bool(_OBJECTED.search(words))
        """So did a second opinion, which has seen the screen."""
        self.doubted = bool(_DOUBTED.search(words))
        """The model said that all is done, and was asked to look again."""


def _text(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(part for each in messages for part in each.parts if isinstance(part, str))
