"""A service whose story the test tells: the real server, page and log, on a picture of a screen.

`python -m tests.stage` is a process of its own, so that a test may drive a browser beside it. What
a model and a computer would make happen comes in as JSON lines: thousands of steps in a second.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cua.access import Everybody
from cua.app import Machine
from cua.desk import Desk
from cua.serving import serve
from cua.settings import SettingsFile
from cua.sockets import Entrance
from tests.devices import Fifos
from tests.kvm_box import ROOT
from tests.servers.mjpeg_server import Stream, picture, serving

CLICK = {"kind": "click", "at": {"x": 0.4, "y": 0.5}, "button": "left", "count": 1, "keys": []}
Fact = tuple[str, dict[str, Any]]


class Stage:
    """What a test may do with the service; each call returns when it is done."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url = self._answer()

    def tell(self, *facts: Fact) -> None:
        """Append to the log; a `frame` comes with its picture."""
        self._order("tell", facts)

    def mention(self, kind: str, **data: Any) -> None:
        self._order("mention", [(kind, data)])

    def begin(self, text: str = "Find the printer", rounds: int = 20) -> None:
        self.tell(
            ("task", {"text": text, "max_rounds": rounds}),
            ("status", {"status": "running", "reason": ""}),
        )

    def step(self, number: int, **reply: Any) -> None:
        self.tell(*looked(number), *answered(number, **reply), *ended(number))

    def reports(self, device: str) -> list[bytes]:
        """What came to one of the HID devices since the last call."""
        return [bytes.fromhex(each) for each in self._order("reports", device).split()]

    def close(self) -> None:
        self._process.communicate(timeout=30)

    def _order(self, word: str, what: object) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([word, what]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the stage fell"
        return line.strip()


@contextmanager
def stage(*options: str) -> Iterator[Stage]:
    """`options` are settings as NAME=JSON; with `exclusive=true` one page holds the session."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.stage", *options],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    made = Stage(process)
    try:
        yield made
    finally:
        made.close()


def looked(number: int) -> list[Fact]:
    size = {"width": 1280, "height": 720}
    return [
        ("phase", {"step": number, "phase": "looking"}),
        ("frame", {"step": number, "waited": 0.2, **size}),
        ("phase", {"step": number, "phase": "thinking"}),
    ]


def answered(number: int, **reply: Any) -> list[Fact]:
    told = {
        "text": f"I see step {number}.",
        "reasoning": "",
        "thought": f"I see step {number} and click.",
        "actions": [{**CLICK, "words": "Left click at (512, 360)"}],
        "seconds": 1.2,
        "tokens_in": 900,
        "tokens_out": 40,
        **reply,
    }
    return [
        ("reply", {"step": number, **told}),
        ("phase", {"step": number, "phase": "acting"}),
        ("acting", {"step": number, "index": 0}),
    ]


def ended(number: int) -> list[Fact]:
    return [("step", {"step": number, "ok": True, "outcome": "Carried out.", "seconds": 2.0})]


async def play(folder: Path, settings: dict[str, Any]) -> None:
    fifos = Fifos(folder)
    async with serving(Stream([picture("the computer")], fps=5)) as stream:
        exclusive = settings.pop("exclusive", False)
        values = {"api_type": "local", "notice_acknowledged": True} | settings
        file = SettingsFile(
            folder / "cfg.json", {}, stream_url=stream, hid_prefix=fifos.prefix, **values
        )
        machine = Machine(file)
        desk = Desk(machine.session, exclusive=exclusive, grace=1)
        listener = socket.create_server(("127.0.0.1", 0))
        entrance = Entrance(desk, Everybody("this machine", equal=True))
        service = asyncio.create_task(serve(machine, entrance, listener))
        say(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        while line := await asyncio.to_thread(sys.stdin.readline):
            say(obey(machine, fifos, *json.loads(line)))
        desk.vacated.set()
        await service
    fifos.close()


def obey(machine: Machine, fifos: Fifos, word: str, what: Any) -> str:
    if word == "reports":
        return " ".join(report.hex() for report in fifos.read(what))
    for kind, data in what:
        if word == "mention":
            machine.log.mention(kind, **data)
        else:
            machine.log.append(kind, STEP if kind == "frame" else None, **data)
    return ""


STEP = picture("a step")


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main() -> None:
    pairs = [option.partition("=") for option in sys.argv[1:]]
    settings = {name: json.loads(value) for name, _, value in pairs}
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder), settings))


if __name__ == "__main__":
    main()
