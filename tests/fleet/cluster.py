"""A fleet on two Ray nodes, of which one dies: `python -m tests.fleet.cluster --computers 16`.

Both nodes are processes on this machine. A task runs on all computers; when half of them are being
typed to, the second node is killed with SIGKILL: its raylet and its workers. Then the command of a
second run is killed, and `fleet resume` attaches to the run, which has gone on. While a third one
goes on without its command, another run is refused its KVM; then it is stopped. The computers are
asked what was typed and what is down.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cua.fleet.earlier_attempt import AGAIN
from tests.fleet.simulated import Fleet, simulated_fleet, wait_until

LINE = "I am {name} at {labels.site}. " + "x" * 400
SECRET = "never-in-a-file-of-ray"
SITES = {"site:berlin": 1, "site:paris": 1}


class RayNodes:
    """Two nodes on this machine, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.environ = {
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "disabled",  # only this machine reaches it
            "RAY_TMPDIR": str(folder),
        }
        self.command_environ = {**self.environ, "FLEET_SECRET": SECRET}
        self.address = ""

    def __enter__(self) -> RayNodes:
        from ray.cluster_utils import Cluster

        os.environ.update(self.environ)
        (place := self._folder / "ray").mkdir()
        options = {"num_cpus": 1, "object_store_memory": 80_000_000, "resources": SITES}
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={**options, "include_dashboard": False, "temp_dir": str(place)},
        )
        self._second = self._cluster.add_node(**options)
        self.address = self._cluster.address
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()

    def kill_second(self) -> None:
        """Kill its raylet and the workers of it, as when a machine dies."""
        raylet = self._second.all_processes["raylet"][0].process.pid
        for pid in (raylet, *_children(raylet)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _children(parent: int) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                yield int(folder.name)


class LookingModel:
    """Types the line of a computer; told of an earlier attempt, only what is missing there."""

    def __init__(self) -> None:
        self.fleet: Fleet | None = None
        self.told_again: list[str] = []

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = body["messages"]
        text = json.dumps(messages, ensure_ascii=False)
        line = re.findall("«(.*?)»", text)[-1]
        if any(each["role"] == "assistant" for each in messages):
            return {"text": "Done"}
        if AGAIN not in text:
            return {"text": f"typestr {line}"}
        assert self.fleet is not None
        name = re.findall(r"pc\d+", line)[-1]
        self.told_again.append(name)
        typed = self.fleet.state(name)["typed"]
        assert line.startswith(typed), (line, typed)
        rest = line.removeprefix(typed)
        return {"text": f"typestr {rest}" if rest else "Done"}


def _say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


async def _prove(count: int) -> int:
    with TemporaryDirectory(prefix="ray") as temp, TemporaryDirectory() as folder:
        async with simulated_fleet(Path(folder), count) as fleet:
            for entry in fleet.entries:
                entry["secrets"] = {"wifi": {"env": "FLEET_SECRET"}}
            fleet.write_inventory()
            model = LookingModel()
            model.fleet, fleet.model.script = fleet, model
            with RayNodes(Path(temp)) as nodes:
                await _lose_a_node(fleet, nodes, model)
                await _lose_the_command(fleet, nodes)
                await _stop_without_a_command(fleet, nodes)
                await asyncio.to_thread(_check_files, Path(temp))
    return 0


async def _lose_a_node(fleet: Fleet, nodes: RayNodes, model: LookingModel) -> None:
    count = len(fleet.states)
    task = f"Type «{LINE}»"
    began = time.monotonic()
    process = fleet.start("run", task, *_options(fleet, nodes), **nodes.command_environ)
    ending = asyncio.create_task(asyncio.to_thread(process.communicate))
    await wait_until(lambda: ending.done() or fleet.count_typing() >= count // 2, 200)
    _say(f"after {time.monotonic() - began:.0f} s keys are down on {sorted(fleet.down())}")
    await asyncio.to_thread(nodes.kill_second)
    killed = time.monotonic()
    _say("the node is killed")
    out, words = await ending
    _say("\n".join(out.decode().splitlines()[-3:]) + words.decode())
    assert process.returncode == 0
    assert fleet.down() == {}
    _say(f"all ended {time.monotonic() - killed:.0f} s later; told again: {model.told_again}")
    assert model.told_again
    _check_typed(fleet, 1)
    _check_records(fleet)


async def _stop_without_a_command(fleet: Fleet, nodes: RayNodes) -> None:
    process = fleet.start(
        "run", f"Type «{'x' * 4000}»", *_options(fleet, nodes), **nodes.command_environ
    )
    before = _count_characters(fleet)
    await wait_until(lambda: _count_characters(fleet) > before, 200)
    process.send_signal(signal.SIGKILL)
    await asyncio.to_thread(process.communicate)
    await _refuse_a_second_agent(fleet, nodes)
    code, out, words = await fleet.run("stop", **nodes.command_environ)
    _say(f"stop: exit code {code}, {out.strip()} {words}")
    assert code == 0
    assert fleet.down() == {}
    after = _count_characters(fleet)
    await asyncio.sleep(3)
    assert _count_characters(fleet) == after
    code, out, _ = await fleet.run("stop", **nodes.command_environ)
    assert (code, out) == (1, "No run goes on.\n")


async def _refuse_a_second_agent(fleet: Fleet, nodes: RayNodes) -> None:
    """Another run, from another inventory, names a KVM that is in use."""
    other = Fleet(fleet.folder / "other", fleet.model, {}, fleet.entries[:1])
    other.folder.mkdir()
    other.write_inventory()
    code, out, _ = await other.run("run", "Look", *_options(fleet, nodes), **nodes.command_environ)
    _say(f"second agent: exit code {code}, {out.splitlines()[:1]}")
    assert code == 2
    assert "is used by another run on this cluster" in out


def _options(fleet: Fleet, nodes: RayNodes) -> tuple[str, ...]:
    return ("--gate", "never", "--parallel", str(len(fleet.states)), "--ray", nodes.address)


def _count_characters(fleet: Fleet) -> int:
    return sum(len(fleet.state(name)["typed"]) for name in fleet.states)


def _check_files(place: Path) -> None:
    """No secret stands in a log or another file of Ray."""
    files = [path for path in place.rglob("*") if path.is_file()]
    found = [path for path in files if SECRET.encode() in path.read_bytes()]
    _say(f"files of Ray with the secret: {found or 'none'} of {len(files)}")
    assert len(files) > 10
    assert not found


def _check_typed(fleet: Fleet, times: int) -> None:
    """Each line is there once for each run, whole."""
    for entry in fleet.entries:
        filled = LINE.replace("{name}", entry["name"])
        line = filled.replace("{labels.site}", entry["labels"]["site"])
        assert fleet.state(entry["name"])["typed"] == line * times, entry["name"]


def _check_records(fleet: Fleet) -> None:
    """The run folder has the record and the last picture of every computer."""
    run = max(fleet.runs.iterdir())
    for each in json.loads((run / "summary.json").read_text())["computers"]:
        assert (run / each["record"] / "events.jsonl").is_file(), each
        assert (run / each["picture"]).stat().st_size > 1000, each


async def _lose_the_command(fleet: Fleet, nodes: RayNodes) -> None:
    """Each computer has its line already: it is typed once more."""
    few = ("--parallel", str(len(fleet.states) // 2))  # the others begin without the command
    options = (*_options(fleet, nodes), *few)
    process = fleet.start("run", f"Type «{LINE}»", *options, **nodes.command_environ)
    before = _count_characters(fleet)
    await wait_until(lambda: _count_characters(fleet) > before, 200)
    process.send_signal(signal.SIGKILL)
    await asyncio.to_thread(process.communicate)
    code, out, words = await fleet.run("resume", **nodes.command_environ)
    _say(f"resume attached: exit code {code}, {out.splitlines()[-1:]} {words}")
    assert code == 0
    lines = (max(fleet.runs.iterdir()) / "results.jsonl").read_text().splitlines()
    assert [json.loads(each)["state"] for each in lines].count("running") == len(fleet.states)
    assert fleet.down() == {}
    _check_typed(fleet, 2)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fleet.cluster")
    parser.add_argument("--computers", type=int, default=16)
    return asyncio.run(_prove(parser.parse_args(arguments).computers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
