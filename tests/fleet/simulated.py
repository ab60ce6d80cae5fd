"""A fleet of simulated computers in processes of their own, and a model that types one line each.

    python -m tests.fleet.simulated --computers 16

does a task on all of them, kills the process with SIGKILL while they type, asks the simulators what
is still down, resumes, and prints what each computer was typed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import yaml

from cua.cli.fleet import PARALLEL
from cua.kvms.simulated_computer import SimulatedComputer
from tests.servers.openai_server import OpenAIServer
from tests.support.kvm_hardware import ROOT

NOTEPAD = {"open": [{"program": "Notepad", "rect": [60, 40, 900, 500]}]}
MIN_TYPED_CHARS = 30
TASK = "Type «I am {name} at {labels.site}.»"


def reply(body: dict[str, Any]) -> dict[str, Any]:
    """Type what stands in the task's quotes, then say Done."""
    messages = body["messages"]
    text = re.findall("«(.*?)»", json.dumps(messages, ensure_ascii=False))[-1]
    is_first = all(each["role"] != "assistant" for each in messages)
    return {"text": f"typestr {text}" if is_first else "Done"}


@dataclass
class Fleet:
    folder: Path
    model: OpenAIServer
    states: dict[str, str] = field(default_factory=dict)
    """Address of the true state of each computer."""
    entries: list[dict[str, Any]] = field(default_factory=list)

    @property
    def inventory(self) -> Path:
        return self.folder / "fleet.yaml"

    @property
    def runs(self) -> Path:
        return self.folder / "fleet/runs"

    def write_inventory(self) -> None:
        settings = {
            "api_type": "openai",
            "base_url": self.model.base_url,
            "model_name": "scripted",
            "gate_reads": False,
        }
        document = {"defaults": {"settings": settings}, "computers": self.entries}
        self.inventory.write_text(yaml.safe_dump(document))

    def start(self, *arguments: str, **environ: str) -> subprocess.Popen[bytes]:
        command = ["fleet", *arguments, "--inventory", str(self.inventory)]
        return self._start(*command, **environ)

    @contextlib.contextmanager
    def page(self, *arguments: str) -> Iterator[str]:
        """Serve the page of the fleet; yield its address."""
        command = ("--fleet", str(self.inventory), "--port", "0", *arguments)
        process = self._start(*command, CUA_NOTICE_ACKNOWLEDGED="1")
        assert process.stdout
        try:
            yield re.findall(r"http://\S+", process.stdout.readline().decode())[0]
        finally:
            process.terminate()
            _, words = process.communicate()
            sys.stderr.write(words.decode())

    def _start(self, *arguments: str, **environ: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "cua_webapp.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "CUA_CONFIG": str(self.folder / "cfg.json"), **environ},
            cwd="/",
        )

    async def run(self, *arguments: str, **environ: str) -> tuple[int, str, str]:
        process = self.start(*arguments, **environ)
        out, words = await asyncio.to_thread(process.communicate, timeout=200)
        return process.returncode, out.decode(), words.decode()

    def state(self, name: str) -> dict[str, Any]:
        with urlopen(self.states[name], timeout=20) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def count_typing(self) -> int:
        """How many computers have been typed a part of their line."""
        return sum(len(self.state(name)["typed"]) > MIN_TYPED_CHARS for name in self.states)

    def down(self) -> dict[str, Any]:
        """What is pressed on the computers where anything is."""
        found = {name: self.state(name)["down"] for name in self.states}
        return {name: down for name, down in found.items() if any(down.values())}


@contextlib.asynccontextmanager
async def simulated_fleet(folder: Path, count: int) -> AsyncIterator[Fleet]:
    async with AsyncExitStack() as stack:
        fleet = Fleet(folder, await stack.enter_async_context(OpenAIServer(reply)))
        computers = []
        for _ in range(count):
            computers.append(SimulatedComputer("--scenario", json.dumps(NOTEPAD)))
            stack.callback(computers[-1].stop)
        for number, computer in enumerate(computers, 1):
            found = await computer.addresses()
            name, site = f"pc{number:02}", ("berlin", "paris")[number % 2]
            fleet.states[name] = found["state"]
            settings = {"hid_prefix": computer.hid_prefix, "stream_url": found["stream"]}
            entry = {"name": name, "groups": [site], "labels": {"site": site}}
            fleet.entries.append({**entry, "settings": settings})
        fleet.write_inventory()
        yield fleet


async def wait_until(holds: Any, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < until
        await asyncio.sleep(0.05)


async def _prove(count: int) -> int:
    with TemporaryDirectory() as folder:
        async with simulated_fleet(Path(folder), count) as fleet:
            task = TASK.replace("»", " " + "x" * 400 + "»")
            process = fleet.start("run", task, "--gate", "never")
            await wait_until(lambda: fleet.count_typing() >= min(count, PARALLEL) // 2, 120)
            process.send_signal(signal.SIGKILL)
            print("killed while these had keys down:", sorted(fleet.down()))
            await asyncio.to_thread(process.communicate)
            await asyncio.sleep(2)
            print("still down 2 s later:", fleet.down() or "nothing")
            before = {name: len(fleet.state(name)["typed"]) for name in fleet.states}
            began = time.monotonic()
            code, out, words = await fleet.run("resume")
            print(out.splitlines()[-1:], words)
            print(f"resume: exit code {code} after {time.monotonic() - began:.0f} s")
            print("still down:", fleet.down() or "nothing")
            for name in fleet.states:
                typed = fleet.state(name)["typed"]
                print(
                    f"{name} before: {before[name]}, after: {len(typed)} characters, {typed[:28]}"
                )
    return code


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fleet.simulated")
    parser.add_argument("--computers", type=int, default=16)
    return asyncio.run(_prove(parser.parse_args(arguments).computers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
