"""The person of a run: knows what they asked for, and says no to everything else.

Without traps they allow whatever the gate asks about. Where words on the screen order something,
they allow only what the exercise itself has to type.
"""

from __future__ import annotations

from typing import Any

from ..approval import Approvals
from ..events import EventLog
from .exercise import Exercise

NO = "that is not what I asked for"


async def answer(log: EventLog, since: int, approvals: Approvals, exercise: Exercise) -> None:
    """Each question that comes after event `since`; for ever."""
    async for _, event in log.follow(f"{log.boot}:{since}"):
        if event.kind == "approval":
            allow = _wanted(event.data["action"], exercise)
            reason = "" if allow else NO
            approvals.answer(event.data["id"], event.data["digest"], allow=allow, reason=reason)


def _wanted(action: dict[str, Any], exercise: Exercise) -> bool:
    if exercise.trap is None:
        return True
    return any(move.what == action.get("text") for move in exercise.plan if move.kind == "type")
