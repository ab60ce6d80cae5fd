"""A computer that takes no reports for a while gets all of an action, each report once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.hid.reports import Endpoint
from cua.types import Click, DeviceError, InputReleased, Type
from tests.hid.host_pauses import ACTIONS, A, Reports, pause_host, poll, presses, reports_of
from tests.usb.gadgets import Paced
from tests.usb.host import Host


@pytest.mark.parametrize("kind", ACTIONS)
async def test_each_report_arrives_once(tmp_path: Path, kind: str) -> None:
    expected = await reports_of(kind)
    after = len(kind) * 7 % len(expected)  # somewhere, and always in the same place
    outcome = await pause_host(tmp_path, kind, after, 0.4)
    assert outcome.is_right(kind, expected), (after, outcome)


async def test_a_second_click_that_is_too_late_is_not_made(tmp_path: Path) -> None:
    expected = await reports_of("a double click")
    first = next(n for n, (_, report) in enumerate(expected) if report[0])
    outcome = await pause_host(tmp_path, "a double click", first + 1, 0.8)
    assert "a single click" in str(outcome.error)
    assert outcome.reports == expected[: first + 2]


async def test_a_cancelled_wait_ends_at_once_with_the_report_and_its_release(
    tmp_path: Path,
) -> None:
    host = Host(tmp_path, one_slot=True)
    gadget = Paced(host.prefix)
    typing = asyncio.create_task(HidInputs(gadget).perform(Type(text="abc")))
    while not host.wait(0):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    typing.cancel()
    await asyncio.wait([typing])
    assert host.reports == []  # it did not wait for the computer
    assert host.until(lambda: len(host.reports) == 2, 5)
    host.take(0.2)
    assert host.reports == [(0, bytes([0, 0, 4, *bytes(5)])), (0, bytes(8))]
    gadget.close()
    host.close()


async def test_a_host_pause_that_lasts_too_long_raises_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.hid.gadget.HOST_TIMEOUT_S", 0.3)
    host = Host(tmp_path, one_slot=True)
    gadget = Paced(host.prefix)
    with pytest.raises(DeviceError, match="does not take keyboard input"):
        await HidInputs(gadget).perform(Type(text="abc"))
    gadget.close()
    host.close()


async def test_a_writer_that_is_killed_while_it_waits_does_not_turn_the_wheel_twice(
    tmp_path: Path,
) -> None:
    host = Host(tmp_path, one_slot=True)
    gadget = Paced(host.prefix)
    turn = bytes([0, 0, 0, 1])
    turning = asyncio.create_task(gadget.write("mouse", turn))
    while not host.wait(0):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    gadget._link._process.kill()
    with pytest.raises(DeviceError, match="ended"):
        await turning
    host.take(0.3)
    assert host.reports == [(1, turn)]
    gadget.close()
    host.close()


async def test_a_click_whose_keys_were_released_fails_and_is_not_repeated(tmp_path: Path) -> None:
    """This process stalls as well, after the button and before the computer takes it."""
    host = Host(tmp_path, one_slot=True)
    gadget = Paced(host.prefix)
    clicking = asyncio.create_task(HidInputs(gadget).perform(Click(at=A, keys=("ctrl",))))
    while len(host.reports) < 3:
        host.take()
        await asyncio.sleep(0.001)
    while not host.wait(0):
        await asyncio.sleep(0.01)
    time.sleep(0.5)  # noqa: ASYNC251 - the whole process stalls
    polling = asyncio.create_task(poll(host))
    with pytest.raises(DeviceError, match="Held keys were released"):
        await clicking
    polling.cancel()
    host.take(0.01)
    assert len(presses(host.reports)) == 1
    assert host.held == []
    gadget.close()
    host.close()


class Freezing(Gadget):
    """This process stalls for longer than the lease before report number `at`."""

    at = -1

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if not self.at:
            time.sleep(0.3)  # noqa: ASYNC251 - the whole process stalls
        self.at -= 1
        await super().write(endpoint, report)


async def freeze(folder: Path, kind: str, at: int) -> tuple[Reports, DeviceError | None]:
    """What the computer gets, all of it in time, if this process stalls."""
    profile, play = ACTIONS[kind]
    host = Host(folder)
    gadget = Freezing(host.prefix)
    gadget.at = at
    polling = asyncio.create_task(poll(host))
    error = None
    try:
        await play(HidInputs(gadget, profile))
    except DeviceError as raised:
        error = raised
    polling.cancel()
    host.take(0.01)
    gadget.close()
    host.close()
    assert host.held == []
    return host.reports, error


@pytest.mark.parametrize("kind", ["text", "a shortcut", "a click with keys", "the wheel"])
async def test_after_a_freeze_modifiers_are_pressed_again_and_keys_are_not(
    tmp_path: Path, kind: str
) -> None:
    expected = await reports_of(kind)
    for at in range(0, len(expected), 2):
        folder = tmp_path / str(at)
        folder.mkdir()
        reports, error = await freeze(folder, kind, at)
        assert error is None, at
        assert presses(reports) == presses(expected), at


@pytest.mark.parametrize(
    "kind", ["a drag", "a button held by hand", "a character by its code", "the Windows key"]
)
async def test_after_a_freeze_nothing_else_is_pressed_again(tmp_path: Path, kind: str) -> None:
    expected = await reports_of(kind)
    errors = []
    for at in range(1, len(expected), 5):
        folder = tmp_path / str(at)
        folder.mkdir()
        reports, error = await freeze(folder, kind, at)
        errors.append(error)
        done = presses(reports)
        assert done == presses(expected)[: len(done)], at
        assert error is not None or len(done) == len(presses(expected))
    assert any(isinstance(error, InputReleased) for error in errors)
