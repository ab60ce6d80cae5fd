"""`python -m tests.mutants [--sample N] [--seed N] [--jobs N] [FILES]`: faults that tests notice.

Prints `noticed/all` for each file and the faults that no test noticed. What is equivalent to the
original is listed with its reason in `equivalent.txt`, as `FILE FAULT # REASON`, and not planted.
The files are changed in copies of the repository, one for each job.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from . import run
from .covering import COVERING, covering_tests
from .edits import Mutant, mutants

ROOT = Path(__file__).parent.parent.parent
EQUIVALENT = Path(__file__).parent / "equivalent.txt"
SLOWER, AT_LEAST_S = 4, 30.0
"""A mutant may take so many times as long as the original before it counts as noticed."""


class Copy(NamedTuple):
    """A copy of the repository in which files are changed."""

    folder: Path

    def notices(self, path: str, mutant: Mutant, tests: list[str], timeout_s: float) -> bool:
        original = (self.folder / path).read_text("utf-8")
        self._write(path, mutant.source)
        try:
            return not run.passes(self.folder, tests, timeout_s)
        finally:
            self._write(path, original)

    def _write(self, path: str, source: str) -> None:
        """Bytecode is found by the second in which the source was written, and by its size."""
        file = self.folder / path
        file.write_text(source, "utf-8")
        Path(cache_from_source(str(file))).unlink(missing_ok=True)


class Copies:
    """Lends each job a copy of its own."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._free: SimpleQueue[Copy] = SimpleQueue()

    def __enter__(self) -> Copies:
        self._folder = tempfile.TemporaryDirectory()
        for n in range(self._count):
            self._free.put(Copy(_copy_repository(Path(self._folder.name) / str(n))))
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @contextlib.contextmanager
    def lend(self) -> Iterator[Copy]:
        copy = self._free.get()
        try:
            yield copy
        finally:
            self._free.put(copy)

    def find_unnoticed(self, path: str, planted: list[Mutant], tests: list[str]) -> list[Mutant]:
        """Return the mutants that no test noticed."""
        with self.lend() as copy:
            began = time.monotonic()
            if not run.passes(copy.folder, tests):
                raise SystemExit((copy.folder / run.LOG).read_text("utf-8"))
            timeout_s = max(AT_LEAST_S, SLOWER * (time.monotonic() - began))

        def notices(mutant: Mutant) -> bool:
            with self.lend() as copy:
                return copy.notices(path, mutant, tests, timeout_s)

        with ThreadPoolExecutor(self._count) as pool:
            noticed = list(pool.map(notices, planted))
        return [each for each, is_noticed in zip(planted, noticed, strict=True) if not is_noticed]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--sample", type=int, help="plant so many in each file at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="tests wait a lot")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    with Copies(options.jobs) as copies:
        for path in options.files or _all_files():
            print(_report(copies, path, options.sample, options.seed), flush=True)


def _report(copies: Copies, path: str, sample: int | None, seed: int) -> str:
    """Return the figure, what was not noticed, and outdated lines of `equivalent.txt`."""
    found = list(mutants((ROOT / path).read_text("utf-8")))
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    begins = f"{path} "
    known = {each.rpartition(" # ")[0] for each in lines if each.startswith(begins)}
    planted = [each for each in found if begins + each.name not in known]
    outdated = known - {begins + each.name for each in found}
    random.Random(seed).shuffle(planted)
    planted = planted[:sample]
    left = copies.find_unnoticed(path, planted, covering_tests(path))
    report = [f"{path} {len(planted) - len(left)}/{len(planted)}"]
    report += [f"    line {each.line}: {each.name}" for each in left]
    return "\n".join(report + [f"    outdated in {EQUIVALENT.name}: {each}" for each in outdated])


def _all_files() -> list[str]:
    """Return the files on which safety depends."""
    found = (ROOT.glob(f"{each}**/*.py" if each.endswith("/") else each) for each in COVERING)
    return sorted({str(path.relative_to(ROOT)) for paths in found for path in paths})


def _copy_repository(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, target, follow_symlinks=False)
    return folder


if __name__ == "__main__":
    main()
