"""CPU and memory of a fleet in one process, for each computer: `python -m tests.fleet.cost`.

Every computer works: a model clicks here and there, and each of its replies takes as long
as those of usual models. Only the program and its own children are counted, not the computers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fleet.simulated import simulated_fleet, wait_until

REPLY_S = 8.0
SECONDS = 40
TICKS = os.sysconf("SC_CLK_TCK")


def reply(body: dict[str, Any]) -> dict[str, Any]:
    x, y = random.uniform(0.1, 0.9), random.uniform(0.1, 0.9)
    return {"text": f"mouse {x:.3f} {y:.3f} 1", "delay": REPLY_S}


async def _measure(count: int) -> tuple[float, float]:
    """Return the share of a core and the megabytes that all take."""
    with TemporaryDirectory() as folder:
        async with simulated_fleet(Path(folder), count) as fleet:
            fleet.model.script = reply
            options = ("--gate", "never", "--parallel", str(count), "--json")
            process = fleet.start("run", "Click about", *options)
            reading = asyncio.create_task(asyncio.to_thread(process.communicate))
            try:
                await wait_until(lambda: len(fleet.model.requests) >= 2 * count, 300)
                before, began = _cpu_s(process.pid), time.monotonic()
                await asyncio.sleep(SECONDS)
                assert process.poll() is None
                share = (_cpu_s(process.pid) - before) / (time.monotonic() - began)
                return share, sum(map(_megabytes, _tree(process.pid)))
            finally:
                process.terminate()
                await reading


def _tree(process: int) -> Iterator[int]:
    """Yield the process and all below it."""
    yield process
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _tree(int(child))


def _cpu_s(process: int) -> float:
    """Return the CPU time of a process, with its children."""
    ticks = 0
    for each in _tree(process):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def _megabytes(process: int) -> float:
    """Return its memory; what it shares with others counts in part."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


async def _print_all(counts: Sequence[int]) -> None:
    for count in counts:
        share, megabytes = await _measure(count)
        sys.stdout.write(
            f"{count} computers: {share:.0%} of a core, {share / count:.1%} each; "
            f"{megabytes:.0f} MB, {megabytes / count:.1f} MB each\n"
        )
        sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fleet.cost")
    parser.add_argument("--computers", type=int, nargs="+", default=[10, 20, 40])
    asyncio.run(_print_all(parser.parse_args(arguments).computers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
