"""What a cable says, and what it still owes, on connections that break when the test wants it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from cua.hid import layouts
from cua.hid.reports import make_keyboard_report, make_pointer_report
from cua.kvms.hid_link import HidLink
from cua.kvms.key_codes import find_code
from cua.kvms.remote_hid import MIN_SPACING_S, RemoteHid
from cua.kvms.report_diff import AbsoluteMove, ButtonEvent, Change, KeyEvent, diff
from cua.kvms.watchdog_process import LEASE_S
from cua.types import ActionError, DeviceError, Point
from tests.kvms.open_kvm import answer_release
from tests.support.waiting import until

CTRL, A, KP_EQUAL = 0xE0, 0x04, 0x67
HERE = AbsoluteMove(16384, 16384)


class Line(HidLink):
    """A connection; `reads`: whether the KVM at its end does."""

    def __init__(self, lost: Callable[[], None], reads: bool) -> None:
        super().__init__(lost)
        self.open = True
        self.reads = reads
        self.said: list[bytes] = []

    @property
    def unread(self) -> int:
        return len(self._pending)

    def _transmit(self, messages: Sequence[bytes]) -> None:
        self.said += messages
        if self.reads:
            self._confirm(self._number)

    def read(self) -> None:
        """Read all that was not read yet."""
        self._confirm(self._number)

    def drop(self) -> None:
        self._end()

    def close(self) -> None:
        self._end()


@dataclass
class Kvm:
    """Takes changes, as `repr`s, and has no key that `code` does not know."""

    lines: list[Line] = field(default_factory=list)
    reads: bool = True
    held_up: asyncio.Event | None = None
    """Connections wait until this is set."""
    away: int = 0
    """How many more connections fail."""
    encoded_at: list[float] = field(default_factory=list)
    """When each report was made into messages, immediately before it is sent."""

    def hid(self) -> RemoteHid:
        return RemoteHid(self._connect, self._encode, lambda _: None)

    async def _connect(self, lost: Callable[[], None]) -> Line:
        if self.away:
            self.away -= 1
            raise DeviceError("unreachable")
        self.lines.append(Line(lost, self.reads))
        if self.held_up:
            await self.held_up.wait()
        return self.lines[-1]

    def _encode(self, endpoint: str, before: bytes | None, now: bytes) -> list[bytes]:
        self.encoded_at.append(time.monotonic())
        found = diff(endpoint, before, now)  # type: ignore[arg-type]
        for each in found:
            if isinstance(each, KeyEvent):
                find_code(each.usage)
        return [repr(each).encode() for each in found]


def words(*said: Change) -> list[bytes]:
    return [repr(each).encode() for each in said]


async def test_a_key_that_the_kvm_does_not_know_leaves_no_other_one_down() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    await hid.write("keyboard", make_keyboard_report(1))
    with pytest.raises(ActionError, match="0x67"):
        await hid.write("keyboard", make_keyboard_report(1, [KP_EQUAL]))
    hid.release()
    assert kvm.lines[0].said == words(KeyEvent(CTRL, True), KeyEvent(CTRL, False))


async def test_a_report_waits_until_the_computer_has_the_one_before() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    for n in range(10):
        await hid.write("keyboard", make_keyboard_report(n))
        if n == 5:
            time.sleep(0.1)  # noqa: ASYNC251 - a stall, which is not made up for
    gaps = [later - earlier for earlier, later in pairwise(kvm.encoded_at)]
    assert min(gaps) >= MIN_SPACING_S - 1e-6
    hid.close()


async def test_an_unread_release_is_repeated_on_the_next_connection() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    await hid.write("keyboard", make_keyboard_report(1, [A]))
    await hid.write("pointer", make_pointer_report(Point(x=0.5, y=0.5), 1))
    kvm.lines[0].reads = False
    hid.release()
    ups = words(KeyEvent(A, False), KeyEvent(CTRL, False), ButtonEvent(0, False))
    assert kvm.lines[0].said[-3:] == ups
    kvm.lines[0].close()
    await hid.write("pointer", make_pointer_report(Point(x=0.5, y=0.5)))
    assert kvm.lines[1].said == [*ups, *words(HERE)]
    hid.close()


async def test_a_key_pressed_before_an_earlier_release_was_read_is_released() -> None:
    """A VNC server confirms later than the next reports are sent."""
    kvm = Kvm()
    hid = kvm.hid()
    await hid.write("keyboard", make_keyboard_report(1))
    (line,) = kvm.lines
    line.reads, line.window = False, 4
    hid.release()
    await hid.write("keyboard", make_keyboard_report(0, [A]))
    line.read()
    await asyncio.sleep(0.01)
    hid.release()
    assert line.said[-1:] == words(KeyEvent(A, False))
    hid.close()


async def test_a_release_is_retried_until_the_kvm_is_reachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.kvms.remote_hid.RETRY_DELAYS_S", (0.0, 0.001))
    kvm = Kvm()
    hid = kvm.hid()
    await hid.write("keyboard", make_keyboard_report(1))
    kvm.away = 20
    kvm.lines[0].close()
    hid.release()
    await until(lambda: len(kvm.lines) > 1 and bool(kvm.lines[1].said))
    assert kvm.lines[1].said == words(KeyEvent(CTRL, False))
    hid.close()


async def test_a_connection_lost_while_this_process_stalled_is_reported_as_a_stall() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    await hid.watchdog.start("http://127.0.0.1:9", {}, "")  # its releases go to no other test
    await hid.write("keyboard", make_keyboard_report(1))
    kvm.lines[0].reads = False
    writing = asyncio.create_task(hid.write("keyboard", make_keyboard_report(1, [A])))
    await until(lambda: bool(kvm.lines[0].unread))
    time.sleep(LEASE_S + 0.1)  # noqa: ASYNC251 - a stall
    kvm.lines[0].close()
    with pytest.raises(DeviceError, match="This service stalled"):
        await writing
    hid.close()


async def test_the_watchdog_names_the_keys_and_buttons_that_it_releases() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    port, terminal = os.openpty()
    await hid.watchdog.start(f"serial://{os.ttyname(terminal)}?9600", {}, "")
    await hid.write("keyboard", make_keyboard_report(1, [A]))
    await hid.write("pointer", make_pointer_report(Point(x=0.5, y=0.5), 1))
    kvm.lines[0].reads = False
    hid.close()
    for word in words(KeyEvent(A, False), KeyEvent(CTRL, False), ButtonEvent(0, False)):
        answer_release(port, word)
    os.close(port)
    os.close(terminal)


async def test_after_close_nothing_is_sent_and_no_connection_is_made() -> None:
    kvm = Kvm()
    hid = kvm.hid()
    await hid.write("keyboard", make_keyboard_report(1))
    kvm.lines[0].reads = False
    hid.release()
    others = asyncio.all_tasks()
    hid.close()
    assert asyncio.all_tasks() == others, "there is no other attempt to connect"
    with pytest.raises(DeviceError, match="has been closed"):
        await hid.write("keyboard", make_keyboard_report())
    hid.release()
    assert asyncio.all_tasks() == others
    assert len(kvm.lines) == 1


async def test_a_connection_that_comes_after_the_end_is_closed() -> None:
    held_up = asyncio.Event()
    kvm = Kvm(held_up=held_up)
    hid = kvm.hid()
    writing = asyncio.create_task(hid.write("keyboard", make_keyboard_report(1)))
    while not kvm.lines:
        await asyncio.sleep(0)
    hid.close()
    held_up.set()
    with pytest.raises(DeviceError, match="has been closed"):
        await writing
    assert not kvm.lines[0].open
    assert kvm.lines[0].said == []


async def test_no_layout_has_a_key_that_a_kvm_does_not_pass_on() -> None:
    for name in layouts.names():
        for table in layouts.load_layout(name).tables.values():
            for usage in {key.usage for keys in table.values() for key in keys}:
                find_code(usage)
