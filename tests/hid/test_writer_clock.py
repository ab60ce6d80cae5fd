"""When the writer releases, tries again and tells, by a clock that stands still between steps."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cua.hid.writer import packets
from tests.hid.raw_writer import HELD, UP, A
from tests.hid.test_writer_property import World

CTRL = bytes([1, *bytes(7)])
CLICK = bytes([1, 0, 0, 0])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


def ask(world: World, endpoint: int, report: bytes) -> int:
    """The status of the answer to a report."""
    world.said.clear()
    world.request(packets.REPORT, endpoint, report)
    return next(answer.status for answer in world.said if answer.kind == packets.DONE)


def said(world: World, kind: int) -> int:
    """How often it has told of something unasked, since the last call."""
    count = sum(answer.kind == kind for answer in world.said)
    world.said.clear()
    return count


def write_as_another(world: World, endpoint: int, times: int = 1) -> None:
    with Path(f"{world.host.prefix}{endpoint}").open("wb", buffering=0) as theirs:
        for _ in range(times):
            theirs.write(bytes(packets.LENGTHS[endpoint]))
            world.devices._watch.record_foreign(world.now)
    world.writer.tick()
    world.host.take()


def test_a_key_is_released_250_ms_after_the_last_request(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, A)
    world.wait(0.2)
    world.request(packets.REPORT, packets.KEYBOARD, A)
    assert world.writer.timeout_s() == pytest.approx(0.25)
    world.wait(0.2499)
    assert world.host.held == ["a"]
    assert world.writer.timeout_s() == pytest.approx(0.0001)
    world.wait(0.0001)
    assert world.host.held == []
    assert world.devices.pressed_mask == 0


def test_a_key_that_the_computer_takes_late_stays_down_while_it_is_asked_for(
    tmp_path: Path,
) -> None:
    with contextlib.closing(World(tmp_path, one_slot=True)) as world:
        assert ask(world, packets.KEYBOARD, A) == packets.QUEUED
        world.wait(0.2)
        assert ask(world, packets.KEYBOARD, A) == packets.OK
        world.wait(0.2)
        assert world.host.held == ["a"]


def test_it_sleeps_while_nothing_is_held_and_the_usb_state_is_unknown(world: World) -> None:
    world.usb_is("")
    world.wait(1.0)
    assert world.writer.timeout_s() is None


def test_a_failed_release_is_retried_ten_times_a_second(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, A)
    world.usb_is("suspended")
    world.wait(0.25)
    world.usb_is("configured")
    assert world.host.held == ["a"]
    world.wait(0.05)
    assert world.writer.timeout_s() == pytest.approx(0.05)
    assert world.host.held == ["a"]
    world.wait(0.0501)
    assert world.host.held == []
    assert said(world, packets.STATE) == 1  # of the start: it was back before the next look


def test_the_usb_state_is_checked_once_a_second(world: World) -> None:
    world.wait(0.0)
    assert said(world, packets.STATE) == 1
    world.usb_is("suspended")
    world.wait(0.9)
    assert said(world, packets.STATE) == 0
    assert world.writer.timeout_s() == pytest.approx(0.1)
    world.wait(0.1001)
    assert [(each.status, each.detail) for each in world.said] == [(packets.OK, "suspended")]
    world.said.clear()
    world.wait(1.0)
    assert said(world, packets.STATE) == 0


def test_foreign_typing_is_reported_once_a_second(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, UP)  # from now on it watches that device
    world.said.clear()
    write_as_another(world, packets.KEYBOARD)
    assert [(each.kind, each.endpoint) for each in world.said] == [
        (packets.FOREIGN_WRITE, packets.KEYBOARD)
    ]
    world.said.clear()
    world.wait(0.9)
    write_as_another(world, packets.KEYBOARD)
    assert said(world, packets.FOREIGN_WRITE) == 0
    world.wait(0.1001)
    assert said(world, packets.FOREIGN_WRITE) == 1
    world.wait(1.0)
    assert said(world, packets.FOREIGN_WRITE) == 0


def test_foreign_typing_is_not_taken_for_a_report_that_follows_it(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, UP)
    world.said.clear()
    with Path(f"{world.host.prefix}0").open("wb", buffering=0) as theirs:
        theirs.write(A)
    world.request(packets.REPORT, packets.KEYBOARD, UP)
    assert said(world, packets.FOREIGN_WRITE) == 1


def test_a_foreign_mouse_is_reported_after_three_writes_in_a_second(world: World) -> None:
    world.request(packets.REPORT, packets.MOUSE, bytes(4))
    world.said.clear()
    write_as_another(world, packets.MOUSE, 2)
    world.wait(1.0)
    write_as_another(world, packets.MOUSE, 2)
    assert said(world, packets.FOREIGN_WRITE) == 0
    write_as_another(world, packets.MOUSE)
    assert said(world, packets.FOREIGN_WRITE) == 1


def test_reports_are_refused_until_every_released_endpoint_is_up(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, CTRL)
    world.request(packets.REPORT, packets.POINTER, HELD)
    world.wait(0.25)
    assert world.host.held == []
    for endpoint, report in ((packets.MOUSE, bytes(4)), (packets.KEYBOARD, UP)):
        assert ask(world, endpoint, report) == packets.OK
        assert ask(world, packets.MOUSE, CLICK) == packets.INPUT_RELEASED
    assert ask(world, packets.POINTER, bytes([0, *HELD[1:]])) == packets.OK
    assert ask(world, packets.MOUSE, CLICK) == packets.OK
    assert world.host.held == ["left"]


def test_the_next_writer_refuses_reports_with_keys_of_a_killed_one(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, CTRL)
    world.kill()
    world.host.take()
    assert world.host.held == []
    assert ask(world, packets.MOUSE, CLICK) == packets.INPUT_RELEASED


def test_a_pointer_is_released_where_it_was(world: World) -> None:
    world.request(packets.REPORT, packets.POINTER, HELD)
    world.request(packets.RELEASE)
    assert world.host.reports == [(2, HELD), (2, bytes([0, *HELD[1:]]))]


def test_everything_is_released_but_a_pointer_that_is_up(world: World) -> None:
    """A report would move it."""
    world.request(packets.REPORT, packets.POINTER, HELD)
    world.request(packets.REPORT, packets.POINTER, bytes([0, *HELD[1:]]))
    world.host.reports.clear()
    world.request(packets.RELEASE_EVERYTHING)
    assert world.host.reports == [(0, UP), (1, bytes(4))]
    world.request(packets.REPORT, packets.POINTER, HELD)
    world.host.reports.clear()
    world.request(packets.RELEASE_EVERYTHING)
    assert world.host.reports == [(0, UP), (1, bytes(4)), (2, bytes([0, *HELD[1:]]))]


def test_a_key_that_a_sleeping_computer_did_not_get_is_not_released(world: World) -> None:
    world.usb_is("suspended")
    assert ask(world, packets.KEYBOARD, A) == packets.ASLEEP
    world.usb_is("configured")
    world.wait(0.25)
    assert world.host.reports == []


def test_a_key_stays_down_after_a_report_that_was_dropped(world: World) -> None:
    world.request(packets.REPORT, packets.KEYBOARD, UP)
    with unplugged(world, packets.KEYBOARD):
        assert ask(world, packets.KEYBOARD, UP) == packets.ASLEEP
    world.request(packets.REPORT, packets.KEYBOARD, CTRL)
    world.wait(0.2)
    assert world.host.held == ["ctrl"]


@contextlib.contextmanager
def unplugged(world: World, endpoint: int) -> Iterator[None]:
    """Nothing reads what is written to that device meanwhile."""
    fd = next(fd for fd, each in world.host._ends.items() if each == endpoint)
    for path in (os.devnull, f"{world.host.prefix}{endpoint}"):
        other = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.dup2(other, fd)
        os.close(other)
        if path == os.devnull:
            yield
