"""Does it survive the launcher: `python -m tests.cli.install.launcher_survival [COUNT]`.

The KVM's server closes the pipe as soon as it has read its line, at any moment after it, and the
vendor's assistant dies of that about half the time. Here each start is done under load (two busy
processes per core), the pipe is closed at once or a little later, and a page is used to the end.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
from websockets.exceptions import InvalidHandshake

from tests.support.kvm_hardware import Kvm, any_free_port, ended, hid_devices, kvm_box
from tests.support.page_client import page

DELAYS = (0.0, 0.0, 0.0002, 0.001, 0.02)
"""Seconds between the line and the closing of the pipe."""


def main(count: int) -> int:
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        survived = asyncio.run(_starts(count))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    sys.stdout.write(f"{sum(survived)} of {count} starts survived the closed pipe, under load\n")
    return int(not all(survived))


async def _starts(count: int) -> list[bool]:
    with tempfile.TemporaryDirectory() as folder, hid_devices(Path(folder)) as fifos:
        async with kvm_box(Path(folder), fifos) as kvm:
            return [await _survives(kvm) for _ in range(count)]


async def _survives(kvm: Kvm) -> bool:
    began = time.monotonic()
    kvm.port = any_free_port()  # nothing of the one before can be in the way
    process = kvm.start("--auth", "1")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = await asyncio.to_thread(process.stdout.readline)
        assert b"Authentication" in line, line
        await asyncio.sleep(random.choice(DELAYS))
        process.stdout.close()
        async with page(kvm.origin) as person:
            assert (await person.post("/api/pause")).status_code == 200
        assert await ended(process, 60) == 0
    except (AssertionError, OSError, InvalidHandshake, httpx2.HTTPError) as error:
        sys.stdout.write(f"{error!r} after {time.monotonic() - began:.0f} s\n")
        return False
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    return True


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 60))
