"""Is a broken installation repaired: `python -m tests.cli.install.interrupted_installs [COUNT]`.

Each time an installation is begun on the page, and the program and its pip are killed at a random
moment of it, as by a power cut; the next start has to bring it to its end without being asked, and
the service has to answer. The packages come from a little index, so that a round takes seconds.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.cli.install.package_index import index, program, wheel
from tests.cli.install.test_install import Start, started
from tests.support.kvm_hardware import hid_devices, kvm_box

BALLAST = 3_000_000


async def main(count: int) -> int:
    body = wheel(os.urandom(BALLAST))
    with tempfile.TemporaryDirectory() as name, hid_devices(Path(name)) as fifos:
        place = program(Path(name), body)
        async with kvm_box(Path(name), fifos) as kvm:
            with index(body) as packages:
                environ = kvm.environ | packages.environ
                whole = await _whole(place, environ)
                mended = [await _mended(place, environ, whole) for _ in range(count)]
    sys.stdout.write(
        f"{sum(mended)} of {count} installations that were cut off within {whole:.1f} s "
        "were whole after the next start\n"
    )
    return int(not all(mended))


async def _whole(place: Path, environ: dict[str, str]) -> float:
    """Seconds that an uninterrupted installation takes."""
    with started(place, environ) as start:
        began = time.monotonic()
        start.install()
        await asyncio.to_thread(start.until, lambda state: state["status"] == "done")
    return time.monotonic() - began


async def _mended(place: Path, environ: dict[str, str], whole: float) -> bool:
    shutil.rmtree(place / ".installed")
    with started(place, environ) as start:
        start.install()
        await asyncio.sleep(random.uniform(0, whole))
        os.killpg(start.process.pid, signal.SIGKILL)
    with started(place, environ) as again:
        return await _works(again)


async def _works(start: Start) -> bool:
    try:
        await start.taken_over()
    except (AssertionError, OSError, asyncio.TimeoutError) as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 100)))
