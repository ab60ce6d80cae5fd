"""What a screen reader says of the page: `python -m tests.proofs.reader [FLOW...]`.

Each flow has a display, an Orca and a page of its own. A line says what was spoken, or what was
not; then a screenshot and Orca's log go to `.artifacts/`, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from pathlib import Path

from tests.support.browser import ARTIFACTS

from .flows import FLOWS, Place
from .orca_session import OrcaSession, describe_missing, open_session


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.reader")
    parser.add_argument("flow", nargs="*", help=f"one of {', '.join(FLOWS)}")
    wanted = parser.parse_args().flow or list(FLOWS)
    if unknown := set(wanted) - set(FLOWS):
        parser.error(f"there is no flow {', '.join(unknown)}")
    if lacking := describe_missing():
        raise SystemExit(f"The screen reader needs more programs: {lacking}")
    silent = [name for name in wanted if not run_flow(name)]
    print(f"Not spoken: {', '.join(silent)}" if silent else f"All {len(wanted)} were spoken.")
    raise SystemExit(1 if silent else 0)


def run_flow(name: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="reader-") as folder:
        try:
            with open_session(Path(folder)) as made:
                return _run(name, made, Path(folder))
        except (AssertionError, OSError, RuntimeError) as fault:
            print(f"{name}: NOT TRIED: {fault}", flush=True)
            return False


def _run(name: str, made: OrcaSession, folder: Path) -> bool:
    try:
        print(f"{name}: {' | '.join(FLOWS[name](Place(made, folder)))}", flush=True)
    except AssertionError as silence:
        print(f"{name}: NOT SPOKEN: {silence}", flush=True)
        ARTIFACTS.mkdir(exist_ok=True)
        shutil.copy(made.debug, ARTIFACTS / f"reader-{name}.log")
        (ARTIFACTS / f"reader-{name}.jpg").write_bytes(asyncio.run(made.look()))
        return False
    return True


if __name__ == "__main__":
    main()
