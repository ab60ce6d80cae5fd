"""The writer process: what it lets through, and that it lets go on every way out."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cua.hid.gadget import WORDS
from cua.hid.reports import LENGTHS
from cua.hid.strokes import strokes
from cua.virtual.usbhost import decode
from cua.writer import rules, wire
from tests.hid.raw_writer import HELD, UP, A, RawWriter
from tests.hid.test_hands import ACTIONS
from tests.usb.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path)
    yield host
    host.close()


@pytest.fixture
def writer(host: Host) -> Iterator[RawWriter]:
    writer = RawWriter(host.prefix)
    assert writer.greeting.status == wire.OK
    yield writer
    writer.close()


def test_both_sides_know_the_same_reports() -> None:
    assert tuple(LENGTHS.values()) == wire.LENGTHS


def _hold(writer: RawWriter) -> None:
    assert writer.ask(wire.REPORT, wire.KEYBOARD, bytes([3, 0, 4, 5, 0, 0, 0, 0])) == wire.OK
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.OK


ENDS: dict[str, Callable[[RawWriter], None]] = {
    "EOF": RawWriter.hang_up,
    "SIGTERM": lambda writer: writer.signal(signal.SIGTERM),
    "SIGINT": lambda writer: writer.signal(signal.SIGINT),
    "SIGHUP": lambda writer: writer.signal(signal.SIGHUP),
}


@pytest.mark.parametrize("end", ENDS)
def test_it_lets_go_and_ends(host: Host, writer: RawWriter, end: str) -> None:
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
    writer.ask(wire.REPORT, wire.KEYBOARD, A)
    writer.hang_up()
    began = time.monotonic()
    writer.process.wait(5)
    assert time.monotonic() - began < 2  # 1 s, on a machine that does something else as well
    host.close()


def test_the_lease(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    host.take()
    assert host.until(lambda: not host.held, 5)
    assert host.times[-1] - host.times[0] > 0.2


def test_every_report_renews_the_lease(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    for _ in range(10):
        writer.send(wire.REPORT, wire.POINTER, HELD)
        host.take(0.05)
    assert host.held == ["ctrl", "shift", "a", "b", "left"]


def test_after_the_lease_nothing_goes_on_as_if_it_were_still_held(
    host: Host, writer: RawWriter
) -> None:
    """The control key is up by now: a click would not be the control click that was asked for."""
    assert writer.ask(wire.REPORT, wire.KEYBOARD, bytes([1, *bytes(7)])) == wire.OK
    assert host.until(lambda: len(host.reports) == 2, 5)
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.LET_GO
    assert writer.ask(wire.REPORT, wire.POINTER, bytes([0, 9, 9, 9, 9, 1])) == wire.LET_GO
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.LET_GO
    assert writer.ask(wire.REPORT, wire.POINTER, bytes([0, 9, 9, 9, 9, 0])) == wire.OK
    assert writer.ask(wire.REPORT, wire.KEYBOARD, UP) == wire.OK
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.OK


def test_a_release_begins_anew(host: Host, writer: RawWriter) -> None:
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.OK
    assert host.until(lambda: len(host.reports) == 2, 5)
    assert writer.ask(wire.RELEASE) == wire.OK
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.OK


def test_a_release_releases_what_is_down_and_nothing_else(host: Host, writer: RawWriter) -> None:
    assert writer.ask(wire.RELEASE) == wire.OK
    assert writer.ask(wire.REPORT, wire.MOUSE, bytes([1, 0, 0, 0])) == wire.OK
    assert writer.ask(wire.RELEASE) == wire.OK
    host.take(0.01)
    assert host.reports == [(1, bytes([1, 0, 0, 0])), (1, bytes(4))]


WRONG = {
    "short": (wire.KEYBOARD, b"\xe9\x00"),
    "long": (wire.MOUSE, bytes(5)),
    "of another endpoint": (wire.POINTER, bytes(4)),
    "no endpoint": (3, bytes(8)),
    "power key": (wire.KEYBOARD, bytes([0, 0, 0x66, 0, 0, 0, 0, 0])),
    "power key, last": (wire.KEYBOARD, bytes([0, 0, 4, 0, 0, 0, 0, 0x66])),
    "roll-over": (wire.KEYBOARD, bytes([0, 0, 1, 1, 1, 1, 1, 1])),
    "reserved byte": (wire.KEYBOARD, bytes([0, 1, 0, 0, 0, 0, 0, 0])),
    "unknown button": (wire.MOUSE, bytes([8, 0, 0, 0])),
    "movement": (wire.MOUSE, bytes([0, 0x80, 0, 0])),
    "beyond the screen": (wire.POINTER, bytes([0, 0, 0x80, 0, 0, 0])),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_no_report_may_be(host: Host, writer: RawWriter, wrong: str) -> None:
    endpoint, report = WRONG[wrong]
    assert writer.ask(wire.REPORT, endpoint, report[:8]) == wire.FORBIDDEN
    host.take(0.01)
    assert host.reports == []


def test_a_length_that_lies_and_a_message_of_another_size(host: Host, writer: RawWriter) -> None:
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A, length=7) == wire.FORBIDDEN
    assert writer.ask(99) == wire.FORBIDDEN
    writer.socket.send(b"\x01" * 40)
    assert writer.hear().status == wire.FORBIDDEN
    host.take(0.01)
    assert host.reports == []


def test_every_report_of_the_hands_is_allowed() -> None:
    for action in ACTIONS:
        for stroke in strokes(action, None):
            endpoint = tuple(LENGTHS).index(stroke.endpoint)
            assert rules.allowed(endpoint, stroke.report)


def test_no_faster_than_a_report_a_millisecond(host: Host, writer: RawWriter) -> None:
    began = time.monotonic()
    last = [writer.send(wire.REPORT, wire.KEYBOARD, (A, UP)[n % 2]) for n in range(100)][-1]
    assert writer.answer(last).status == wire.OK
    assert time.monotonic() - began >= 0.099
    host.take()
    assert decode(host.reports).text == "a" * 50


def test_a_killed_writer_leaves_its_journal_to_the_next(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    writer.process.kill()
    writer.process.wait()
    host.take(0.01)
    assert host.held == ["ctrl", "shift", "a", "b", "left"]
    successor = RawWriter(host.prefix)
    host.take(0.01)
    assert host.reports[-2:] == [(0, UP), (2, bytes([0, *HELD[1:]]))]
    successor.close()
    third = RawWriter(host.prefix)  # the debt is paid
    third.close()
    host.take(0.01)
    assert len(host.reports) == 4


def test_a_journal_that_is_none_is_begun_anew(host: Host) -> None:
    Path(f"{host.prefix}.journal").write_bytes(b"something else entirely")
    writer = RawWriter(host.prefix)
    assert writer.greeting.status == wire.OK
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.OK
    writer.close()


def test_only_one_writer_at_a_time(host: Host, writer: RawWriter) -> None:
    second = RawWriter(host.prefix)
    assert second.greeting.status == wire.BUSY
    assert second.greeting.detail == str(os.getpid())
    second.close()


def test_it_waits_for_its_predecessor_to_go(host: Host, writer: RawWriter) -> None:
    _hold(writer)
    writer.signal(signal.SIGTERM)
    successor = RawWriter(host.prefix)
    assert successor.greeting.status == wire.OK
    host.take(0.01)
    assert host.held == []
    successor.close()


def test_a_report_that_waits_gives_way_to_a_release(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    first = writer.send(wire.REPORT, wire.KEYBOARD, A)  # is never acknowledged in time
    time.sleep(0.01)
    release = writer.send(wire.RELEASE)
    assert writer.answer(first).status == wire.INTERRUPTED
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    assert writer.answer(release).status in (wire.OK, wire.NOT_TAKEN)
    writer.close()
    host.close()


def test_after_a_report_that_was_not_acknowledged_the_release_comes_first(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.NOT_TAKEN
    other = bytes([0, 0, 5, 0, 0, 0, 0, 0])
    assert writer.ask(wire.REPORT, wire.KEYBOARD, other) == wire.NOT_TAKEN
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.NOT_TAKEN
    assert host.until(lambda: len(host.reports) == 2, 5)  # by itself, when the host is back
    assert host.reports == [(0, A), (0, UP)]
    waiting = writer.send(wire.REPORT, wire.KEYBOARD, other)
    assert host.until(lambda: len(host.reports) == 3, 5)
    assert writer.answer(waiting).status == wire.OK
    writer.hang_up()
    assert host.until(lambda: not host.held, 5)
    writer.close()
    host.close()


def test_a_mouse_that_nobody_polls_does_not_keep_the_keyboard_from_working(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, module="tests.usb.paced")
    assert writer.ask(wire.REPORT, wire.MOUSE, bytes([1, 0, 0, 0])) == wire.NOT_TAKEN
    waiting = writer.send(wire.REPORT, wire.KEYBOARD, A)
    assert host.until(lambda: (0, A) in host.reports, 5)
    assert writer.answer(waiting).status == wire.OK
    writer.close()
    host.close()


def test_somebody_elses_key_is_noticed_at_once(host: Host, writer: RawWriter) -> None:
    for _ in range(20):
        assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.OK
        assert writer.ask(wire.REPORT, wire.KEYBOARD, UP) == wire.OK
    assert not writer.says(0.05)
    with Path(f"{host.prefix}0").open("wb") as theirs:
        theirs.write(A)
    notice = writer.hear()
    assert (notice.kind, notice.endpoint) == (wire.STRANGER, wire.KEYBOARD)


def test_a_mouse_that_moves_once_is_no_person(host: Host, writer: RawWriter) -> None:
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.OK
    with Path(f"{host.prefix}2").open("wb", buffering=0) as theirs:
        theirs.write(HELD)
        assert not writer.says(0.1)
        for _ in range(5):
            theirs.write(HELD)
            time.sleep(0.01)
    assert writer.hear().kind == wire.STRANGER


def test_it_is_small_and_nobody_takes_it_for_the_service(host: Host, writer: RawWriter) -> None:
    process = Path(f"/proc/{writer.process.pid}")
    assert b"cua_webapp" not in (process / "cmdline").read_bytes()
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines())
    assert int(status["VmRSS"].split()[0]) <= 12 * 1024
    assert status["Threads"] == "1"


def test_it_imports_nothing_else_of_this_program(host: Host, writer: RawWriter) -> None:
    maps = Path(f"/proc/{writer.process.pid}/maps").read_text()
    assert "_ctypes" in maps
    assert "pydantic" not in maps
    assert "_ssl" not in maps


def test_there_are_words_for_every_status() -> None:
    assert set(WORDS) == set(range(wire.ASLEEP, wire.NO_JOURNAL + 1))
