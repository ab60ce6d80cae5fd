"""The writer process: what it lets through, and that it lets go on every way out."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cua.hid.action_to_reports import plan_reports
from cua.hid.gadget import Gadget
from cua.hid.reports import LENGTHS
from cua.hid.writer import packets, rules
from tests.hid.raw_writer import HELD, UP, A, RawWriter
from tests.hid.test_inputs import ACTIONS
from tests.support.usb_decode import decode
from tests.usb.host import Host


@pytest.fixture
def writer(host: Host) -> Iterator[RawWriter]:
    writer = RawWriter(host.prefix)
    assert writer.greeting.status == packets.OK
    yield writer
    writer.close()


def test_both_sides_know_the_same_reports() -> None:
    assert tuple(LENGTHS.values()) == packets.LENGTHS


def _hold(writer: RawWriter) -> None:
    assert (
        writer.ask(packets.REPORT, packets.KEYBOARD, bytes([3, 0, 4, 5, 0, 0, 0, 0])) == packets.OK
    )
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.OK


ENDS: dict[str, Callable[[RawWriter], None]] = {
    "EOF": RawWriter.hang_up,
    "SIGTERM": lambda writer: writer.signal(signal.SIGTERM),
    "SIGINT": lambda writer: writer.signal(signal.SIGINT),
    "SIGHUP": lambda writer: writer.signal(signal.SIGHUP),
}


@pytest.mark.parametrize("end", ENDS)
def test_it_releases_and_ends(host: Host, writer: RawWriter, end: str) -> None:
    _hold(writer)
    host.take()
    ENDS[end](writer)
    assert writer.process.wait(5) == 0
    host.until(host.alone, 5)
    assert host.held == []
    assert host.reports[-2:] == [(0, UP), (2, bytes([0, *HELD[1:]]))]


def test_it_ends_within_a_second_of_eof_even_if_nothing_is_taken(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    writer.ask(packets.REPORT, packets.KEYBOARD, A)
    writer.hang_up()
    began = time.monotonic()
    writer.process.wait(5)
    assert time.monotonic() - began < 2  # 1 s, on a machine that does something else as well
    host.close()


def test_it_releases_when_the_computer_takes_reports_again_before_it_ends(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.QUEUED
    writer.signal(signal.SIGTERM)
    time.sleep(0.1)  # until its first attempt has failed
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    writer.close()
    host.close()


def test_it_releases_also_if_no_answer_is_read(host: Host, writer: RawWriter) -> None:
    for _ in range(1000):  # more than the socket keeps
        writer.send(packets.QUERY)
    writer.send(packets.REPORT, packets.KEYBOARD, A)
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)


def test_the_lease(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    host.take()
    before = _wakeups(writer)
    assert host.until(lambda: not host.held, 5)
    assert _wakeups(writer) - before < 30  # it sleeps until then
    assert host.times[-1] - host.times[0] > 0.2


def _wakeups(writer: RawWriter) -> int:
    return int(_status(writer)["voluntary_ctxt_switches"])


def _status(writer: RawWriter) -> dict[str, str]:
    lines = Path(f"/proc/{writer.process.pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines)


def test_every_report_renews_the_lease(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    for _ in range(10):
        writer.send(packets.REPORT, packets.POINTER, HELD)
        host.take(0.05)
    assert host.held == ["ctrl", "shift", "a", "b", "left"]


def test_after_the_lease_reports_with_held_keys_are_refused(host: Host, writer: RawWriter) -> None:
    """The control key is up by now: a click would not be the control click that was asked for."""
    assert writer.ask(packets.REPORT, packets.KEYBOARD, bytes([1, *bytes(7)])) == packets.OK
    assert host.until(lambda: len(host.reports) == 2, 5)
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.INPUT_RELEASED
    assert (
        writer.ask(packets.REPORT, packets.POINTER, bytes([0, 9, 9, 9, 9, 1]))
        == packets.INPUT_RELEASED
    )
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.INPUT_RELEASED
    assert writer.ask(packets.REPORT, packets.POINTER, bytes([0, 9, 9, 9, 9, 0])) == packets.OK
    assert writer.ask(packets.REPORT, packets.KEYBOARD, UP) == packets.OK
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.OK


def test_a_release_clears_the_refusal(host: Host, writer: RawWriter) -> None:
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    assert host.until(lambda: len(host.reports) == 2, 5)
    assert writer.ask(packets.RELEASE) == packets.OK
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK


def test_a_release_releases_what_is_down_and_nothing_else(host: Host, writer: RawWriter) -> None:
    assert writer.ask(packets.RELEASE) == packets.OK
    assert writer.ask(packets.REPORT, packets.MOUSE, bytes([1, 0, 0, 0])) == packets.OK
    assert writer.ask(packets.RELEASE) == packets.OK
    host.take(0.01)
    assert host.reports == [(1, bytes([1, 0, 0, 0])), (1, bytes(4))]


WRONG = {
    "short": (packets.KEYBOARD, b"\xe9\x00"),
    "long": (packets.MOUSE, bytes(5)),
    "of another endpoint": (packets.POINTER, bytes(4)),
    "no endpoint": (3, bytes(8)),
    "power key": (packets.KEYBOARD, bytes([0, 0, 0x66, 0, 0, 0, 0, 0])),
    "power key, last": (packets.KEYBOARD, bytes([0, 0, 4, 0, 0, 0, 0, 0x66])),
    "roll-over": (packets.KEYBOARD, bytes([0, 0, 1, 1, 1, 1, 1, 1])),
    "reserved byte": (packets.KEYBOARD, bytes([0, 1, 0, 0, 0, 0, 0, 0])),
    "unknown button": (packets.MOUSE, bytes([8, 0, 0, 0])),
    "movement": (packets.MOUSE, bytes([0, 0x80, 0, 0])),
    "beyond the screen": (packets.POINTER, bytes([0, 0, 0x80, 0, 0, 0])),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_reports_are_refused(host: Host, writer: RawWriter, wrong: str) -> None:
    endpoint, report = WRONG[wrong]
    assert writer.ask(packets.REPORT, endpoint, report[:8]) == packets.FORBIDDEN
    host.take(0.01)
    assert host.reports == []


def test_wrong_lengths_and_message_sizes_are_refused(host: Host, writer: RawWriter) -> None:
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A, length=7) == packets.FORBIDDEN
    assert writer.ask(99) == packets.FORBIDDEN
    writer.socket.send(b"\x01" * 40)
    assert writer.hear().status == packets.FORBIDDEN
    host.take(0.01)
    assert host.reports == []


def test_every_report_of_the_strokes_is_allowed() -> None:
    for action in ACTIONS:
        for report in plan_reports(action, None):
            endpoint = tuple(LENGTHS).index(report.endpoint)
            assert rules.is_allowed(endpoint, report.data)


def test_no_faster_than_a_report_a_millisecond(host: Host, writer: RawWriter) -> None:
    began = time.monotonic()
    last = [writer.send(packets.REPORT, packets.KEYBOARD, (A, UP)[n % 2]) for n in range(100)][-1]
    assert writer.answer(last).status == packets.OK
    assert time.monotonic() - began >= 0.099
    host.take()
    assert decode(host.reports).text == "a" * 50


def test_a_killed_writer_leaves_its_journal_to_the_next(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    writer.process.kill()
    writer.process.wait()
    host.take(0.01)
    assert host.held == ["ctrl", "shift", "a", "b", "left"]
    assert writer.journal.stat().st_mode & 0o777 == 0o600
    successor = RawWriter(host.prefix)
    host.take(0.01)
    assert host.reports[-2:] == [(0, UP), (2, bytes([0, *HELD[1:]]))]
    successor.close()
    third = RawWriter(host.prefix)  # the debt is paid
    third.close()
    host.take(0.01)
    assert len(host.reports) == 4


def test_an_invalid_journal_is_reset(host: Host) -> None:
    Path(f"{host.prefix}.journal").write_bytes(b"something else entirely")
    writer = RawWriter(host.prefix)
    assert writer.greeting.status == packets.OK
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    writer.close()
    host.take()
    assert host.reports == [(0, A), (0, UP)]


def test_only_one_writer_at_a_time(host: Host, writer: RawWriter) -> None:
    second = RawWriter(host.prefix)
    assert second.greeting.status == packets.BUSY
    assert second.greeting.detail == str(os.getpid())
    second.close()


def test_it_waits_for_the_previous_writer_to_end(tmp_path: Path) -> None:
    """Which takes half a second, since the computer takes no release."""
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    writer.ask(packets.REPORT, packets.KEYBOARD, A)
    writer.signal(signal.SIGTERM)
    successor = RawWriter(host.prefix, module="tests.usb.paced")
    assert successor.greeting.status == packets.OK
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    writer.close()
    successor.close()
    host.close()


def test_a_release_that_comes_while_a_report_waits_follows_it(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    first = writer.send(packets.REPORT, packets.KEYBOARD, A)  # is never acknowledged in time
    release = writer.send(packets.RELEASE)
    assert writer.answer(first).status == packets.QUEUED
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    assert writer.answer(release).status in (packets.OK, packets.NOT_TAKEN)
    writer.close()
    host.close()


def test_after_a_report_that_was_not_acknowledged_the_release_comes_first(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.QUEUED
    other = bytes([0, 0, 5, 0, 0, 0, 0, 0])
    assert writer.ask(packets.REPORT, packets.KEYBOARD, other) == packets.NOT_TAKEN
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.NOT_TAKEN
    assert host.until(lambda: len(host.reports) == 2, 5)  # by itself, when the host is back
    assert host.reports == [(0, A), (0, UP)]
    waiting = writer.send(packets.REPORT, packets.KEYBOARD, other)
    assert host.until(lambda: len(host.reports) == 3, 5)
    assert writer.answer(waiting).status == packets.OK
    writer.hang_up()
    assert host.until(lambda: not host.held, 5)
    writer.close()
    host.close()


def test_the_same_request_again_waits_and_writes_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    notch = packets.REQUEST.pack(packets.REPORT, packets.MOUSE, 4, 77, bytes([0, 0, 0, 1]))
    for _ in range(3):
        writer.socket.send(notch)
        assert writer.answer(77).status == packets.QUEUED
    writer.socket.send(notch)
    assert host.until(lambda: bool(host.reports), 5)
    assert writer.answer(77).status == packets.OK
    writer.socket.send(notch)  # also when it was delivered
    assert writer.answer(77).status == packets.OK
    host.take(0.1)
    assert len(host.reports) == 1
    writer.close()
    host.close()


def test_the_lease_ends_while_a_report_waits_if_it_is_not_asked_for_again(tmp_path: Path) -> None:
    """The agent is frozen: what was queued comes up as soon as the computer has taken it."""
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    press = packets.REQUEST.pack(packets.REPORT, packets.KEYBOARD, 8, 77, A)
    writer.socket.send(press)
    assert writer.answer(77).status == packets.QUEUED
    time.sleep(0.4)
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    writer.socket.send(press)  # the agent is back: the report was delivered
    assert writer.answer(77).status == packets.OK
    other = bytes([0, 0, 5, 0, 0, 0, 0, 0])
    assert writer.ask(packets.REPORT, packets.KEYBOARD, other) == packets.INPUT_RELEASED
    host.take(0.1)
    assert len(host.reports) == 2
    writer.close()
    host.close()


def test_no_click_goes_out_before_a_release_that_the_computer_has_not_taken(
    tmp_path: Path,
) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    ctrl = writer.send(packets.REPORT, packets.KEYBOARD, bytes([1, *bytes(7)]))
    assert host.until(lambda: bool(host.reports), 5)
    assert writer.answer(ctrl).status == packets.OK
    assert writer.ask(packets.RELEASE) == packets.NOT_TAKEN
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.NOT_TAKEN
    host.take(0.3)
    assert [endpoint for endpoint, _ in host.reports] == [packets.KEYBOARD] * len(host.reports)
    writer.close()
    host.close()


def test_a_mouse_that_is_not_polled_does_not_block_the_make_keyboard_report(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    assert writer.ask(packets.REPORT, packets.MOUSE, bytes([1, 0, 0, 0])) == packets.QUEUED
    waiting = writer.send(packets.REPORT, packets.KEYBOARD, A)
    assert host.until(lambda: (0, A) in host.reports, 5)
    assert writer.answer(waiting).status == packets.OK
    writer.close()
    host.close()


def test_a_foreign_key_is_noticed_at_once(host: Host, writer: RawWriter) -> None:
    for _ in range(20):
        assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
        assert writer.ask(packets.REPORT, packets.KEYBOARD, UP) == packets.OK
    assert not writer.says(0.05)
    with Path(f"{host.prefix}0").open("wb") as theirs:
        theirs.write(A)
    notice = writer.hear()
    assert (notice.kind, notice.endpoint) == (packets.FOREIGN_WRITE, packets.KEYBOARD)


def test_a_mouse_that_moves_once_is_not_reported(host: Host, writer: RawWriter) -> None:
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.OK
    with Path(f"{host.prefix}2").open("wb", buffering=0) as theirs:
        theirs.write(HELD)
        assert not writer.says(0.1)
        for _ in range(5):
            theirs.write(HELD)
            time.sleep(0.01)
    assert writer.hear().kind == packets.FOREIGN_WRITE


def test_more_writing_than_the_kernel_keeps_does_not_end_it(host: Host, writer: RawWriter) -> None:
    for endpoint in (packets.KEYBOARD, packets.MOUSE):
        assert writer.ask(packets.REPORT, endpoint, bytes(packets.LENGTHS[endpoint])) == packets.OK
    writer.signal(signal.SIGSTOP)
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (
        Path(f"{host.prefix}0").open("wb", buffering=0) as keyboard,
        Path(f"{host.prefix}1").open("wb", buffering=0) as mouse,
    ):
        for _ in range(kept // 2 + 100):
            keyboard.write(UP)
            mouse.write(bytes(4))
            host.take()
    writer.signal(signal.SIGCONT)
    for _ in range(kept // 100):  # with each of them it looks at some hundred
        assert writer.ask(packets.QUERY) == packets.OK


def test_it_is_small_and_not_mistaken_for_the_service(host: Host, writer: RawWriter) -> None:
    process = Path(f"/proc/{writer.process.pid}")
    assert b"cua_webapp" not in (process / "cmdline").read_bytes()
    status = _status(writer)
    assert int(status["VmRSS"].split()[0]) <= 12 * 1024
    assert status["Threads"] == "1"
    if os.geteuid() == 0:
        assert int(status["VmLck"].split()[0]) > 0  # never swapped out
        assert os.getpriority(os.PRIO_PROCESS, writer.process.pid) == 0


def test_it_imports_nothing_else_of_this_program(host: Host, writer: RawWriter) -> None:
    maps = Path(f"/proc/{writer.process.pid}/maps").read_text()
    assert "_ctypes" in maps
    assert "pydantic" not in maps
    assert "_ssl" not in maps


def test_there_is_a_message_for_every_status(host: Host) -> None:
    gadget = Gadget(host.prefix)
    for status in range(packets.ASLEEP, packets.QUEUED + 1):
        assert gadget.describe(status, "", "mouse", b"")
    gadget.close()


def test_a_drag_ends_when_the_devices_are_recreated(tmp_path: Path) -> None:
    """The computer has let go of the button, and it would be pressed at another place."""
    host = Host(tmp_path)
    writer = RawWriter(host.prefix)
    _hold(writer)
    host.take()
    host.close()
    again = Host(tmp_path)
    moved = bytes([1, 0x50, 0x20, 0x30, 0x40, 0])
    assert writer.ask(packets.REPORT, packets.POINTER, moved) == packets.ASLEEP
    assert writer.ask(packets.RELEASE) == packets.OK
    assert (
        writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    )  # all devices are opened anew
    writer.ask(packets.REPORT, packets.KEYBOARD, UP)
    again.take()
    assert again.held == []
    writer.close()
    again.close()


def test_recreated_devices_take_keys_if_nothing_was_held(
    tmp_path: Path,
) -> None:
    host = Host(tmp_path)
    writer = RawWriter(host.prefix)
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    assert writer.ask(packets.REPORT, packets.KEYBOARD, UP) == packets.OK
    host.take()
    host.close()
    again = Host(tmp_path)
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    assert writer.ask(packets.REPORT, packets.KEYBOARD, UP) == packets.OK
    again.take()
    assert again.reports == [(0, A), (0, UP)]
    writer.close()
    again.close()
