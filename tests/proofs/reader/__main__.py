"""What a blind person hears: `python -m tests.proofs.reader [FLOW...]`, all flows without a name.

Each flow has a display, an Orca and a page of its own. A line tells what was heard, or what was
not; then the picture and Orca's own log go to `.artifacts/`, and the end is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from pathlib import Path

from tests.support.browser import ARTIFACTS

from .flows import FLOWS, Place
from .room import Room, missing, room


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.reader")
    parser.add_argument("flow", nargs="*", help=f"one of {', '.join(FLOWS)}")
    wanted = parser.parse_args().flow or list(FLOWS)
    if unknown := set(wanted) - set(FLOWS):
        parser.error(f"there is no flow {', '.join(unknown)}")
    if lacking := missing():
        raise SystemExit(f"Nobody reads here yet: {lacking}")
    silent = [name for name in wanted if not heard(name)]
    print(f"Not heard: {', '.join(silent)}" if silent else f"All {len(wanted)} were heard.")
    raise SystemExit(1 if silent else 0)


def heard(name: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="reader-") as folder:
        try:
            with room(Path(folder)) as made:
                return _heard(name, made, Path(folder))
        except (AssertionError, OSError, RuntimeError) as fault:
            print(f"{name}: NOT TRIED: {fault}", flush=True)
            return False


def _heard(name: str, made: Room, folder: Path) -> bool:
    try:
        print(f"{name}: {' | '.join(FLOWS[name](Place(made, folder)))}", flush=True)
    except AssertionError as silence:
        print(f"{name}: NOT HEARD: {silence}", flush=True)
        ARTIFACTS.mkdir(exist_ok=True)
        shutil.copy(made.debug, ARTIFACTS / f"reader-{name}.log")
        (ARTIFACTS / f"reader-{name}.jpg").write_bytes(asyncio.run(made.look()))
        return False
    return True


if __name__ == "__main__":
    main()
