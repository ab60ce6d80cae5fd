"""The command `run`: do one task in the terminal and print each step."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from ..agent.session import Session
from ..app.machine import Machine
from ..events.log import Event, EventLog
from ..types import ApprovalTimeout, Ask, Done, OutOfBudget
from .event_output import print_events

FAILED, QUESTION, OUT_OF_ROUNDS = 1, 3, 4


async def work(machine: Machine, begin: Callable[[], Awaitable[None]], *, as_json: bool) -> int:
    """Open the machine, `run` the task, close the machine. Risky actions cannot be approved."""
    machine.approvals.has_page = False
    machine.claim()
    await machine.open()
    try:
        return await run(machine.session, machine.log, begin, as_json=as_json)
    finally:
        await machine.close()


async def run(
    session: Session, log: EventLog, begin: Callable[[], Awaitable[None]], *, as_json: bool
) -> int:
    """`begin` a task and work to its end; return the exit code.

    Raises `CuaError` if the task cannot be started.
    """
    async with print_events(log, _as_json if as_json else _EventText()):
        try:
            await begin()
            await session.wait_ended()
        finally:
            await session.pause("Interrupted.")
    return _exit_code(session)


def _exit_code(session: Session) -> int:
    if isinstance(session.ending, Done):
        return 0
    if isinstance(session.ending, (Ask, ApprovalTimeout)):
        return QUESTION
    return OUT_OF_ROUNDS if isinstance(session.ending, OutOfBudget) else FAILED


def _as_json(event: Event) -> str:
    fact = {"seq": event.seq, "at": event.at, "kind": event.kind, **event.data}
    return json.dumps(fact, ensure_ascii=False)


class _EventText:
    """Formats events as text; a failure does not repeat the state of the screen."""

    def __init__(self) -> None:
        self._screen = ""

    def __call__(self, event: Event) -> str:
        if event.kind == "screen":
            self._screen = event.data["sentence"]
        said = _in_words(event)
        if event.kind == "failed" and self._screen:
            return said.replace(f"{self._screen} ", "")
        return said


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
