"""The folder of a demo: it goes when the demo ends, or by the next one if that was killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.kvm_box import ROOT

DEMO = """
from cua.demo import VirtualComputer
computer = VirtualComputer()
print(computer.hid_prefix, flush=True)
input()
computer.stop()
"""


@contextlib.contextmanager
def demo(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """The process, and the folder that it made in `place`."""
    with subprocess.Popen(
        [sys.executable, "-c", DEMO],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(place)},
        cwd=ROOT,
        text=True,
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip()).parent
        aged(folder, devices=3)
        yield process, folder


def aged(folder: Path, devices: int) -> None:
    """As if it had been made an hour ago, once its computer has come, or gone."""
    give_up = time.monotonic() + 60
    while len(list(folder.glob("hidg?"))) != devices:
        assert time.monotonic() < give_up
        time.sleep(0.02)
    hour_ago = time.time() - 3600
    os.utime(folder, (hour_ago, hour_ago))


def test_what_was_killed_is_tidied_away_and_what_runs_is_not(tmp_path: Path) -> None:
    with demo(tmp_path) as (killed, left):
        killed.kill()
    aged(left, devices=0)
    with demo(tmp_path) as (running, kept):
        assert not left.exists()
        with demo(tmp_path) as (another, _):
            assert kept.exists()
            another.communicate("\n")
        running.communicate("\n")
    assert list(tmp_path.iterdir()) == []
