"""`python -m tests.kvms.figures [--times N]`: how fast and how safe a KVM elsewhere is driven.

Against servers that speak the KVMs' protocols on this machine: the reports a second, and how long
it takes until everything is up after our process was killed in the middle of an action.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cua.types import Type
from tests.kvms.meeting import meeting, until
from tests.kvms.test_watchdog import SORTS, typist
from tests.servers.site import running, self_signed

TEXT = "Hello, World! " * 15


async def rate(sort: str, folder: Path) -> float:
    password, make = SORTS[sort]
    kvm = make()
    async with (
        running(kvm.app(), self_signed(folder)) as place,
        meeting(f"{sort}://{place}", password=password) as there,
    ):
        await there.inputs.perform(Type(text="a"))
        before, began = len(kvm.written), time.monotonic()
        await there.inputs.perform(Type(text=TEXT))
        return (len(kvm.written) - before) / (time.monotonic() - began)


async def released(sort: str, folder: Path) -> float | None:
    """Seconds from the kill to the release; None if nothing was down."""
    password, make = SORTS[sort]
    kvm = make()
    async with (
        running(kvm.app(), self_signed(folder)) as place,
        typist(f"{sort}://{place}", password) as process,
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
    for sort in SORTS:
        with tempfile.TemporaryDirectory() as folder:
            _say(f"{sort}: {await rate(sort, Path(folder)):.0f} reports a second")
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
