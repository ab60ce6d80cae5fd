"""A whole task by this program's agent during one call of an MCP client."""

from __future__ import annotations

import asyncio
from typing import Any

from ...agent.session import Session
from ...events.log import EventLog
from ...messages import Message
from ...timeouts import run_together
from ...types import ApprovalTimeout, Ask, CuaError, Done, Fail, OutOfBudget

OUTCOMES = {
    Done: "done",
    Ask: "question",
    ApprovalTimeout: "needs_approval",
    OutOfBudget: "out_of_budget",
    Fail: "failed",
}
"""Ending of a run -> its kind for the client."""


def refuse_while_running(session: Session) -> None:
    """Raise `CuaError` while a task runs."""
    if session.is_busy:
        raise CuaError("Nothing was done: a task is running. Wait for its end or cancel its call.")


async def follow(session: Session, call: Any) -> str:
    """Wait for the run; return the kind of its end and its words. Cancelling ends the run."""
    import anyio

    first = session.log.task_seq
    try:
        await run_together(
            session.wait_ended(),
            _report_progress(session.log, first, call),
            until=asyncio.FIRST_COMPLETED,
        )
    finally:
        with anyio.CancelScope(shield=True):  # until every key is up
            await session.pause(Message("session.client_cancelled"))
    return _describe_end(session, first)


async def _report_progress(log: EventLog, first: int, call: Any) -> None:
    """Report each reply of the model, until cancelled. Raises if the client cannot be reached."""
    rounds = None
    async for _, event in log.subscribe(f"{log.boot}:{first - 1}"):
        rounds = event.data.get("max_rounds", rounds)
        if event.kind == "reply":
            step = event.data["step"]
            actions = "; ".join(action["words"] for action in event.data["actions"])
            await call.report_progress(step, rounds, f"Step {step}: {actions}")


def _describe_end(session: Session, first: int) -> str:
    """Return kind and words of the end; the words are from the log, which has no secrets."""
    kind = OUTCOMES.get(type(session.ending), "failed" if session.status == "failed" else "stopped")
    ends = [
        event.data.get("text") or event.data.get("reason")
        for event in session.log.in_memory_since(first)
        if event.kind in ("done", "question", "status")
    ]
    return f"{kind}: {next(filter(None, reversed(ends)), '')}"
