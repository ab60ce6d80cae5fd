"""What the service takes of a small device, as a table: disk, time, memory, processor.

    python -m tests.cli.install.device_figures

The device's own profile: no extras, a local model server, one page. The figures are those of this
machine; on the KVM's ARM cores times are several times as long, memory and disk about the same.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from cua.cli.install import pins
from tests.bench.rows import Row

BENCHES = ("start", "memory", "preview", "step")


def main() -> None:
    rows = [row for name in BENCHES for row in _rows(name)]
    download, disk = (f"{size / 2**20:.1f}" for size in _sizes())
    lines = [
        ("figure", "", "what was measured"),
        ("---", "---", "---"),
        ("packages to download", f"{download} MiB", "the lock of an aarch64 KVM"),
        ("packages on the disk", f"{disk} MiB", "the same"),
        *((row.figure, _median(row), row.what) for row in rows if row.samples),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}."
    sys.stdout.write(f"{table}\n\n{machine}\n")


def _rows(name: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found: list[Row] = asyncio.run(import_module(f"tests.bench.{name}").rows(Path(folder)))
    return found


def _median(row: Row) -> str:
    return f"{statistics.median(row.samples):.3g} {row.unit}"


def _sizes() -> tuple[int, int]:
    """Bytes to download, and on the disk."""
    wanted = pins.list_needed((3, 10))
    return sum(each.download for each in wanted), sum(each.disk for each in wanted)


if __name__ == "__main__":
    main()
