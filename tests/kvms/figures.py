"""`python -m tests.kvms.figures [--times N]`: how fast and how safe a KVM elsewhere is driven.

Against servers that speak the KVMs' protocols on this machine: how long 1,000 characters take, all
of which must arrive, beside the least that their reports take on the wire (one each 11 ms, or what
the serial port needs), and how long it takes until everything is up after our process was killed in
the middle of an action, `--times` times.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cua.hid.inputs import HidInputs
from cua.kvms.remote_hid import SPACING_S
from cua.types import Type
from tests.kvms.open_kvm import open_kvm, typed
from tests.kvms.test_watchdog import SORTS, typing_process
from tests.servers.ch9329_chip import Ch9329
from tests.servers.jetkvm import JetKvm
from tests.servers.rfb_server import RfbServer, serving
from tests.servers.site import running, self_signed
from tests.support.devices import Recorder
from tests.support.waiting import until

TEXT = "Hello, World! {[~]}\n" * 50
BAUDS = {f"usb, {baud} baud": baud for baud in (115200, 57600, 9600)}
WEB = {**SORTS, "jetkvm+https": ("correct horse", JetKvm)}
ALL = ("vnc", *WEB, *BAUDS)


@asynccontextmanager
async def serving_each(sort: str, folder: Path) -> AsyncIterator[tuple[Any, str, str]]:
    """Such a KVM of the tests, its address and its password."""
    if sort == "vnc":
        server = RfbServer()
        async with serving(server) as place:
            yield server, f"vnc://{place}", ""
    elif sort in BAUDS:
        chip = Ch9329(baud=BAUDS[sort], paced=True)
        async with chip.plugged_in() as path:
            yield chip, f"usb://{path}?video=/dev/null&baud={chip.baud}", ""
    else:
        password, make = WEB[sort]
        kvm = make()
        async with running(kvm.app(), self_signed(folder)) as place:
            yield kvm, f"{sort}://{place}", password


async def type_through(sort: str, folder: Path) -> str:
    """Return a row of the table. Raises `AssertionError` if the computer gets another text."""
    async with (
        serving_each(sort, folder) as (kvm, address, password),
        open_kvm(address, password=password) as there,
    ):
        await there.inputs.perform(Type(text="a"))
        began = time.monotonic()
        await there.inputs.perform(Type(text=TEXT))
        seconds = time.monotonic() - began
        assert typed(kvm) == "a" + TEXT
    device = Recorder()
    await HidInputs(device).perform(Type(text=TEXT))
    report_s = max(kvm.wire_s, SPACING_S) if isinstance(kvm, Ch9329) else SPACING_S
    return f"| {sort} | {seconds:.1f} s | {len(device.reports) * report_s:.1f} s |"


async def released(sort: str, folder: Path) -> float | None:
    """Seconds from the kill to the release; None if nothing was down."""
    password, make = SORTS[sort]
    kvm = make()
    async with (
        running(kvm.app(), self_signed(folder)) as place,
        typing_process(f"{sort}://{place}", password) as process,
    ):
        wanted = random.randint(5, 100)
        await until(lambda: len(kvm.written) >= wanted, 60)
        process.send_signal(signal.SIGKILL)
        return await _until_up(kvm)


async def _until_up(kvm: Any) -> float | None:
    """Raises `AssertionError` if it stays down."""
    began = time.monotonic()
    last: float | None = None
    while time.monotonic() < began + 1.0:  # what was on its way comes as well
        await asyncio.sleep(0.001)
        if kvm.down():
            await until(lambda: not kvm.down())
            last = time.monotonic() - began
    return last


async def main(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _say(f"| {len(TEXT)} characters through | typed in | wire time |\n|---|---|---|")
        for sort in ALL:
            _say(await type_through(sort, Path(folder)))
    for sort in SORTS if times else ():
        with tempfile.TemporaryDirectory() as folder:
            found = [await released(sort, Path(folder)) for _ in range(times)]
        after = sorted(each for each in found if each is not None)
        p50, p99 = (after[int((len(after) - 1) * part)] * 1000 for part in (0.5, 0.99))
        _say(
            f"{sort}: killed {times} times, {len(after)} with something down, 0 left stuck; "
            f"released after p50 {p50:.0f}, p99 {p99:.0f} ms"
        )


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.kvms.figures", description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    asyncio.run(main(parser.parse_args().times))
