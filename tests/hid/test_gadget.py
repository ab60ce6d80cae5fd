"""The client side of the writer, and its errors in words."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.hid.reports import Endpoint
from cua.hid.writer import packets
from cua.timeouts import within
from cua.types import DeviceError, Drag, Keypress, Point, Type
from tests.hid.kernel import Kernel
from tests.support.devices import interpret
from tests.usb.host import Host

A = bytes([0, 0, 4, 0, 0, 0, 0, 0])
UP = bytes(8)


@pytest.fixture
def gadget(host: Host) -> Iterator[Gadget]:
    gadget = Gadget(host.prefix)
    yield gadget
    gadget.close()


class OneSlot(Gadget):
    WRITER = "tests.usb.paced"


async def test_a_report_refused_by_a_sleeping_host_is_released_first_when_it_wakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.hid.gadget.HOST_TIMEOUT_S", 0.1)
    host = Host(tmp_path, one_slot=True)
    gadget = OneSlot(host.prefix)
    with pytest.raises(DeviceError, match="asleep"):
        await gadget.write("keyboard", A)
    gadget.release()  # refused as well: still owed
    monkeypatch.undo()
    action = asyncio.create_task(HidInputs(gadget).perform(Keypress(keys=("B",))))
    while not action.done():
        host.take()
        await asyncio.sleep(0.001)
    await action
    assert host.reports[:2] == [(0, A), (0, UP)]
    assert host.held == []
    gadget.close()
    host.close()


def test_the_start_releases_keys_left_by_a_previous_writer(host: Host, gadget: Gadget) -> None:
    gadget.release(everything=True)
    host.take()
    assert sorted(host.reports) == [(0, UP), (1, bytes(4))]


async def test_missing_devices_are_named(tmp_path: Path) -> None:
    gadget = Gadget(str(tmp_path / "hidg"))
    with pytest.raises(DeviceError, match="hidg0 is missing"):
        await gadget.write("keyboard", A)
    gadget.close()


async def test_what_an_ordinary_user_may_not_write_comes_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "hidg.journal").symlink_to("hidg.journal")
    gadget = Gadget(str(tmp_path / "hidg"))
    with pytest.raises(DeviceError, match=r"symbolic links\. Set XDG_RUNTIME_DIR to a folder"):
        await gadget.write("keyboard", A)
    denied = gadget.describe(packets.DENIED, "13", "keyboard", A)
    assert f"`sudo chown {os.geteuid()} {tmp_path}/hidg*`" in denied
    gadget.close()


async def test_all_copies_share_the_journal_of_a_kvms_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It locks them, and only this user may open it."""
    folder = tmp_path / "cua"
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(folder))
    with contextlib.closing(Gadget("/dev/none")) as first:
        with pytest.raises(DeviceError, match="/dev/none0 is missing"):
            await first.write("keyboard", A)
        second = Gadget("/dev/none")
        with pytest.raises(DeviceError, match="holds the keyboard"):
            await second.write("keyboard", A)
        second.close()
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "hid")} == {0o700, 0o600}


async def test_a_plain_file_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "hidg0"
    file.write_bytes(b"precious")
    gadget = Gadget(str(tmp_path / "hidg"))
    with pytest.raises(DeviceError, match="plain file"):
        await gadget.write("keyboard", A)
    gadget.close()
    assert file.read_bytes() == b"precious"


