"""Faults of the KVM's HID devices, of the computer behind them, and of the process that writes."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

from cua.hid.reports import ENDPOINTS, Endpoint

from ..stand_ins import POLL_S
from ..testbed import Testbed
from .kind import InputAction, Kind, do_nothing


def _asleep(name: str, endpoints: Sequence[Endpoint], lasts_s: float) -> Kind:
    def begin(testbed: Testbed) -> None:
        testbed.hid.sleep(endpoints)

    return Kind(f"keyboard and mouse: {name}", begin, lambda testbed: testbed.hid.wake(), lasts_s)


def _busy(testbed: Testbed) -> None:
    testbed.hid.poll_s = 0.1


def _idle(testbed: Testbed) -> None:
    testbed.hid.poll_s = POLL_S


def _gone(testbed: Testbed) -> None:
    testbed.hid.unplug()
    for each in testbed.hid.nodes:
        each.unlink()


def _files(testbed: Testbed) -> None:
    _gone(testbed)
    for each in testbed.hid.nodes:
        each.write_bytes(b"")


def _made_again(testbed: Testbed) -> None:
    for each in testbed.hid.nodes:
        each.unlink(missing_ok=True)
        os.mkfifo(each)
    testbed.hid.plug()


def _away_and_back(testbed: Testbed) -> None:
    _gone(testbed)
    _made_again(testbed)


def _signal(number: signal.Signals) -> InputAction:
    """To the processes that write."""

    def send(testbed: Testbed) -> None:
        for pid in testbed.writers():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    return send


_STOP, _GO_ON = _signal(signal.SIGSTOP), _signal(signal.SIGCONT)
DEVICES = [
    _asleep("the host is asleep for 1 s", ENDPOINTS, 1.0),
    _asleep("the host is asleep for 8 s", ENDPOINTS, 8.0),
    _asleep("the keyboard is not polled", ["keyboard"], 8.0),
    _asleep("the pointer is not polled", ["pointer"], 8.0),
    Kind("keyboard and mouse: the host is busy and polls seldom", _busy, _idle, 4.0),
    Kind(
        "keyboard and mouse: unplugged",
        lambda testbed: testbed.hid.unplug(),
        lambda testbed: testbed.hid.plug(),
        2.0,
    ),
    Kind("keyboard and mouse: gone", _gone, _made_again, 2.0),
    Kind("keyboard and mouse: gone and back again", _away_and_back, do_nothing, 0.5),
    Kind("keyboard and mouse: files in their place", _files, _made_again, 2.0),
    Kind("keyboard and mouse: the writer is killed", _signal(signal.SIGKILL)),
    Kind("keyboard and mouse: the writer is frozen for 0.2 s", _STOP, _GO_ON, 0.2),
    Kind("keyboard and mouse: the writer is frozen for 4 s", _STOP, _GO_ON, 4.0),
]
