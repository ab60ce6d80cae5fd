"""The writer and what the kernel tells about the USB side: asleep, and reports of other lengths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cua.hid.reports import LENGTHS
from cua.hid.strokes import strokes
from cua.types import Click, Drag, Manual, Point, Type
from cua.writer import wire
from tests.hid.kernel import Kernel
from tests.hid.raw_writer import HELD, UP, A, RawWriter
from tests.usb.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path)
    yield host
    host.close()


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(tmp_path / "sys")


def test_a_host_that_is_asleep_gets_nothing_but_the_release_first(
    host: Host, kernel: Kernel
) -> None:
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(wire.REPORT, wire.KEYBOARD, A) == wire.OK
    kernel.state = "suspended"
    refused = writer.answer(writer.send(wire.REPORT, wire.KEYBOARD, UP))
    assert (refused.status, refused.detail) == (wire.ASLEEP, "suspended")
    assert writer.answer(writer.send(wire.QUERY)).detail == "suspended"
    assert writer.ask(wire.RELEASE) == wire.ASLEEP
    host.take(0.4)  # the lease ends as well
    assert host.reports == [(0, A)]
    kernel.state = "configured"
    assert host.until(lambda: not host.held, 5)
    writer.close()


def test_a_report_that_is_dropped_by_an_unplugged_cable_was_not_delivered(
    tmp_path: Path, kernel: Kernel
) -> None:
    """The device is writable again as if the host had polled: only the state tells."""
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, str(kernel.root), module="tests.usb.paced")
    number = writer.send(wire.REPORT, wire.KEYBOARD, A)
    assert host.wait(5)
    kernel.state = "not attached"
    host.take()
    assert writer.answer(number).status == wire.ASLEEP
    kernel.state = "configured"
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    writer.close()
    host.close()


SEQUENCE: list[Manual] = [
    Type(text="Hi!"),
    Click(at=Point(x=0.2, y=0.3), keys=("ctrl", "shift"), count=2),
    Drag(path=(Point(x=0.2, y=0.3), Point(x=0.3, y=0.3))),
]


def test_asleep_or_unplugged_at_every_report_of_a_sequence(host: Host, kernel: Kernel) -> None:
    reports = [stroke for action in SEQUENCE for stroke in strokes(action, None)]
    writer = RawWriter(host.prefix, str(kernel.root))
    for end in range(1, len(reports)):
        for stroke in reports[:end]:
            endpoint = tuple(LENGTHS).index(stroke.endpoint)
            assert writer.ask(wire.REPORT, endpoint, stroke.report) == wire.OK
        kernel.state = ("suspended", "not attached")[end % 2]
        endpoint = tuple(LENGTHS).index(reports[end].endpoint)
        assert writer.ask(wire.REPORT, endpoint, reports[end].report) == wire.ASLEEP
        kernel.state = "configured"
        assert host.until(lambda: not host.held, 5), reports[end]
        assert writer.ask(wire.RELEASE) == wire.OK
    writer.close()


def test_the_lengths_that_the_vendors_forks_have(host: Host, kernel: Kernel) -> None:
    kernel.function(0, 8)
    kernel.function(1, 5)
    kernel.function(2, 7)
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(wire.REPORT, wire.MOUSE, bytes([1, 2, 3, 4])) == wire.OK
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.OK
    assert host.raw(1) == bytes([1, 2, 3, 4, 0])
    assert host.raw(2) == HELD + b"\0"
    writer.close()


def test_a_pointer_with_a_report_id(host: Host, kernel: Kernel) -> None:
    kernel.function(2, 7, bytes.fromhex("05010902a1010901a10085010509"))
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(wire.REPORT, wire.POINTER, HELD) == wire.OK
    assert host.raw(2) == b"\1" + HELD
    writer.close()


@pytest.mark.parametrize(("endpoint", "length"), [(0, 9), (1, 3), (2, 8)])
def test_an_unknown_length_is_refused(
    host: Host, kernel: Kernel, endpoint: int, length: int
) -> None:
    kernel.function(endpoint, length)
    writer = RawWriter(host.prefix, str(kernel.root))
    answer = writer.answer(writer.send(wire.REPORT, endpoint, bytes(wire.LENGTHS[endpoint])))
    assert (answer.status, answer.detail) == (wire.ODD_LENGTH, str(length))
    writer.close()
