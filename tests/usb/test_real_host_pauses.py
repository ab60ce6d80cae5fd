"""A computer that takes no reports for a while, with genuine /dev/hidg*: the kernel's f_hid.

Its host is a program in the same guest that polls the endpoints itself, and can stop.
"""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from cua.hid.inputs import HidInputs
from cua.types import CuaError
from tests.hid.host_pauses import ACTIONS, Outcome, repeat, reports_of
from tests.usb.gadgets import Remote
from tests.usb.guest_machine import Guest

pytestmark = [pytest.mark.usb, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

DURATIONS_S = (0.02, 0.3, 0.07, 1.0, 0.12, 5.0)


@pytest.mark.parametrize("kind", ACTIONS)
async def test_each_report_arrives_once(kvm_guest: Guest, kind: str) -> None:
    """With a pause at each of them, of one duration after the other."""
    await kvm_guest.run("ps | grep -q '[/]host.py' || python -S -E /host.py &")
    await kvm_guest.run("kvm", seconds=120)
    expected = await reports_of(kind)
    with contextlib.closing(Remote(str(kvm_guest.folder / "hid"))) as gadget:
        for after in range(len(expected)):
            seconds = DURATIONS_S[after % len(DURATIONS_S)]

            async def attempt(after: int = after, seconds: float = seconds) -> Outcome:
                await kvm_guest.run(f"echo {after} {seconds} > /run/new; mv /run/new /run/pause")
                await kvm_guest.until("[ ! -e /run/pause ]")
                return await _outcome(kvm_guest, gadget, kind, len(expected))

            outcome = await repeat(attempt)
            assert outcome.is_right(kind, expected), (after, seconds, outcome)


async def _outcome(guest: Guest, gadget: Remote, kind: str, count: int) -> Outcome:
    target, play = ACTIONS[kind]
    error = None
    try:
        await play(HidInputs(gadget, target))
        # This controller buffers a report and says that it is taken.
        await guest.until(f"[ $(wc -l < /run/reports) -ge {count} ]")
    except CuaError as raised:
        error = raised
    await asyncio.sleep(0.1)
    lines = (await guest.run("cat /run/reports")).splitlines()
    return Outcome([_parse(line) for line in lines], error)


def _parse(line: str) -> tuple[int, bytes]:
    endpoint, report = line.split()
    return int(endpoint), bytes.fromhex(report)
