"""Whatever happens, in whatever order: at the end the host holds nothing down."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cua.hid.writer import packets, rules
from cua.hid.writer.device_files import SPACING_S, DeviceFiles
from cua.hid.writer.foreign_writes import ForeignWriteWatcher
from cua.hid.writer.journal import Journal
from cua.hid.writer.packets import LEASE_S
from cua.hid.writer.request_handler import RequestHandler
from cua.hid.writer.usb import UsbState
from cua.hid.writer_client import Answer
from tests.usb.host import Host

Happening = Callable[["World"], None]


class MortalDevices(DeviceFiles):
    """Notes in `sent` when each report went out."""

    sent: list[tuple[int, float]]

    def _keep_spacing(self, endpoint: int) -> None:
        super()._keep_spacing(endpoint)
        self.sent.append((endpoint, self._next[endpoint] - SPACING_S))

    def die(self) -> None:
        for endpoint in list(self._open_files):
            self._close_file(endpoint)


class MortalJournal(Journal):
    def die(self) -> None:
        self._words.release()
        self._map.close()  # it holds the file, and so the lock, as well
        os.close(self._fd)


class World:
    """A writer without its process: its clock is ours, and killing it is dropping it."""

    def __init__(self, folder: Path, *, one_slot: bool = False) -> None:
        self.host = Host(folder, one_slot=one_slot)
        self.now = 0.0
        self.said: list[Answer] = []
        self.sent: list[tuple[int, float]] = []
        self._state = folder / "class/udc/dwc3/state"
        self._state.parent.mkdir(parents=True)
        self.usb_is("configured")
        self._folder = folder
        self._begin()

    def usb_is(self, state: str) -> None:
        self._state.write_text(state)

    def request(self, kind: int, endpoint: int = 0, report: bytes = b"") -> None:
        self.writer.handle(packets.REQUEST.pack(kind, endpoint, len(report), 1, report))
        self.writer.tick()
        self.host.take()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.writer.tick()
        self.host.take()

    def kill(self) -> None:
        """Nothing is tidied up but what the kernel tidies up: files and locks."""
        self._end()
        self._begin()

    def close(self) -> None:
        self._end()
        self.host.close()

    def _begin(self) -> None:
        self.journal = MortalJournal(f"{self._folder}/journal")
        usb, self._watch = UsbState(str(self._folder)), ForeignWriteWatcher()
        self.devices = MortalDevices(self.host.prefix, self.journal, usb, self._watch)
        self.devices.sent = self.sent
        self.writer = RequestHandler(
            self.devices, usb, self._watch, self._receive, lambda: self.now
        )
        self.devices.release()

    def _end(self) -> None:
        self.devices.die()
        self.journal.die()
        os.close(self._watch.fd)

    def _receive(self, packet: bytes) -> None:
        self.said.append(Answer.read(packet))


usages = st.sampled_from([0, 0, 4, 5, 6, 0x28, 0x66])
keyboards = st.builds(
    lambda modifiers, keys: bytes([modifiers, 0, *keys]),
    st.integers(0, 255),
    st.lists(usages, min_size=6, max_size=6),
)
mice = st.builds(
    lambda button, rest: bytes([button, *rest]),
    st.integers(0, 8),
    st.binary(min_size=3, max_size=3),
)
pointers = st.builds(
    lambda button, rest: bytes([button, *rest]),
    st.integers(0, 33),
    st.binary(min_size=5, max_size=5),
)
reports = st.one_of(
    st.tuples(st.just(packets.KEYBOARD), keyboards),
    st.tuples(st.just(packets.MOUSE), mice),
    st.tuples(st.just(packets.POINTER), pointers),
    st.tuples(st.integers(0, 255), st.binary(max_size=8)),
)


def _report(what: tuple[int, bytes]) -> Happening:
    return lambda world: world.request(packets.REPORT, *what)


def _usb(state: str) -> Happening:
    return lambda world: world.usb_is(state)


happenings = st.one_of(
    reports.map(_report),
    reports.map(_report),
    st.sampled_from([packets.RELEASE, packets.RELEASE_EVERYTHING, packets.QUERY, 77]).map(
        lambda kind: lambda world: world.request(kind)
    ),
    st.floats(0, 2 * LEASE_S).map(lambda seconds: lambda world: world.wait(seconds)),
    st.sampled_from(["configured", "suspended", "not attached"]).map(_usb),
    st.just(World.kill),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(happenings, max_size=25))
def test_nothing_is_held_at_the_end(story: list[Happening]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for happening in story:
            happening(world)
        world.usb_is("configured")
        world.wait(LEASE_S)  # the agent is frozen or gone: it says nothing any more
        world.wait(LEASE_S)
        assert world.host.held == []
        assert world.devices.pressed_mask == 0
        for endpoint, report in world.host.reports:
            assert rules.is_allowed(endpoint, report)
        world.close()


@settings(max_examples=40, deadline=None)
@given(st.lists(happenings, max_size=15))
def test_no_report_assumes_keys_that_were_released(story: list[Happening]) -> None:
    """A report that acts is taken only if the host holds what the one before said."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for happening in story:
            happening(world)
        world.usb_is("configured")
        world.request(packets.RELEASE)
        world.request(packets.REPORT, packets.KEYBOARD, bytes([1, *bytes(7)]))
        assert world.said[-1].status == packets.OK
        world.wait(LEASE_S)
        assert world.host.held == []
        world.request(packets.REPORT, packets.POINTER, bytes([1, 1, 1, 1, 1, 0]))
        assert world.said[-1].status == packets.INPUT_RELEASED
        assert world.host.held == []
        world.close()


@settings(max_examples=50, deadline=None)
@given(st.lists(happenings.filter(lambda each: each is not World.kill), max_size=40))
def test_no_report_is_faster_than_the_limit(story: list[Happening]) -> None:
    """Including every release, by request or not."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for happening in story:
            happening(world)
        world.host.take()
        assert len(world.sent) == len(world.host.reports)
        for endpoint in packets.ENDPOINTS:
            times = [at for each, at in world.sent if each == endpoint]
            gaps = [after - before for before, after in itertools.pairwise(times)]
            assert min(gaps, default=SPACING_S) >= SPACING_S - 1e-9
        world.close()
