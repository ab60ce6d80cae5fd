"""Run one task without a page, to its end."""

from __future__ import annotations

from collections.abc import Callable

from ..agent.session import NewTask, Session
from ..events.log import Event
from ..exit_codes import DONE, FAILED, OUT_OF_BUDGET, QUESTION
from ..types import ApprovalTimeout, Ask, Done, OutOfBudget
from .machine import Machine


async def run_task(machine: Machine, task: NewTask, on_event: Callable[[Event], None]) -> int:
    """Open the machine, run a task to its end, close the machine; return the exit code.

    Risky actions cannot be approved. An error of `on_event` ends the run. Raises `CuaError` if the
    task cannot be started.
    """
    machine.approvals.has_page = False
    machine.computer.lock_kvm()
    await machine.open()
    try:
        await machine.screen.check_login()  # before its events: the caller prints the error
        async with machine.log.followed_by(on_event):
            try:
                await machine.session.begin_next(lambda: task)
                await machine.session.wait_ended()
            finally:
                await machine.session.pause("Interrupted.")
        return _exit_code(machine.session)
    finally:
        await machine.close()


def _exit_code(session: Session) -> int:
    if isinstance(session.ending, Done):
        return DONE
    if isinstance(session.ending, (Ask, ApprovalTimeout)):
        return QUESTION
    return OUT_OF_BUDGET if isinstance(session.ending, OutOfBudget) else FAILED
