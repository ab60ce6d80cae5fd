"""If our process is killed or frozen during an action, the KVM releases its keys."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cua.kvms.registry import DEVICE, KINDS
from cua.kvms.watchdog_client import WatchdogClient
from cua.kvms.watchdog_process import LEASE_S, serve
from cua.types import Drag, Move, Point
from tests.kvms.open_kvm import answer_release, open_kvm
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.onekvm_server import OneKvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running, self_signed
from tests.support.kvm_hardware import ROOT
from tests.support.waiting import until

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*_SSLProtocolTransport.__del__:pytest.PytestUnraisableExceptionWarning"
)
DRAG = Drag(path=(Point(x=0.2, y=0.2), Point(x=0.8, y=0.8)))
SHIFT_A = bytes([2, 0, 4, *bytes(5)])
SORTS: dict[str, tuple[str, Callable[[], Any]]] = {
    "nanokvm-pro": ("correct horse", nanokvm_pro),
    "nanokvm+https": ("correct horse", NanoKvm),
    "pikvm": ("correct:horse", PiKvm),
    "onekvm+https": ("correct horse", OneKvm),
}
ELSEWHERE = {
    DEVICE: "hid/writer/ does it: tests/hid",
    "jetkvm": "test_jetkvm.py",
    "usb": "test_usb_kvm.py",
    "vnc": "a VNC server has no watchdog",
}


@asynccontextmanager
async def typing_process(address: str, password: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.kvms.typing_process", address, password),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def test_each_kind_of_kvm_is_here_or_elsewhere() -> None:
    here = {scheme.partition("+")[0] for scheme in SORTS}
    missing = "add it to SORTS, or to ELSEWHERE with the test or the reason"
    assert here | ELSEWHERE.keys() == KINDS.keys(), missing


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_nothing_stays_down(sort: str, end: signal.Signals, tmp_path: Path) -> None:
    password, make = SORTS[sort]
    kvm = make()
    async with (
        running(kvm.app(), self_signed(tmp_path)) as place,
        typing_process(f"{sort}://{place}", password) as process,
    ):
        wanted = random.randint(5, 60)
        await until(lambda: len(kvm.written) >= wanted and bool(kvm.down()), 60)
        process.send_signal(end)
        await until(lambda: not kvm.down())
        await asyncio.sleep(LEASE_S / 4)  # what was on its way has come
        await until(lambda: not kvm.down())


async def test_a_stalled_process_does_not_continue_with_released_keys() -> None:
    kvm = nanokvm_pro()
    async with (
        running(kvm.app()) as place,
        typing_process(f"nanokvm-pro+http://{place}", "correct horse") as process,
    ):
        while True:
            await until(lambda: bool(kvm.down()), 60)
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.2)
            if kvm.down():
                break
            process.send_signal(signal.SIGCONT)  # its next report had already been a release
        await until(lambda: not kvm.down())
        process.send_signal(signal.SIGCONT)
        said, _ = await process.communicate()
        assert "This service stalled" in said.decode()
        assert not kvm.down()


async def test_keys_left_by_a_killed_pair_are_released_at_the_next_start() -> None:
    kvm = nanokvm_pro(written=[("keyboard", SHIFT_A)])
    async with (
        running(kvm.app()) as place,
        open_kvm(f"nanokvm-pro+http://{place}", password="correct horse") as there,
    ):
        assert kvm.down()
        await there.inputs.perform(Move(at=Point(x=0.5, y=0.5)))
        assert not kvm.down()


async def test_a_killed_watchdog_is_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUA_OF_THIS_TEST", mark := secrets.token_hex(8))
    kvm = nanokvm_pro()
    async with (
        running(kvm.app()) as place,
        open_kvm(f"nanokvm-pro+http://{place}", password="correct horse") as there,
    ):
        await there.inputs.perform(DRAG)
        (first,) = watchdogs(mark)
        os.kill(first, signal.SIGKILL)
        await until(lambda: not watchdogs(mark))
        await there.inputs.perform(DRAG)
        await there.inputs.perform(DRAG)
        assert len(watchdogs(mark)) == 1
        assert not kvm.down()
    await until(lambda: not watchdogs(mark))


async def test_a_watchdog_whose_start_was_cancelled_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CUA_OF_THIS_TEST", mark := secrets.token_hex(8))
    watchdog = WatchdogClient(lambda *_: [])
    waiting = asyncio.create_task(watchdog.start("http://127.0.0.1:9", {}, ""))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await until(lambda: bool(watchdogs(mark)))
    watchdog.close()
    await until(lambda: not watchdogs(mark))


async def test_half_a_line_ends_the_watchdog_which_releases_what_it_knew() -> None:
    port, terminal = os.openpty()
    longer_than_a_pipe = [bytes(100_000)]
    watchdog = WatchdogClient(lambda pressed: [b"up"] if len(pressed) < 2 else longer_than_a_pipe)
    await watchdog.start(f"serial://{os.ttyname(terminal)}?9600", {}, "")
    watchdog.hold({"keyboard": SHIFT_A})
    answer_release(port, b"up")  # without heartbeats meanwhile; from now on it reads at once
    watchdog.hold({})
    await asyncio.sleep(0.01)  # the heartbeat that is overdue
    watchdog.hold({"keyboard": SHIFT_A})
    watchdog.check_stall()
    watchdog.hold({"keyboard": SHIFT_A, "mouse": bytes([1, 0, 0, 0])})
    assert watchdog.check_stall(), "the sender learns of it"
    await asyncio.to_thread(answer_release, port, b"up")
    watchdog.close()
    os.close(port)
    os.close(terminal)


async def test_a_broken_line_ends_the_watchdog_which_releases_what_it_knew() -> None:
    port, terminal = os.openpty()
    reader, writer = os.pipe()
    url, release = f"serial://{os.ttyname(terminal)}?9600", [b"up".hex()]
    state = json.dumps({"url": url, "down": True, "release": release})
    os.write(writer, f"{state}\n{state[:9]}\n".encode())
    serving = asyncio.create_task(asyncio.to_thread(serve, reader))
    await asyncio.to_thread(answer_release, port, b"up")
    await serving
    for each in (port, terminal, reader, writer):
        os.close(each)


def watchdogs(mark: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or belongs to another user
            ours = mark.encode() in (process / "environ").read_bytes()
            if ours and b"cua.kvms.watchdog_process" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
