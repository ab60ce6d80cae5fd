"""The same job without a page: each step is printed as it happens."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable

from .events import Event, EventLog
from .session import Session
from .types import Ask, CuaError, Done, Lapsed, OutOfBudget

FAILED, QUESTION, OUT_OF_ROUNDS = 1, 3, 4


async def run(session: Session, log: EventLog, goal: str, *, as_json: bool) -> int:
    """Work on the goal to its end. Returns the exit code: 0 done, 1, 3 or 4."""
    say = _as_json if as_json else _in_words
    teller = asyncio.create_task(_tell(log, say))
    try:
        await session.send(goal)
        await session.ended()
    except CuaError as error:
        log.append("failed", text=str(error))
    finally:
        await asyncio.sleep(0)  # the teller's turn
        await session.pause("Interrupted.")
        teller.cancel()
    return _exit_code(session)


def _exit_code(session: Session) -> int:
    if isinstance(session.ending, Done):
        return 0
    if isinstance(session.ending, (Ask, Lapsed)):
        return QUESTION
    return OUT_OF_ROUNDS if isinstance(session.ending, OutOfBudget) else FAILED


async def _tell(log: EventLog, say: Callable[[Event], str]) -> None:
    async for _, event in log.follow():
        line = say(event)
        if line:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def _as_json(event: Event) -> str:
    fact = {"seq": event.seq, "at": event.at, "kind": event.kind, **event.data}
    return json.dumps(fact, ensure_ascii=False)


def _in_words(event: Event) -> str:
    data = event.data
    if event.kind == "reply":
        thought = [f"  # {line}" for line in data["thought"].splitlines()]
        planned = [f"  > {action['words']}" for action in data["actions"]]
        time = f"{data['seconds']:.1f} s, {data['tokens_in']} + {data['tokens_out']} tokens"
        return "\n".join([f"Step {data['step']} ({time})", *thought, *planned])
    if event.kind == "step":
        return f"  = {data['outcome']}"
    if event.kind in _LINES:
        return _LINES[event.kind].format(**data).rstrip()
    return ""


_LINES = {
    "task": "Task: {text}",
    "approval": "Needs your yes: {words}. {why}",
    "question": "The model asks: {text}",
    "done": "Done. {text}",
    "failed": "Failed: {text}",
    "screen": "Screen: {state} {width}x{height} {sentence}",
    "log": "{level}: {text}",
}
