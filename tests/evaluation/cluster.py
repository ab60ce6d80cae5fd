"""Wall time of `eval --ray` with 1, 2 and 4 workers: `python -m tests.evaluation.cluster`.

The model clicks one place, then says Done; each of its replies takes a second. The runs have to be
those of `eval` without Ray.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.servers.openai_server import OpenAIServer
from tests.support.kvm_hardware import ROOT

TASKS = ("--tasks", "network/wifi,notepad/open,desktop/close*", "--dialect", "json")
DELAY_S = 1.0
CERTAIN = ("exercise", "seed", "success", "ending", "steps")
"""What is known of a run whatever the machine does."""


def reply(body: dict[str, Any]) -> dict[str, Any]:
    is_first = all(each["role"] != "assistant" for each in body["messages"])
    action = {"kind": "click", "x": 287, "y": 242} if is_first else {"kind": "done"}
    return {"text": json.dumps({"action": action}), "delay": DELAY_S}


async def evaluate(folder: Path, *options: str) -> tuple[list[dict[str, Any]], float]:
    """Return the runs without what depends on time, and the seconds that all of it took."""
    async with OpenAIServer(reply, models=["some-model"]) as server:
        environ = {
            **os.environ,
            "CUA_CONFIG": str(folder / "cfg.json"),
            "CUA_API_TYPE": "openai",
            "CUA_BASE_URL": server.base_url,
            "CUA_MODEL_NAME": "some-model",
        }
        file = folder / "results.json"
        command = [sys.executable, "cua_webapp.py", "eval", *TASKS, "--json", str(file), *options]
        began = time.monotonic()
        ended = await asyncio.to_thread(
            subprocess.run, command, cwd=ROOT, env=environ, capture_output=True, text=True
        )
    assert file.is_file(), ended.stdout + ended.stderr
    found = json.loads(file.read_text())["runs"]
    file.unlink()
    return [{key: run[key] for key in CERTAIN} for run in found], time.monotonic() - began


async def _measure(workers: Sequence[int], repeat: int) -> int:
    with TemporaryDirectory() as folder:
        place, times = Path(folder), ("--repeat", str(repeat))
        expected, seconds = await evaluate(place, *times)
        sys.stdout.write(f"{len(expected)} runs, without Ray: {seconds:.0f} s\n")
        same = True
        for count in workers:
            found, seconds = await evaluate(place, *times, "--ray", "local", "--jobs", str(count))
            same = same and found == expected
            words = "the same" if found == expected else "OTHER"
            sys.stdout.write(f"Ray, {count} workers: {seconds:.0f} s, {words} results\n")
    return int(not same)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation.cluster")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeat", type=int, default=4)
    options = parser.parse_args(arguments)
    return asyncio.run(_measure(options.workers, options.repeat))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
