"""Runs the benchmarks that are named, or all, and prints their table."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path

from .rows import Row, renew_figures, table

NAMES = ("start", "screenshot", "typing", "step", "round", "pause", "preview", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all samples, for a program")
    parser.add_argument("--renew", action="store_true", help="compare with this run from now on")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    before, started = os.getloadavg(), time.monotonic()
    rows: list[Row] = []
    broken: list[str] = []
    for name in options.names or NAMES:
        try:
            rows += _run(name)
        except Exception:  # noqa: BLE001 - the others are worth their table
            traceback.print_exc()
            broken.append(name)
    footer = _footer(before, time.monotonic() - started)
    print(f"{table(rows)}\n\n{footer}")
    if options.renew:
        renew_figures(rows)
    if options.json:
        data = {"rows": [row.as_json() for row in rows], "machine": footer}
        options.json.write_text(json.dumps(data, indent=1))
    if broken:
        sys.exit(f"Not measured: {', '.join(broken)}")


def _run(name: str) -> list[Row]:
    print(f"{name} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        found: list[Row] = asyncio.run(import_module(f".{name}", __package__).rows(Path(folder)))
    return found


def _footer(before: tuple[float, ...], seconds: float) -> str:
    load = [" ".join(f"{value:.1f}" for value in each) for each in (before, os.getloadavg())]
    return (
        "Median (least..greatest); ratio: how many times better it is now. "
        f"{os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; load {load[0]} before, "
        f"{load[1]} after; took {seconds:.0f} s."
    )


if __name__ == "__main__":
    main()
