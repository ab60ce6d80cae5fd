"""`python -m tests.kvms.figures [--times N]`: how fast and how safe a KVM elsewhere is driven.

Against servers that speak the KVMs' protocols on this machine: how long 1,000 characters take, all
of which must arrive, and how long it takes until everything is up after our process was killed in
the middle of an action, `--times` times.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cua.kvms.remote_hid import SPACING_S
from cua.types import Type
from tests.kvms.meeting import meeting, until
from tests.kvms.test_watchdog import SORTS, typist
from tests.servers.ch9329_chip import Ch9329
from tests.servers.jetkvm import JetKvm
from tests.servers.rfb_server import RfbServer, serving
from tests.servers.site import running, self_signed
from tests.support.devices import heard

TEXT = "Hello, World! {[~]}\n" * 50
BAUDS = {f"usb, {baud} baud": baud for baud in (115200, 57600, 9600)}
WEB = {**SORTS, "jetkvm+https": ("correct horse", JetKvm)}
ALL = ("vnc", *WEB, *BAUDS)


class RfbText(RfbServer):
    @property
    def text(self) -> str:
        """What the keys that were pressed print."""
        keys = [struct.unpack(">BBxxI", each) for each in self.input if each[0] == 4]
        return "".join(KEYSYMS.get(key, chr(key)) for _, down, key in keys if down and key != SHIFT)


SHIFT, KEYSYMS = 0xFFE1, {0xFF0D: "\n"}


async def typing(address: str, password: str = "") -> float:
    """Seconds for 1,000 characters."""
    async with meeting(address, password=password) as there:
        await there.inputs.perform(Type(text="a"))
        began = time.monotonic()
        await there.inputs.perform(Type(text=TEXT))
        return time.monotonic() - began


async def type_through(sort: str, folder: Path) -> None:
    """Type, and say how long it took. Raises `AssertionError` if the computer gets another text."""
    if sort == "vnc":
        server = RfbText()
        async with serving(server) as place:
            seconds = await typing(f"vnc://{place}")
            assert server.text == "a" + TEXT
            _say(f"vnc: {len(TEXT)} characters in {seconds:.1f} s")
    elif sort in BAUDS:
        chip = Ch9329(baud=BAUDS[sort], paced=True)
        async with chip.plugged_in() as path:
            address = f"usb://{path}?video=/dev/null&baud={chip.baud}"
            _say_typed(sort, await typing(address), chip, chip.wire_s)
    else:
        password, make = WEB[sort]
        kvm = make()
        async with running(kvm.app(), self_signed(folder)) as place:
            _say_typed(sort, await typing(f"{sort}://{place}", password), kvm)


def _say_typed(sort: str, seconds: float, kvm: Any, wire_s: float = 0.0) -> None:
    assert heard(kvm.written).text == "a" + TEXT
    reports = len(kvm.written)
    least = reports * max(wire_s, SPACING_S)
    _say(
        f"{sort}: {len(TEXT)} characters in {seconds:.1f} s ({reports / seconds:.0f} reports a "
        f"second; at least {least:.1f} s)"
    )


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
    with tempfile.TemporaryDirectory() as folder:
        for sort in ALL:
            await type_through(sort, Path(folder))
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
