"""The writer and what the kernel tells about the USB side: asleep, and reports of other lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

from cua.hid.action_to_reports import plan_reports
from cua.hid.reports import LENGTHS
from cua.hid.writer import packets
from cua.hid.writer.usb import UsbState, report_id
from cua.types import Click, Drag, ManualAction, Point, Type
from tests.hid.kernel import Kernel
from tests.hid.raw_writer import HELD, UP, A, RawWriter
from tests.support.usb_decode import decode
from tests.usb.host import Host


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(tmp_path / "sys")


def test_a_host_that_is_asleep_gets_nothing_but_the_release_first(
    host: Host, kernel: Kernel
) -> None:
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(packets.REPORT, packets.KEYBOARD, A) == packets.OK
    kernel.state = "suspended"
    refused = writer.answer(writer.send(packets.REPORT, packets.KEYBOARD, UP))
    assert (refused.status, refused.detail) == (packets.ASLEEP, "suspended")
    assert writer.answer(writer.send(packets.QUERY)).detail == "suspended"
    assert writer.ask(packets.RELEASE) == packets.ASLEEP
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

    def drop(report: bytes) -> None:
        number = writer.send(packets.REPORT, packets.KEYBOARD, report)
        assert host.wait(5)
        kernel.state = "not attached"
        host.take()
        assert writer.answer(number).status == packets.ASLEEP
        kernel.state = "configured"

    drop(A)
    assert host.until(lambda: host.reports == [(0, A), (0, UP)], 5)
    drop(A)
    writer.send(packets.REPORT, packets.MOUSE, bytes([1, 0, 0, 0]))
    assert host.until(lambda: len(host.reports) > 3, 5)
    assert host.reports[3] == (0, UP)  # no click goes out before it
    writer.close()
    host.close()


def test_a_report_behind_a_release_that_is_not_taken_is_written_once(
    tmp_path: Path, kernel: Kernel
) -> None:
    host = Host(tmp_path, one_slot=True)
    writer = RawWriter(host.prefix, str(kernel.root), module="tests.usb.paced")
    press = writer.send(packets.REPORT, packets.KEYBOARD, A)
    assert host.until(lambda: bool(host.reports), 5)
    assert writer.answer(press).status == packets.OK
    kernel.state = "suspended"
    assert writer.ask(packets.RELEASE) == packets.ASLEEP
    kernel.state = "configured"
    turn = packets.REQUEST.pack(
        packets.REPORT, packets.KEYBOARD, 8, 77, bytes([0, 0, 5, *bytes(5)])
    )
    writer.socket.send(turn)
    assert writer.answer(77).status == packets.NOT_TAKEN
    writer.socket.send(turn)
    assert host.until(lambda: len(decode(host.reports).text) == 2, 5)
    assert decode(host.reports).text == "ab"
    writer.close()
    host.close()


SEQUENCE: list[ManualAction] = [
    Type(text="Hi!"),
    Click(at=Point(x=0.2, y=0.3), keys=("ctrl", "shift"), count=2),
    Drag(path=(Point(x=0.2, y=0.3), Point(x=0.3, y=0.3))),
]


def test_asleep_or_unplugged_at_every_report_of_a_sequence(host: Host, kernel: Kernel) -> None:
    reports = [report for action in SEQUENCE for report in plan_reports(action, None)]
    writer = RawWriter(host.prefix, str(kernel.root))
    for end in range(1, len(reports)):
        for report in reports[:end]:
            endpoint = tuple(LENGTHS).index(report.endpoint)
            assert writer.ask(packets.REPORT, endpoint, report.data) == packets.OK
        kernel.state = ("suspended", "not attached")[end % 2]
        endpoint = tuple(LENGTHS).index(reports[end].endpoint)
        assert writer.ask(packets.REPORT, endpoint, reports[end].data) == packets.ASLEEP
        kernel.state = "configured"
        assert host.until(lambda: not host.held, 5), reports[end]
        assert writer.ask(packets.RELEASE) == packets.OK
    writer.close()


def test_report_lengths_of_vendor_firmware(host: Host, kernel: Kernel) -> None:
    kernel.function(0, 8)
    kernel.function(1, 5)
    kernel.function(2, 7)
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(packets.REPORT, packets.MOUSE, bytes([1, 2, 3, 4])) == packets.OK
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.OK
    assert host.raw(1) == bytes([1, 2, 3, 4, 0])
    assert host.raw(2) == HELD + b"\0"
    writer.close()


def test_a_pointer_with_a_report_id(host: Host, kernel: Kernel) -> None:
    kernel.function(2, 7, bytes.fromhex("05010902a1010901a10085010509"))
    writer = RawWriter(host.prefix, str(kernel.root))
    assert writer.ask(packets.REPORT, packets.POINTER, HELD) == packets.OK
    assert host.raw(2) == b"\1" + HELD
    writer.close()


@pytest.mark.parametrize(
    ("descriptor", "number"),
    [
        ("", ""),
        ("05010902a101c0", ""),
        ("8507", "07"),
        ("c08507", "07"),  # an item without data
        ("27858585858507", "07"),  # an item with four bytes of data
        ("2685858507", "07"),
        ("09858507", "07"),
    ],
)
def test_the_report_id_in_a_descriptor(descriptor: str, number: str) -> None:
    assert report_id(bytes.fromhex(descriptor)) == bytes.fromhex(number)


def test_a_controller_that_was_gone_is_read_again(kernel: Kernel) -> None:
    state = kernel.root / "class/udc/8000000.dwc3/state"
    usb = UsbState(str(kernel.root))
    state.unlink()
    assert usb.state() == ""
    state.mkdir()  # it can be opened and not read, as a file of a driver that was taken away
    assert usb.state() == ""
    assert usb.is_configured()
    state.rmdir()
    kernel.state = "suspended"
    assert usb.state() == "suspended"
    assert not usb.is_configured()


@pytest.mark.parametrize(("endpoint", "length"), [(0, 9), (1, 3), (2, 8)])
def test_an_unknown_length_is_refused(
    host: Host, kernel: Kernel, endpoint: int, length: int
) -> None:
    kernel.function(endpoint, length)
    writer = RawWriter(host.prefix, str(kernel.root))
    answer = writer.answer(writer.send(packets.REPORT, endpoint, bytes(packets.LENGTHS[endpoint])))
    assert (answer.status, answer.detail) == (packets.ODD_LENGTH, str(length))
    writer.close()
