"""Runs tests in a process that has the heavy packages imported already."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

LOG = "mutants.log"
OPTIONS = (
    "-q -x -n 0 --reruns 0 -p no:cacheprovider --confcutdir=tests/hid -p tests.mutants.plugin"
    " -W ignore::pytest.PytestAssertRewriteWarning"
)
_processes = get_context("forkserver")
_processes.set_forkserver_preload(
    ["pytest", "hypothesis.strategies", "playwright.sync_api", "fastapi", "uvicorn", "trustme"]
)


def passes(folder: Path, tests: list[str], timeout_s: float | None = None) -> bool:
    """Whether the tests of a copy of the repository pass in that time."""
    process = _processes.Process(target=_run, args=(folder, tests))
    process.start()
    process.join(timeout_s)
    assert process.pid
    with suppress(ProcessLookupError):  # a writer that has a fault may not end by itself
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return process.exitcode == 0


def _run(folder: Path, tests: list[str]) -> None:
    import pytest

    os.setsid()
    log = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(folder)
    sys.path[0] = str(folder)
    for name in [each for each in sys.modules if each.split(".")[0] in ("cua", "tests")]:
        del sys.modules[name]
    sys.exit(pytest.main([*OPTIONS.split(), "-m", "not slow and not browser", *tests]))
