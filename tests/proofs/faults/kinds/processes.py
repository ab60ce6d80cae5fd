"""Faults of the service's own process: its end, its stall, its clock."""

from __future__ import annotations

import os
import signal

from ..testbed import Testbed
from .kind import Kind, do_nothing


def _jump(name: str, seconds: float) -> Kind:
    """As after `date -s`, or a first answer of a time server."""

    def begin(testbed: Testbed) -> None:
        testbed.clock.write_text(str(seconds))

    def end(testbed: Testbed) -> None:
        testbed.clock.write_text("0")

    return Kind(f"service: {name}", begin, end)


def _signal(name: str, number: signal.Signals, lasts_s: float = 0.0) -> Kind:
    freezes = number == signal.SIGSTOP

    def begin(testbed: Testbed) -> None:
        os.kill(testbed.pid, number)

    def end(testbed: Testbed) -> None:
        os.kill(testbed.pid, signal.SIGCONT)

    return Kind(
        f"service: {name}",
        begin,
        end if freezes else do_nothing,
        lasts_s,
        before_task=False,
        restarts=not freezes,
    )


PROCESSES = [
    _signal("killed", signal.SIGKILL),
    _signal("terminated", signal.SIGTERM),
    _signal("frozen for 0.5 s", signal.SIGSTOP, 0.5),
    _signal("frozen for 4 s", signal.SIGSTOP, 4.0),
    _jump("the clock jumps a day ahead", 86400),
    _jump("the clock jumps a day back", -86400),
]