POWER = bytes([0, 0, 0x66, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("endpoint", "report"), [("keyboard", b"\xe9\x00"), ("mouse", bytes(8)), ("keyboard", POWER)]
)
async def test_a_wrong_length_and_the_power_key_never_reach_a_device(
    host: Host, gadget: Gadget, endpoint: Endpoint, report: bytes
) -> None:
    with pytest.raises(DeviceError, match=f"{report.hex()} is not allowed"):
        await gadget.write(endpoint, report)
    host.take()
    assert host.reports == []


async def test_a_writer_that_is_killed_is_replaced_and_releases(host: Host, gadget: Gadget) -> None:
    inputs = HidInputs(gadget)
    drag = asyncio.create_task(inputs.perform(Drag(path=(Point(x=0, y=0), Point(x=1, y=1)))))
    while "left" not in host.held:
        host.take()
        await asyncio.sleep(0.001)
    first = gadget.writer_pid
    assert first
    os.kill(first, signal.SIGKILL)
    with pytest.raises(DeviceError, match=r"Held keys were released|was started again"):
        await drag
    host.take()
    assert host.held == []
    assert gadget.writer_pid not in (None, first)
    await inputs.perform(Type(text="on"))
    host.take()
    assert interpret([("keyboard", each) for n, each in host.reports if n == 0]).text == "on"


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
async def test_a_writer_that_stands_still_or_is_dead_is_replaced_at_once(
    host: Host, gadget: Gadget, how: signal.Signals
) -> None:
    await gadget.write("keyboard", A)
    first = gadget.writer_pid
    assert first
    _signal_and_wait(first, how)
    gadget.release()
    host.take()
    assert host.held == []
    assert gadget.writer_pid != first


def _signal_and_wait(process: int, how: signal.Signals) -> None:
    os.kill(process, how)
    os.waitid(os.P_PID, process, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


async def test_a_writer_that_stops_during_a_report_is_replaced(host: Host, gadget: Gadget) -> None:
    await gadget.write("keyboard", A)
    assert gadget.writer_pid
    os.kill(gadget.writer_pid, signal.SIGSTOP)
    with pytest.raises(DeviceError, match="ended"):
        await asyncio.wait_for(gadget.write("keyboard", UP), 10)
    gadget.release()
    host.take()
    assert host.held == []


async def test_a_writer_that_dies_while_nothing_happens_is_replaced(
    host: Host, gadget: Gadget
) -> None:
    await gadget.write("keyboard", UP)
    first = gadget.writer_pid
    assert first
    os.kill(first, signal.SIGKILL)
    while gadget.writer_pid in (first, None):
        await asyncio.sleep(0.01)
    await gadget.write("keyboard", A)
    gadget.release()
    host.take()
    assert host.reports == [(0, UP), (0, A), (0, UP)]


class NoWriter(Gadget):
    WRITER = "cua.no_such_module"


@pytest.mark.filterwarnings("default")
async def test_a_writer_that_cannot_start_raises_an_error_once(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    gadget = NoWriter(host.prefix)
    gadget.release()
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"cannot start|ended"):
            await gadget.write("keyboard", A)
    gadget.close()
    assert "no_such_module" in capfd.readouterr().err


async def test_a_writer_that_can_no_longer_start_is_started_once(
    host: Host, gadget: Gadget, capfd: pytest.CaptureFixture[str]
) -> None:
    await gadget.write("keyboard", UP)
    gadget._link._command[4] = NoWriter.WRITER
    assert gadget.writer_pid
    os.kill(gadget.writer_pid, signal.SIGKILL)
    async with within(30):
        while gadget.writer_pid is not None:
            await asyncio.sleep(0.01)
    assert capfd.readouterr().err.count("no_such_module") == 1


async def test_a_second_copy_names_the_first(host: Host, gadget: Gadget) -> None:
    await gadget.write("keyboard", UP)
    second = Gadget(host.prefix)
    with pytest.raises(DeviceError, match=f"process {os.getpid()}\\) holds the keyboard"):
        await second.write("keyboard", A)
    gadget.close()
    await second.write("keyboard", A)  # the first has gone: now it works
    second.close()


async def test_foreign_writes_are_reported(host: Host) -> None:
    endpoints: list[Endpoint] = []
    gadget = Gadget(host.prefix, endpoints.append)
    await gadget.write("keyboard", UP)
    _write_from_elsewhere(f"{host.prefix}0", A)
    while not endpoints:
        await asyncio.sleep(0.001)
    assert endpoints == ["keyboard"]
    gadget.close()


def _write_from_elsewhere(path: str, report: bytes) -> None:
    Path(path).write_bytes(report)


async def test_a_cancelled_report_is_the_last_one(host: Host, gadget: Gadget) -> None:
    """Cancelled at any moment: at most the report that was under way, then the release."""
    for n in range(60):
        task = asyncio.create_task(_type_for_ever(gadget))
        await asyncio.sleep(0.001 + n * 0.0003)
        task.cancel()
        before = len(host.reports)
        with contextlib.suppress(asyncio.CancelledError):
            await task
        gadget.release()
        host.take()
        assert host.held == []
        taken = len(host.reports)
        await asyncio.sleep(0.002)
        host.take()
        assert len(host.reports) == taken
        assert taken >= before


async def _type_for_ever(gadget: Gadget) -> None:
    while True:
        await gadget.write("keyboard", A)
        await gadget.write("keyboard", UP)


async def test_the_state_of_the_usb_side(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "sys/class/udc/dwc3/state"
    file.parent.mkdir(parents=True)
    file.write_text("not attached\n")
    gadget = Gadget(host.prefix, system=str(tmp_path / "sys"))
    assert await gadget.state() == "not attached"
    with pytest.raises(DeviceError, match="the KVM says: not attached"):
        await gadget.write("keyboard", A)
    gadget.close()


async def test_suspend_and_unplug_are_reported_without_a_request(
    host: Host, tmp_path: Path
) -> None:
    kernel = Kernel(tmp_path / "sys")
    states: asyncio.Queue[str] = asyncio.Queue()
    gadget = Gadget(host.prefix, on_state=states.put_nowait, system=str(kernel.root))
    assert await gadget.state() == "configured"

    async def next_state() -> str:
        async with within(10):
            return await states.get()

    assert await next_state() == ""
    for state, words in (
        ("suspended", "asleep"),
        ("not attached", "does not see the KVM's keyboard"),
        ("addressed", "setting up"),
        ("configured", ""),
    ):
        kernel.state = state
        sentence = await next_state()
        assert words in sentence
        assert bool(sentence) == bool(words)
    gadget.close()


async def test_a_closed_gadget_sends_nothing_and_starts_no_writer(host: Host) -> None:
    gadget = Gadget(host.prefix)
    await gadget.write("keyboard", A)
    gadget.close()
    with pytest.raises(DeviceError, match="have been closed"):
        await gadget.write("keyboard", A)
    gadget.release()
    assert gadget.writer_pid is None


async def test_closing_fails_a_waiting_request(tmp_path: Path) -> None:
    host = Host(tmp_path, one_slot=True)
    gadget = OneSlot(host.prefix)
    writing = asyncio.create_task(gadget.write("keyboard", A))
    await asyncio.sleep(0)
    gadget.close()
    with pytest.raises(DeviceError, match="have been closed"):
        await writing
    host.close()
